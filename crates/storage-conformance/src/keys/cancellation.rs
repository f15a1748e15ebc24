//! Calls that are dropped before they end.
//!
//! Each call is dropped after every number of polls up to its end, and at several times in between. The write may still
//! happen after the drop. So these tests do not check *when* it happens, but that it happens wholly or not at all, and
//! that later calls do not hang.

use std::sync::Arc;

use crate::KeyPorts;
use domain::memory::unique_cause;
use domain::ports::{Insertion, Retained, RevokeDigestsRequest};
use domain::{KeyUse, Timestamp};

use super::sample::{
    Replacement, Sample, all_keys, find, find_by, insert, insert_request, put, put_new, revoke, revoke_all_request,
    revoke_by_digests, revoke_request, revoke_user_keys, rotate_request,
};
use crate::racing::{moments, not_held_up};
use crate::sample::{at, user};

/// A dropped insertion stores the whole key or nothing: the key is listed and found by its digest, or neither. The limit
/// stays exact, and later calls do not hang.
pub async fn a_cancelled_insertion_is_whole_or_nothing(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    for drop_at in moments() {
        let sample = Sample::of(&owner);
        drop_at.call(store.insert_within(&insert_request(&sample, 60))).await;
        not_held_up(drop_at, async {
            let found_first = find(&*store, &sample).await;
            let listed = all_keys(&*store, &owner).await.into_iter().find(|key| key.id == sample.id());
            let found_last = find(&*store, &sample).await;
            if found_first.is_some() {
                assert_eq!(listed, found_first, "a key that is found by its digest must be listed, {drop_at}");
            }
            if listed.is_some() {
                assert_eq!(listed, found_last, "a key that is listed must be found by its digest, {drop_at}");
                assert_eq!(listed.as_ref(), Some(&sample.key), "a stored key must be whole, {drop_at}");
            }
            insert(&*store, &Sample::of(&owner), 0).await;
        })
        .await;
    }
    while matches!(insert(&*store, &Sample::of(&owner), 80).await, Insertion::Stored(_)) {}
    let stored = all_keys(&*store, &owner).await.len();
    assert_eq!(stored, 80, "after dropped insertions the limit must be exact");
}

/// A dropped revocation revokes the key or does not. A later one succeeds, does not hang, and keeps the first time.
pub async fn a_cancelled_revocation_is_whole_or_nothing(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    for drop_at in moments() {
        let sample = Sample::of(&owner);
        put(&*store, &sample).await;
        drop_at.call(store.revoke(&revoke_request(&owner, sample.id(), at(10)))).await;
        not_held_up(drop_at, async {
            let seen = find(&*store, &sample).await.and_then(|key| key.revoked_at);
            revoke(&*store, &owner, sample.id(), at(20)).await;
            let stays = find(&*store, &sample).await.and_then(|key| key.revoked_at);
            let possible = if seen.is_some() { vec![Some(at(10))] } else { vec![Some(at(10)), Some(at(20))] };
            assert!(possible.contains(&stays), "one of {possible:?} must be set, {drop_at}, got {stays:?}");
        })
        .await;
    }
}

/// A dropped rotation marks the old key and stores the successor, or does neither. A later call does not hang.
pub async fn a_cancelled_rotation_is_whole_or_nothing(store: Arc<dyn KeyPorts>) {
    for (round, drop_at) in moments().into_iter().enumerate() {
        let sample = Sample::of(&user(&format!("round {round}")));
        put(&*store, &sample).await;
        let replacement = Replacement::at(at(0), 100);
        drop_at.call(store.rotate(&rotate_request(&sample, &replacement))).await;
        not_held_up(drop_at, async {
            let whole = replacement.rotation.decide(&sample.key, 0).expect("a good key can be rotated");
            let mut keys = all_keys(&*store, &sample.key.owner).await;
            keys.sort_by_key(|key| key.id != sample.id());
            let either = [vec![sample.key.clone()], vec![whole.replaced, whole.successor.clone()]];
            assert!(either.contains(&keys), "a rotation must be whole or nothing, {drop_at}, got {keys:#?}");
            let found = find_by(&*store, &replacement.digest).await;
            assert!(keys.len() == 1 || found == Some(whole.successor), "a listed successor is found, {drop_at}");
            revoke(&*store, &sample.key.owner, sample.id(), at(20)).await;
        })
        .await;
    }
}

