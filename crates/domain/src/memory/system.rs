use std::mem::take;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::lock;
use crate::ports::{Clock, Entropy, InvalidLogFilter, LogFilters, SpanSink};
use crate::{Span, Timestamp};

/// A clock that only tests move.
#[derive(Debug)]
pub struct ManualClock(Mutex<Timestamp>);

impl ManualClock {
    /// A clock that shows `at`.
    pub fn new(at: Timestamp) -> Self {
        Self(Mutex::new(at))
    }

    /// Moves the clock forward by `duration`.
    pub fn advance(&self, duration: Duration) {
        let mut now = lock(&self.0);
        *now = now.plus(duration);
    }

    /// Moves the clock back by `duration`.
    pub fn step_back(&self, duration: Duration) {
        let mut now = lock(&self.0);
        *now = now.minus(duration);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *lock(&self.0)
    }
}

/// The same bytes for the same seed, by the generator `SplitMix64`. For tests only: the bytes are predictable.
#[derive(Debug)]
pub struct SeededEntropy(Mutex<u64>);

impl SeededEntropy {
    /// A generator that starts from `seed`.
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(seed))
    }
}

impl Entropy for SeededEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        let mut state = lock(&self.0);
        for chunk in bytes.chunks_mut(8) {
            *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut mixed = *state;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^= mixed >> 31;
            chunk.copy_from_slice(&mixed.to_le_bytes()[..chunk.len()]);
        }
    }
}

/// Keeps spans in memory, for tests.
#[derive(Debug, Default)]
pub struct MemorySpans(Mutex<Vec<Span>>);

impl MemorySpans {
    /// Takes the spans out that were recorded so far, in their order.
    pub fn take(&self) -> Vec<Span> {
        take(&mut *lock(&self.0))
    }
}

impl SpanSink for MemorySpans {
    fn record(&self, span: Span) {
        lock(&self.0).push(span);
    }
}

/// A filter of no log, for tests. It begins with `info`, and knows the levels alone.
#[derive(Debug)]
pub struct MemoryLogFilters(Arc<Mutex<String>>);

impl Default for MemoryLogFilters {
    fn default() -> Self {
        Self(Arc::new(Mutex::new("info".to_owned())))
    }
}

impl LogFilters for MemoryLogFilters {
    fn present(&self) -> String {
        lock(&self.0).clone()
    }

    fn parse(&self, filter: &str) -> Result<Box<dyn FnOnce() + Send>, InvalidLogFilter> {
        if !["error", "warn", "info", "debug", "trace", "off"].contains(&filter) {
            return Err(InvalidLogFilter("a level"));
        }
        let (chosen, filter) = (Arc::clone(&self.0), filter.to_owned());
        Ok(Box::new(move || *lock(&chosen) = filter))
    }
}
