//! Every promise of the storage ports, as a function that any adapter can be held against.
//!
//! `docs/writing-an-adapter.md` says how to write a store. This crate says whether it is right: each `pub async fn`
//! in the modules of [`keys`] and [`webhooks`] is one promise. It takes a **fresh, empty** store, and panics
//! with the promise that was broken. To name them all as tests of your crate:
//!
//! ```
//! use std::sync::Arc;
//! use domain::memory::MemoryKeyStore;
//! use domain::ports::KeyStore;
//!
//! async fn fresh_store() -> Arc<dyn KeyStore> {
//!     Arc::new(MemoryKeyStore::default())
//! }
//!
//! storage_conformance::key_store_tests!(fresh_store());
//! ```
//!
//! A store that several processes share also keeps the promises of [`domain::ports::ChangeFeed`], in [`keys::change_feed`]:
//! [`change_feed_tests`] names them. [`webhooks`] has the promises of the four ports of webhooks, which are one store;
//! `webhook_store_tests!` names them.
//!
//! Without macros, loop over [`keys::PROMISES`], [`keys::SHARED_PROMISES`] and [`webhooks::PROMISES`]. The suite reads no clock, so
//! that its runs are alike. What it cannot see
//! from outside is a crash; [`keys::durability`] and [`webhooks::durability`] look at a store that was closed and opened again.

#![expect(clippy::missing_panics_doc, reason = "a broken promise panics: that is what every function here is for")]

mod dropping;
pub mod keys;
mod racing;
mod sample;
mod suite;
pub mod webhooks;

pub use keys::{Instances, SharedPromise, SharedStore, keep_shared};
pub use suite::{Check, FreshStore, Promise, keep};
pub use webhooks::WebhookStore;
