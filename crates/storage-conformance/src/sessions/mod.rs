//! The promises of the ports of sessions, and the promises of [`domain::ports::ChangeFeed`] for sessions.
//!
//! ```
//! use std::sync::Arc;
//! use domain::memory::MemorySessionStore;
//! use storage_conformance::SessionPorts;
//!
//! async fn fresh_store() -> Arc<dyn SessionPorts> {
//!     Arc::new(MemorySessionStore::default())
//! }
//!
//! storage_conformance::session_store_tests!(fresh_store());
//! ```

pub mod cancellation;
pub mod change_feed;
pub mod durability;
pub mod end_session;
pub mod find_session;
pub mod list_sessions;
pub mod open_session;
pub mod purge_sessions;
pub mod record_uses;
pub mod round_trip;
pub(crate) mod sample;
mod shared_suite;
mod suite;

pub use shared_suite::SHARED_PROMISES;
pub use suite::PROMISES;
