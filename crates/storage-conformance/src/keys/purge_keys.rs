//! Deleting keys that ended long ago.

use std::sync::Arc;

use crate::KeyPorts;
use domain::ports::{Insertion, Revocation};

use super::sample::{ALL_ENDED, Sample, all_keys, expect_stored, find, insert, purge, put, put_all, revoke};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

/// Keys of any owner whose revocation or expiry is before the boundary are deleted. Active keys stay, and so does a key
/// that ended exactly at the boundary.
pub async fn keys_that_ended_earlier_are_deleted(store: Arc<dyn KeyPorts>) {
    let (alice, bob) = (user("alice"), user("bob"));
    let past = [
        Sample::of(&alice).revoked(at(99)),
        Sample::of(&bob).revoked(at(-100_000)),
        Sample::of(&alice).expiring(at(99)),
        Sample::of(&alice).expiring(at(99)).revoked(at(500)),
        Sample::of(&bob).expiring(at(500)).revoked(at(99)),
    ];
    let staying = [
        Sample::of(&alice),
        Sample::of(&alice).used(at(-100_000)).created(at(-100_000)),
        Sample::of(&alice).revoked(at(100)),
        Sample::of(&bob).expiring(at(100)),
        Sample::of(&bob).expiring(at(100)).revoked(at(100)),
        Sample::of(&alice).revoked(at(101)),
        Sample::of(&bob).expiring(at(101)),
    ];
    put_all(&*store, &past).await;
    put_all(&*store, &staying).await;
    assert_eq!(purge(&*store, at(100), ALL_ENDED).await, 5, "a purge must delete and count what ended earlier");
    for sample in &past {
        assert_eq!(find(&*store, sample).await, None, "this key ended before the boundary: {:?}", sample.key);
    }
    expect_stored(&*store, &staying, "a key that has not ended earlier must stay as it is").await;
    assert_eq!(purge(&*store, at(100), ALL_ENDED).await, 0, "a second purge must find nothing");
}

/// At most `max` keys are deleted, and the answer is their number. The next calls delete the rest.
pub async fn at_most_max_keys_are_deleted(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    for n in 0..7 {
        put(&*store, &Sample::of(&owner).revoked(at(-n))).await;
    }
    for (max, deleted, left) in [(0, 0, 7), (3, 3, 4), (1, 1, 3), (3, 3, 0), (3, 0, 0)] {
        assert_eq!(purge(&*store, at(1), max).await, deleted, "a purge of at most {max} must count what it deletes");
        let keys = all_keys(&*store, &owner).await;
        assert_eq!(keys.len(), left, "a purge of at most {max} keys must delete no more");
    }
}

/// A deleted key is not listed, not found and not revocable, and its id and digest are free.
pub async fn deleted_keys_leave_nothing(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let sample = Sample::of(&owner).expiring(at(-10));
    put(&*store, &sample).await;
    assert_eq!(purge(&*store, at(0), 10).await, 1, "the one expired key must be deleted");
    assert_eq!(all_keys(&*store, &owner).await, [], "a deleted key must not be listed");
    assert_eq!(find(&*store, &sample).await, None, "a deleted key must not be found");
    assert_eq!(revoke(&*store, &owner, sample.id(), at(1)).await, Revocation::NotFound, "a deleted key is unknown");
    let answer = insert(&*store, &sample, 1).await;
    assert!(matches!(answer, Insertion::Stored(_)), "a deleted key's id and digest must be free, got {answer:?}");
}

/// Parallel purges all succeed, and together count each deleted key once.
pub async fn parallel_purges_count_each_key_once(store: Arc<dyn KeyPorts>) {
    for round in 0..3 {
        let owner = user(&format!("round {round}"));
        for n in 0..20 {
            put(&*store, &Sample::of(&owner).revoked(at(-n))).await;
        }
        let counts = all_at_once((0..8).map(|_| purging(&store, 5)).collect()).await;
        assert!(counts.iter().all(|count| *count <= 5), "no purge may delete more than 5, got {counts:?}");
        let deleted: u32 = counts.iter().sum();
        let left = all_keys(&*store, &owner).await.len();
        assert_eq!(deleted as usize + left, 20, "parallel purges must count each deleted key once, got {counts:?}");
        while purge(&*store, at(1), 100).await > 0 {}
    }
}

fn purging(store: &Arc<dyn KeyPorts>, max: u32) -> Call<u32> {
    let store = Arc::clone(store);
    Box::pin(async move { purge(&*store, at(1), max).await })
}
