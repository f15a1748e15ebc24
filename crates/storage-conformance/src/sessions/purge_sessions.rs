//! Deleting sessions that expired or became idle.

use std::sync::Arc;

use crate::SessionPorts;

use super::sample::{Sample, expect_gone, expect_stored, idle_max, open_all, purge};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

/// Sessions of any owner that expired, or became idle, before the boundary are deleted. Good sessions stay, and so does
/// a session that ended exactly at the boundary.
pub async fn sessions_that_ended_earlier_are_deleted(store: Arc<dyn SessionPorts>) {
    let (alice, bob) = (user("alice"), user("bob"));
    let idle = |seen: i64| at(seen - idle_max());
    let past = [
        Sample::of(&alice).expiring(at(99)),
        Sample::of(&bob).seen(idle(99)),
        Sample::of(&alice).seen(idle(50)).expiring(at(500)),
        Sample::of(&bob).seen(idle(500)).expiring(at(50)),
    ];
    let staying = [
        Sample::of(&alice),
        Sample::of(&alice).expiring(at(100)),
        Sample::of(&bob).seen(idle(100)),
        Sample::of(&bob).seen(idle(101)).expiring(at(101)),
    ];
    open_all(&*store, &past).await;
    open_all(&*store, &staying).await;
    assert_eq!(purge(&*store, at(100), 100).await, 4, "a purge must delete and count what ended earlier");
    expect_gone(&*store, &past, "a session that ended before the boundary must be gone").await;
    expect_stored(&*store, &staying, "a session that has not ended earlier must stay as it is").await;
    assert_eq!(purge(&*store, at(100), 100).await, 0, "a second purge must find nothing");
}

/// At most `max` sessions are deleted, and the answer says how many. The next calls delete the rest.
pub async fn at_most_max_sessions_are_deleted(store: Arc<dyn SessionPorts>) {
    let samples: Vec<Sample> = (0..7).map(|n| Sample::of(&user("alice")).expiring(at(-n))).collect();
    open_all(&*store, &samples).await;
    for (max, deleted, left) in [(0, 0, 7), (3, 3, 4), (1, 1, 3), (3, 3, 0), (3, 0, 0)] {
        assert_eq!(purge(&*store, at(1), max).await, deleted, "a purge of at most {max} must count what it deletes");
        assert_eq!(count(&*store, &samples).await, left, "a purge of at most {max} must delete no more");
    }
}

/// Parallel purges all succeed, and together count each deleted session once.
pub async fn parallel_purges_count_each_session_once(store: Arc<dyn SessionPorts>) {
    for _ in 0..3 {
        let samples: Vec<Sample> = (0..20).map(|n| Sample::of(&user("alice")).expiring(at(-n))).collect();
        open_all(&*store, &samples).await;
        let counts = all_at_once((0..8).map(|_| purging(&store, 5)).collect()).await;
        assert!(counts.iter().all(|count| *count <= 5), "no purge may delete more than 5, got {counts:?}");
        let deleted: u32 = counts.iter().sum();
        let left = count(&*store, &samples).await;
        assert_eq!(deleted as usize + left, 20, "parallel purges must count each session once, got {counts:?}");
        while purge(&*store, at(1), 100).await > 0 {}
    }
}

async fn count(store: &dyn SessionPorts, samples: &[Sample]) -> usize {
    let digests: Vec<_> = samples.iter().map(|sample| sample.digest).collect();
    store.find_by_digests(&digests).await.complete().expect("a look-up must succeed").len()
}

fn purging(store: &Arc<dyn SessionPorts>, max: u32) -> Call<u32> {
    let store = Arc::clone(store);
    Box::pin(async move { purge(&*store, at(1), max).await })
}
