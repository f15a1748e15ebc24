use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The streams that common servers allow on one connection over HTTP/2, at least.
const STREAMS_MAX: u32 = 100;

/// The attempts in progress to each origin, spread over several pools of connections. Each pool opens one connection to
/// an origin over HTTP/2, and attempts above the server's limit of streams would wait within their deadline. See decision 53.
pub(crate) struct Streams {
    pools: usize,
    in_progress: Mutex<HashMap<String, Vec<u32>>>,
}

impl Streams {
    /// As many pools as `attempts_per_origin` need.
    pub(crate) fn new(attempts_per_origin: usize) -> Self {
        let pools = attempts_per_origin.div_ceil(STREAMS_MAX as usize).max(1);
        Self { pools, in_progress: Mutex::default() }
    }

    pub(crate) fn pools(&self) -> usize {
        self.pools
    }

    /// Counts one more attempt to `origin`, in the first pool that has room.
    pub(crate) fn begin(&self, origin: String) -> Stream<'_> {
        let mut in_progress = self.lock();
        let counts = in_progress.entry(origin.clone()).or_insert_with(|| vec![0; self.pools]);
        let has_room = counts.iter().position(|count| *count < STREAMS_MAX);
        let pool = has_room.unwrap_or_else(|| least(counts));
        counts[pool] += 1;
        Stream { streams: self, origin, pool }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Vec<u32>>> {
        self.in_progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn least(counts: &[u32]) -> usize {
    counts.iter().enumerate().min_by_key(|(_, count)| **count).map_or(0, |(pool, _)| pool)
}

/// An attempt in progress. It ends with the value.
pub(crate) struct Stream<'a> {
    streams: &'a Streams,
    origin: String,
    /// The index of the pool for the attempt.
    pub(crate) pool: usize,
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        let mut in_progress = self.streams.lock();
        let Some(counts) = in_progress.get_mut(&self.origin) else { return };
        counts[self.pool] -= 1;
        if counts.iter().all(|count| *count == 0) {
            in_progress.remove(&self.origin);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_pool_with_room_takes_an_attempt_and_nothing_is_remembered_after_it() {
        let streams = Streams::new(256);
        let begin = || streams.begin("https://receiver.example".into());
        let mut attempts: Vec<Stream<'_>> = (0..350).map(|_| begin()).collect();
        let in_pool = |attempts: &[Stream<'_>], pool| attempts.iter().filter(|stream| stream.pool == pool).count();
        assert_eq!([0, 1, 2].map(|pool| in_pool(&attempts, pool)), [117, 117, 116]);
        attempts.retain(|stream| stream.pool != 1);
        assert_eq!(begin().pool, 1);
        assert_eq!(streams.begin("https://other.example".into()).pool, 0);
        drop(attempts);
        assert!(streams.lock().is_empty());
        assert_eq!(Streams::new(0).pools(), 1);
    }
}
