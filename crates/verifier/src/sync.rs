//! The primitives of the parts that the model checker runs with primitives of its own (`tests/model.rs`).

pub(crate) use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
pub(crate) use std::sync::{Mutex, MutexGuard, PoisonError};

/// Into how many locks a table is split.
pub(crate) const SHARDS: usize = 64;
