//! What the rules need of the outside: all that an adapter author must read.
//!
//! Every promise below is a sentence on its method, and a function in the crate `storage-conformance`, which any
//! adapter can run. Four things hold for all storage ports:
//!
//! - **A method is one atomic business operation.** A caller whose future is dropped half way leaves either all of
//!   it or nothing.
//! - **Expected refusals are values; `Err` means that the store failed** ([`StoreError`]).
//! - **Ids, digests and the time come in as arguments.** An adapter mints no id and reads no clock.
//! - **What was answered is durable.** After an `Ok` of a writing method, a crash of the process or the machine
//!   loses nothing of it. After an `Err` it has happened wholly or not at all, and does not happen any more; only a
//!   store whose changes other processes learn from a [`ChangeFeed`] may still be deciding then.
//!
//! The five storage ports of webhooks are one store: subscriptions, accepted events, the queue and the log live in one
//! database, so that an accepted event and its deliveries are one transaction. Each subscription has a **lane**, the
//! queue of its deliveries, with a [`Breaker`](crate::webhooks::Breaker). A lane is open while its subscription is
//! enabled.

mod change_feed;
mod identity;
mod keys;
mod schema;
mod store;
mod store_error;
mod system;
mod webhooks;

pub use change_feed::{ChangeFeed, FeedPosition, FeedRead, KeyChanges};
pub use identity::{IdentityUnavailable, IdentityVerdict, IdentityVerifier};
pub use keys::{ActiveLimit, FIND_MAX, Insertion, KeyStore, RecentUses, Revocation, Rotation};
pub use schema::{MigrateError, MigrationStatus, Schema};
pub use store::{Close, Store, WebhookStores};
pub use store_error::{BoxError, StoreError};
pub use system::{Clock, Entropy, NotReady, ReadinessCheck};
pub use webhooks::delivery_commands::{DeliveryCommands, RetryByHand, RetryRequest};
pub use webhooks::delivery_log::{AttemptCursor, DeliveryLog, DeliveryPage, LoggedAttempt};
pub use webhooks::events::{Accepted, EventStore, PUBLISHED_EVENTS_MAX, Publication};
pub use webhooks::queue::{ClaimId, ClaimRequest, ClaimedDelivery, ClaimedLane, Completion, DeliveryQueue, NextStep};
pub use webhooks::sender::{Attempt, WebhookSender};
pub use webhooks::subscriptions::{SubscriptionInsertion, SubscriptionStore};
