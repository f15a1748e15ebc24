//! Synchronisation primitives. The model checker compiles the modules that use them with loom's primitives instead
//! (`tests/model.rs`).

pub(crate) use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
pub(crate) use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many shards a table has, each with a separate lock.
pub(crate) const SHARDS: usize = 64;
