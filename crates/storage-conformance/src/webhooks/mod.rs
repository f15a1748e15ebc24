//! Every promise of the webhook ports ([`domain::ports`]), which one store implements.
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
mod calls;
pub mod change_subscription;
pub mod claim;
pub mod claim_races;
mod commands;
pub mod complete;
pub mod consumers;
pub mod direct_claims;
pub mod disable_set_by;
pub mod dropped;
pub mod durability;
pub mod end_closed;
pub mod end_closed_races;
pub mod failures;
pub mod fairness;
pub mod figures;
pub mod filters;
pub mod health;
pub mod liveness;
pub mod log;
pub mod operator_log;
pub mod orders;
pub mod outcomes;
pub mod owner_shares;
pub mod publish_again;
pub mod publish_events;
pub mod pulled_events;
pub mod purge_history;
pub mod rates;
pub(crate) mod reader;
pub mod recover_subscription;
pub mod retry_delivery;
pub(crate) mod sample;
pub mod signers;
pub mod subscription_options;
pub mod subscription_secrets;
pub mod subscriptions;
mod suite;
pub(crate) mod work;

pub use suite::{PROMISES, WebhookStore};
