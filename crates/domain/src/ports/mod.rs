//! The ports: what Gatepost needs from a database, an identity provider, an HTTP client, a clock and a generator of
//! randomness. An adapter implements them. The rules call them and know nothing else of the outside.
//!
//! # How to add a store
//!
//! 1. **Implement the ports on one type**, in a crate that depends on `domain` and on your database.
//!    [`KeyStores`], [`SessionStores`] and [`WebhookStores`] list the ports of API keys, sessions and webhooks. They have
//!    one port for each caller: verification, for example, calls [`CredentialStore`]. Webhooks also need
//!    [`DeliveryQueue`] and [`StoreFigures`]. [`AuditLog`] shows who changed what. [`ReadinessCheck`], [`Schema`] and
//!    [`Close`] are a few lines; the last two have default methods. A database that several processes share also needs a
//!    [`ChangeFeed`].
//! 2. **Run the suite.** Every promise below is a sentence on its method and a test of the crate `storage-conformance`,
//!    whose macros name all tests in your crate. Run them before you write the first query.
//! 3. **Build a [`Store`]** with [`Store::single`], and [`Store::shared`] if there is a change feed, where the binary
//!    chooses the database: `open_store` in `crates/app/src/database.rs`.
//!
//! `docs/writing-an-adapter.md` goes through these steps with a store that implements every port in a few hundred
//! lines. These are the ports of keys:
//!
//! ```
//! use async_trait::async_trait;
//! use domain::ports::{
//!     CredentialStore, Found, InsertKeyRequest, Insertion, KeyStore, KeyUpkeep, KeyUsageStore, Revocation,
//!     RevokeDigestsRequest, RevokeKeyRequest, RevokeUserKeysRequest, RotateKeyRequest, Rotation, StoreError,
//! };
//! use domain::{ApiKey, CredentialDigest, Hour, HourRange, KeyId, KeyUsage, KeyUse, ListView, Timestamp, UsageCounts, UserId};
//! use std::collections::BTreeMap;
//!
//! struct YourStore;
//!
//! type Answer<T> = Result<T, StoreError>;
//!
//! #[async_trait]
//! impl KeyStore for YourStore {
//!     async fn insert_within(&self, request: &InsertKeyRequest) -> Answer<Insertion> {
//!         todo!("lock the owner, count the active keys, insert the key and cause.key_created, list")
//!     }
//!
//!     async fn list(&self, owner: &UserId, view: ListView) -> Answer<Vec<ApiKey>> {
//!         let all_keys_of_the_owner: Vec<ApiKey> = todo!("read them");
//!         Ok(view.select(all_keys_of_the_owner))
//!     }
//!
//!     async fn revoke(&self, request: &RevokeKeyRequest) -> Answer<Revocation> {
//!         todo!("set revoked_at and insert cause.keys_revoked if it is not set, list")
//!     }
//!
//!     async fn rotate(&self, request: &RotateKeyRequest) -> Answer<Rotation> {
//!         todo!("lock the owner, read the key, call rotation.decide, write both keys, list")
//!     }
//!
//!     async fn revoke_by_digests(&self, request: &RevokeDigestsRequest) -> Answer<Vec<(CredentialDigest, ApiKey)>> {
//!         todo!("in one transaction")
//!     }
//!
//!     async fn revoke_user_keys(&self, request: &RevokeUserKeysRequest) -> Answer<Vec<CredentialDigest>> {
//!         todo!("in one transaction")
//!     }
//! }
//!
//! #[async_trait]
//! impl CredentialStore<ApiKey> for YourStore {
//!     async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<ApiKey> {
//!         todo!("read rows by their 32 bytes, mostly one: every cold verification waits for this")
//!     }
//!
//!     async fn record_uses(&self, uses: &[KeyUse]) -> Answer<()> {
//!         todo!("move last_used_at forward, never back")
//!     }
//! }
//!
//! #[async_trait]
//! impl KeyUsageStore for YourStore {
//!     async fn add_usage(&self, usage: &[KeyUsage]) -> Answer<()> {
//!         let sums = KeyUsage::sums(usage);
//!         todo!("add them to what is stored, in one statement and in their order")
//!     }
//!
//!     async fn usage(&self, owner: &UserId, id: KeyId, hours: HourRange) -> Answer<Option<BTreeMap<Hour, UsageCounts>>> {
//!         todo!("find the key of this owner, read the row of each hour")
//!     }
//!
//!     async fn purge_usage(&self, before: Hour, max: u32) -> Answer<u32> {
//!         todo!("delete and count")
//!     }
//! }
//!
//! #[async_trait]
//! impl KeyUpkeep for YourStore {
//!     async fn purge_ended(&self, before: Timestamp, max: u32) -> Answer<u32> {
//!         todo!("delete and count")
//!     }
//!
//!     async fn list_expiring(&self, after: (Timestamp, KeyId), until: Timestamp, max: u32) -> Answer<Vec<ApiKey>> {
//!         todo!("read a range of an index by the expiry time")
//!     }
//! }
//! ```
//!
//! # What every storage port promises
//!
//! - **A method is one atomic business operation.** If the caller drops the future, all of the operation has happened
//!   or none of it. No method begins a transaction that another one commits.
//! - **An expected refusal is a value. `Err` means that the store failed** ([`StoreError`]).
//! - **Ids, digests and the time are arguments.** An adapter mints no id and reads no clock. The outcome of a call
//!   depends on nothing but its arguments and the calls before it.
//! - **An answer is durable.** After a writing method has returned `Ok`, a crash of the process or of the machine loses
//!   nothing of the operation. After `Err` the operation has happened or not, as a whole, and does not happen later.
//!   Only a store whose changes other processes learn from a [`ChangeFeed`] may still be deciding at that moment.
//!
//! A store that is composed of several makes the promises about several owners for the owners of each: see decision 97.
//!
//! The storage ports of webhooks, and the figures of their queue, are one store: subscriptions, accepted events, the
//! queue and the log are in one database, so that an accepted event and its deliveries are one transaction. Each
//! subscription has a **lane**: the queue of its deliveries, with a [`Breaker`](crate::webhooks::Breaker). A lane is open
//! while its subscription is enabled.

