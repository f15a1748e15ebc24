//! Every promise of the storage ports as a test that any adapter can run.
//!
//! `docs/writing-an-adapter.md` says how to write a store. This crate tests it: each `pub async fn` in the modules of
//! [`keys`], [`sessions`] and [`webhooks`] tests one promise. The function takes a **fresh, empty** store, and panics
//! when the store breaks the promise. To add all promises as tests of your crate:
//!
//! ```
//! use std::sync::Arc;
//! use domain::memory::MemoryKeyStore;
//! use storage_conformance::KeyPorts;
//!
//! async fn fresh_store() -> Arc<dyn KeyPorts> {
//!     Arc::new(MemoryKeyStore::default())
//! }
//!
//! storage_conformance::key_store_tests!(fresh_store());
//! ```
//!
//! A store that several processes share also keeps the promises of [`domain::ports::ChangeFeed`], in
//! [`keys::change_feed`] and [`sessions::change_feed`]; [`change_feed_tests`] and [`session_feed_tests`] add them as
//! tests. [`sessions`] has the promises of the ports of sessions. [`webhooks`] has the promises of the webhook
//! ports, which one store implements; `webhook_store_tests!` adds them as tests. [`audit`] has the promises of
//! [`domain::ports::AuditLog`], which hold for one store of all ports; [`audit_log_tests`] adds them as tests.
//! [`catalogue`] has the promises of [`domain::ports::EventTypes`]; [`catalogue_tests`] adds them as tests.
//!
//! Without macros, loop over [`keys::PROMISES`], [`keys::SHARED_PROMISES`], the same two of [`sessions`], and
//! [`webhooks::PROMISES`]. The suite does not read a clock, so that every run is the same. It cannot crash your process:
//! [`keys::durability`], [`sessions::durability`] and [`webhooks::durability`] check a store that was closed, or killed,
//! and opened again. [`requests`] has requests for other tests of one adapter.

#![expect(clippy::missing_panics_doc, reason = "a broken promise panics: that is what every function here is for")]

pub mod audit;
mod by_hour;
pub mod catalogue;
mod choice;
pub mod keys;
pub mod owners;
mod ports;
mod racing;
pub mod requests;
mod sample;
pub mod sessions;
mod shared;
mod suite;
pub mod webhooks;

pub use choice::{OF_EACH_KIND, broken};
pub use ports::{KeyPorts, SessionPorts, SharedSessionStore, SharedStore};
pub use shared::{Instances, SharedPromise, keep_shared};
pub use suite::{Check, FreshStore, Promise, keep};
pub use webhooks::WebhookStore;
