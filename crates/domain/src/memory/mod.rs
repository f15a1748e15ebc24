//! The reference adapters: the shortest correct implementations of the ports, on the standard library.
//!
//! [`MemoryKeyStore`] keeps every promise of [`KeyStore`](crate::ports::KeyStore) and
//! [`ChangeFeed`](crate::ports::ChangeFeed) except durability, [`MemorySessionStore`] the promises of
//! [`SessionStore`](crate::ports::SessionStore), and [`MemoryWebhookStore`] the promises of the storage ports of
//! webhooks; [`MemoryEventTypes`] has the catalogue. Each writes to a [`MemoryAuditLog`]. [`ManualClock`] and [`SeededEntropy`] make whole answers predictable in tests.

mod audit;
mod by_hour;
mod catalogue;
mod change_feed;
mod keys;
mod owner_store;
mod owners;
mod sessions;
mod system;
mod webhooks;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use audit::{MemoryAuditLog, unique_cause};
pub use catalogue::MemoryEventTypes;
pub use change_feed::MemoryChangeFeed;
pub use keys::MemoryKeyStore;
pub use owner_store::MemoryOwnerStore;
pub use owners::MemoryOwners;
pub use sessions::MemorySessionStore;
pub use system::{ManualClock, MemoryLogFilters, MemorySpans, SeededEntropy};
pub use webhooks::MemoryWebhookStore;

/// Locks a part of a store. The part stays usable after a panic under the lock.
fn lock<T>(part: &Mutex<T>) -> MutexGuard<'_, T> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}
