//! The ports: the interfaces of a database, an identity provider, an HTTP client, a clock and a generator of
//! randomness. An adapter implements them. The rules call only them.
//!
//! # How to add a store
//!
//! 1. **Implement the ports on one type**, in a crate that depends on `domain` and on your database.
//!    [`KeyStores`], [`SessionStores`] and [`WebhookStores`] list the ports of API keys, sessions and webhooks. They have
//!    one port for each caller: verification, for example, calls [`CredentialStore`]. Webhooks also need
//!    [`DeliveryQueue`] and [`StoreFigures`]. [`EventTypes`] has the catalogue of event types. [`AuditLog`] has the authors
//!    of changes, and [`Retention`] deletes old data.
//!    [`ReadinessCheck`], [`Schema`] and [`Close`] are a few lines; the last two have default methods. A database that
//!    several processes share also needs a [`ChangeFeed`].
//! 2. **Run the suite.** Every promise below is a sentence on its method and a test of the crate `storage-conformance`.
//!    Its macros add all tests to your crate. Run them before you write the first query.
//! 3. **Build a [`Store`]** with [`Store::single`], and [`Store::shared`] with a change feed, where the binary chooses
//!    the database: `open_store` in `crates/app/src/database.rs`.
//!
//! `docs/writing-an-adapter.md` goes through these steps with the store of `crates/adapters-journal`, which implements
//! every port in a few hundred lines.
//!
//! # The promises of every storage port
//!
//! - **A method is one atomic business operation.** If the caller drops the future, all of the operation takes effect
//!   or none of it. No method begins a transaction that another one commits.
//! - **An expected refusal is a value. `Err` means that the store failed** ([`StoreError`]).
//! - **Ids, digests and the time are arguments.** An adapter mints no id and reads no clock. The outcome of a call
//!   depends only on its arguments and the calls before it.
//! - **An answer is durable.** After a writing method has returned `Ok`, a crash of the process or of the machine does
//!   not undo the operation. After `Err` the operation has happened or not, as a whole, and does not happen later. Only
//!   a store with a [`ChangeFeed`] may still be deciding at that moment.
//!
//! A store that is composed of several makes the promises about several owners for the owners of each: see decision 97.
//!
//! The storage ports of webhooks, and the figures of their queue, are one store: subscriptions, accepted events, the
//! queue and the log are in one database, so that an accepted event and its deliveries are one transaction. Each
//! subscription has a **lane**: the queue of its deliveries, with a [`Breaker`](crate::webhooks::Breaker). A lane is
//! open while its subscription is enabled.

mod audit;
mod catalogue;
mod change_feed;
mod credentials;
mod figures;
pub(crate) mod identity;
mod keys;
mod owners;
mod retention;
mod schema;
mod sessions;
mod store;
mod store_error;
mod system;
mod system_status;
mod webhooks;

pub use crate::credential_use::RecentUses;
pub use crate::span::{SpanCounts, SpanSink};
pub use audit::{AUDIT_SEARCHED_MAX, AuditDescriber, AuditLog, AuditPage, AuditReader, AuditWatcher, AuditWatchers};
pub use catalogue::{
    EVENT_TYPES_MAX, EntryPut, EventTypes, InvalidPayloadSchema, PayloadSchema, PayloadSchemas, PutEntryRequest,
    SCHEMA_FAULTS_MAX, SchemaBreak, SchemaFault,
};
pub use change_feed::{ChangeFeed, CredentialChanges, FeedPosition, FeedRead};
pub use credentials::{CredentialStore, Found, LookedUp, StoredCredential};
pub use figures::{
    HeldSnapshot, LANES_SEARCHED_MAX, LaneFigures, POOL_WAIT_BOUNDS, PoolFigures, ProcessFigures, QueueFigures,
    ServerFigures, StoreFigures, VersionCount,
};
pub use identity::{
    IdentityProvider, IdentityUnavailable, IdentityVerdict, IdentityVerifier, SignInAnswer, SignInRequest,
    SignInVerdict,
};
pub use keys::{
    ActiveLimit, ChangeKeyRequest, ChangedKey, InsertKeyRequest, Insertion, KeyStore, KeyUsageStore, KeysOf,
    ListExpiringRequest, Revocation, RevokeDigestsRequest, RevokeKeyRequest, RevokeUserKeysRequest, RotateKeyRequest,
    Rotation, UsageRequest,
};
pub use owners::{
    ChangeOwnerRequest, ChangedOwner, EraseRequest, Erasure, ListOwnersRequest, OwnerStore, SetOwnerStateRequest,
};
pub use retention::{Retained, Retention};
pub use schema::{MigrateError, MigrationStatus, Schema};
pub use sessions::SessionStore;
pub use store::{Close, KeyStores, SessionStores, Store, WebhookStores};
pub use store_error::{BoxError, StoreError};
pub use system::{Clock, Entropy, InvalidLogFilter, LogFilters, NotReady, ReadinessCheck};
pub use system_status::{AttemptCounts, EventCounts, QueueReading, SystemState, SystemStatus, VerificationCounts};
pub use webhooks::delivery_commands::{
    CancelDeliveryRequest, DeliveryCommands, RecoverRequest, Recovered, RetryByHand, RetryDeliveryRequest,
    RetryFailedRequest, RetryOfFailed, RetryRequest,
};
pub use webhooks::delivery_log::{
    AttemptCursor, CountRecoverableRequest, DeliveryLog, DeliveryPage, ListAttemptsRequest, ListDeliveriesRequest,
    ListFailedRequest, LoggedAttempt, OutcomesRequest,
};
pub use webhooks::events::{Accepted, EventStore, PUBLISHED_EVENTS_MAX, Publication, WAITING_BYTES_MAX, waiting_bytes};
pub use webhooks::operator_log::{
    EventPage, FailingPlace, FailingSubscription, ListEventsRequest, LoggedEvent, OperatorLog,
};
pub use webhooks::pulled_events::{
    CONSUMERS_MAX, CommitRequest, Committed, ForgetRequest, ListedConsumer, Pulled, PulledEvent, PulledEvents,
    PulledLog, PulledMax, ReceiveRequest, SeekRequest, SeekTo, Sought,
};
pub use webhooks::queue::{ClaimId, ClaimRequest, ClaimedDelivery, ClaimedLane, Completion, DeliveryQueue, HandedOver};
pub use webhooks::sender::{Attempt, CertificateReader, WebhookSender};
pub use webhooks::subscriptions::{
    ChangeSubscriptionRequest, DeleteSubscriptionRequest, DisableSetByRequest, InsertSubscriptionRequest,
    ListSubscriptionsRequest, ReplaceSecretsRequest, RotateSecretRequest, SealedSecretStore, SecretRotation,
    SubscriptionInsertion, SubscriptionStore, SubscriptionUpdate,
};
