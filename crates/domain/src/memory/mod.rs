//! The reference adapters: standard library only, the shortest correct implementations.
//!
//! [`MemoryKeyStore`] keeps every promise of [`KeyStore`](crate::ports::KeyStore) but durability, and those of
//! [`ChangeFeed`](crate::ports::ChangeFeed); [`MemoryWebhookStore`] those of the five storage ports of webhooks.
//! [`ManualClock`] and [`SeededEntropy`] make a whole answer predictable in tests.

mod clock;
mod entropy;
mod keys;
mod webhooks;

pub use clock::ManualClock;
pub use entropy::SeededEntropy;
pub use keys::MemoryKeyStore;
pub use webhooks::MemoryWebhookStore;
