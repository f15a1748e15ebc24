//! Every promise of the four ports of webhooks ([`domain::ports`]), which are one store.
//!
//! ```
//! use std::sync::Arc;
//! use domain::memory::MemoryWebhookStore;
//! use storage_conformance::WebhookStore;
//!
//! async fn fresh_store() -> Arc<dyn WebhookStore> {
//!     Arc::new(MemoryWebhookStore::default())
//! }
//!
//! storage_conformance::webhook_store_tests!(fresh_store());
//! ```

pub mod breakers;
pub mod changes;
pub mod claim_races;
pub mod claims;
pub mod closing;
pub mod closing_races;
pub mod completions;
pub mod dropped;
pub mod durability;
pub mod fairness;
pub mod health;
pub mod liveness;
pub mod log;
pub mod publication;
pub mod purging;
pub mod recovery;
pub mod repetitions;
pub mod replays;
mod sample;
pub mod secrets;
mod store;
pub mod subscriptions;
mod suite;
mod work;

pub use store::WebhookStore;
pub use suite::PROMISES;