/// A dropped revocation by digests revokes every key or none. A later one does not hang.
pub async fn a_cancelled_revocation_by_digests_is_whole_or_nothing(store: Arc<dyn KeyPorts>) {
    for (round, drop_at) in moments().into_iter().enumerate() {
        let owner = user(&format!("round {round}"));
        let samples = put_new(&*store, &owner, 6).await;
        let digests: Vec<_> = samples.iter().map(|sample| sample.digest).collect();
        let request = RevokeDigestsRequest { digests: digests.clone(), at: at(10), cause: unique_cause() };
        drop_at.call(store.revoke_by_digests(&request)).await;
        not_held_up(drop_at, async {
            let mut seen: Vec<_> = all_keys(&*store, &owner).await.into_iter().map(|key| key.revoked_at).collect();
            seen.dedup();
            assert_eq!(seen.len(), 1, "every key must be revoked, or none, {drop_at}: {seen:?}");
            revoke_by_digests(&*store, &digests, at(20)).await;
        })
        .await;
    }
}

/// A dropped revocation of a user's keys revokes every key or none. A later one does not hang.
pub async fn a_cancelled_revocation_of_a_user_is_whole_or_nothing(store: Arc<dyn KeyPorts>) {
    for (round, drop_at) in moments().into_iter().enumerate() {
        let owner = user(&format!("round {round}"));
        put_new(&*store, &owner, 6).await;
        drop_at.call(store.revoke_user_keys(&revoke_all_request(&owner, at(10)))).await;
        not_held_up(drop_at, async {
            let mut seen: Vec<_> = all_keys(&*store, &owner).await.into_iter().map(|key| key.revoked_at).collect();
            seen.dedup();
            assert_eq!(seen.len(), 1, "every key must be revoked, or none, {drop_at}: {seen:?}");
            revoke_user_keys(&*store, &owner, Timestamp::MAX, at(20), 100).await;
        })
        .await;
    }
}

/// A dropped batch of uses is written wholly or not at all. A later one does not hang.
pub async fn a_cancelled_batch_of_uses_is_whole_or_nothing(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let samples = put_new(&*store, &owner, 20).await;
    let batch =
        |millis| -> Vec<KeyUse> { samples.iter().map(|sample| KeyUse { id: sample.id(), at: at(millis) }).collect() };
    for (millis, drop_at) in (0..).step_by(2).zip(moments()) {
        drop_at.call(store.record_uses(&batch(millis))).await;
        not_held_up(drop_at, async {
            let mut seen: Vec<_> = all_keys(&*store, &owner).await.into_iter().map(|key| key.last_used_at).collect();
            seen.dedup();
            assert_eq!(seen.len(), 1, "all uses of a dropped batch must be written, or none, {drop_at}: {seen:?}");
            store.record_uses(&batch(millis + 1)).await.expect("uses must be recorded after a dropped batch");
        })
        .await;
    }
}

/// A dropped purge deletes all keys that it found or none. A later one does not hang.
pub async fn a_cancelled_purge_is_whole_or_nothing(store: Arc<dyn KeyPorts>) {
    for (round, drop_at) in moments().into_iter().enumerate() {
        let owner = user(&format!("round {round}"));
        for _ in 0..4 {
            put(&*store, &Sample::of(&owner).revoked(at(-5))).await;
        }
        drop_at.call(store.purge(Retained::Keys, at(0), 100)).await;
        not_held_up(drop_at, async {
            let left = all_keys(&*store, &owner).await.len();
            assert!([0, 4].contains(&left), "a dropped purge must delete all 4 or none, {drop_at}, left {left}");
            while !all_keys(&*store, &owner).await.is_empty() {
                store.purge(Retained::Keys, at(0), 100).await.expect("a purge must succeed after a dropped one");
            }
        })
        .await;
    }
}
