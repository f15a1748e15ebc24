//! The synchronization primitives. The model checker replaces them by its own (`tests/model.rs`).

pub(crate) use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
pub(crate) use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of locks of a table.
pub(crate) const SHARDS: usize = 64;