mod audit;
mod change_feed;
mod credentials;
mod figures;
pub(crate) mod identity;
mod keys;
mod schema;
mod sessions;
mod store;
mod store_error;
mod system;
mod system_status;
mod webhooks;

pub use crate::credential_use::RecentUses;
pub use crate::span::SpanSink;
pub use audit::{AUDIT_SEARCHED_MAX, AuditDescriber, AuditLog, AuditPage, AuditReader, AuditWatcher, AuditWatchers};
pub use change_feed::{ChangeFeed, CredentialChanges, FeedPosition, FeedRead};
pub use credentials::{CredentialStore, Found, StoredCredential};
pub use figures::{
    HeldSnapshot, LANES_SEARCHED_MAX, LaneFigures, POOL_WAIT_BOUNDS, PoolFigures, QueueFigures, StoreFigures,
    VersionCount,
};
pub use identity::{
    IdentityProvider, IdentityUnavailable, IdentityVerdict, IdentityVerifier, SignInAnswer, SignInRequest,
    SignInVerdict,
};
pub use keys::{
    ActiveLimit, InsertKeyRequest, Insertion, KeyStore, KeyUpkeep, KeyUsageStore, Revocation, RevokeDigestsRequest,
    RevokeKeyRequest, RevokeUserKeysRequest, RotateKeyRequest, Rotation,
};
pub use schema::{MigrateError, MigrationStatus, Schema};
pub use sessions::SessionStore;
pub use store::{Close, KeyStores, SessionStores, Store, WebhookStores};
pub use store_error::{BoxError, StoreError};
pub use system::{Clock, Entropy, InvalidLogFilter, LogFilters, NotReady, ReadinessCheck};
pub use system_status::{AttemptCounts, EventCounts, QueueReading, SystemState, SystemStatus, VerificationCounts};
pub use webhooks::delivery_commands::{DeliveryCommands, RetryByHand, RetryOfFailed, RetryRequest};
pub use webhooks::delivery_log::{AttemptCursor, DeliveryLog, DeliveryPage, LoggedAttempt};
pub use webhooks::events::{Accepted, EventStore, PUBLISHED_EVENTS_MAX, Publication};
pub use webhooks::operator_log::{EventPage, FailingPlace, FailingSubscription, LoggedEvent, OperatorLog};
pub use webhooks::queue::{ClaimId, ClaimRequest, ClaimedDelivery, ClaimedLane, Completion, DeliveryQueue, HandedOver};
pub use webhooks::sender::{Attempt, WebhookSender};
pub use webhooks::subscriptions::{SealedSecretStore, SecretRotation, SubscriptionInsertion, SubscriptionStore};
