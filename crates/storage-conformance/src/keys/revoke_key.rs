//! Revoking keys.

use std::sync::Arc;

use crate::KeyPorts;
use domain::ports::{Insertion, Revocation, RevokeKeyRequest};
use domain::{ApiKey, Timestamp};

use super::sample::{
    ALL_ENDED, Sample, all_keys, expect_full, expect_stored, find, insert, list, put, put_all, revoke, revoke_request,
    view,
};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

/// A revocation sets `revoked_at` of an active or an expired key. Its other fields and the owner's other keys do not
/// change.
pub async fn revocation_sets_its_time_and_nothing_else(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let kinds: [fn(Sample) -> Sample; 4] = [
        |key| key,
        |key| key.expiring(at(-1)).used(at(-2)),
        |key| key.expiring(at(9_999)).used(at(77)),
        |key| key.expiring(at(9_999)).replaced(),
    ];
    let mut samples: Vec<Sample> = kinds.map(|kind| kind(Sample::of(&owner))).into();
    put_all(&*store, &samples).await;
    for index in 0..samples.len() {
        let revoked_at = at(1_001 + i64::try_from(index).expect("a few keys"));
        let answer = revoke(&*store, &owner, samples[index].id(), revoked_at).await;
        assert!(matches!(answer, Revocation::Revoked { .. }), "an owner's key must be revoked, got {answer:?}");
        samples[index].key.revoked_at = Some(revoked_at);
        expect_stored(&*store, &samples, "a revocation must set its time, and no other field may change").await;
    }
}

/// Revoking again succeeds without an effect, with an earlier time, the same, or a later one.
pub async fn the_first_revocation_stays(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let sample = Sample::of(&owner);
    put(&*store, &sample).await;
    for millis in [100, 101, 100, 99, 100_000] {
        let view = view(at(millis), ALL_ENDED);
        let request = RevokeKeyRequest { view, ..revoke_request(&owner, sample.id(), at(millis)) };
        let answer = store.revoke(&request).await;
        let expected = ApiKey { revoked_at: Some(at(100)), ..sample.key.clone() };
        let answered = answer.expect("a revocation must succeed");
        let expected = Revocation::Revoked { digest: sample.digest, keys: vec![expected] };
        assert_eq!(answered, expected, "the first revocation's time must stay");
    }
}

/// Parallel revocations all succeed. One sets the time, and every answer shows it.
pub async fn parallel_revocations_set_one_time(store: Arc<dyn KeyPorts>) {
    for round in 0..3 {
        let owner = user(&format!("round {round}"));
        let sample = Sample::of(&owner);
        put(&*store, &sample).await;
        let calls = (0..20).map(|n| revocation(&store, &sample, at(100 + n))).collect();
        let answers = all_at_once(calls).await;
        let first = find(&*store, &sample).await.and_then(|key| key.revoked_at);
        let candidates = at(100)..=at(119);
        assert!(first.is_some_and(|at| candidates.contains(&at)), "one of the parallel revocations must set the time");
        for answer in answers {
            let Revocation::Revoked { keys, .. } = answer else {
                panic!("parallel revocations must succeed, got {answer:?}")
            };
            let shown: Vec<Option<Timestamp>> = keys.iter().map(|key| key.revoked_at).collect();
            assert_eq!(shown, [first], "every parallel revocation must answer with the one time that was set");
        }
    }
}

/// An id that is not stored is `NotFound` for every owner.
pub async fn an_unknown_key_is_not_found(store: Arc<dyn KeyPorts>) {
    let (owner, unknown) = (user("alice"), Sample::of(&user("alice")));
    assert_eq!(revoke(&*store, &owner, unknown.id(), at(1)).await, Revocation::NotFound, "in an empty store");
    let other = Sample::of(&owner);
    put(&*store, &other).await;
    assert_eq!(revoke(&*store, &owner, unknown.id(), at(1)).await, Revocation::NotFound, "an id that is not stored");
    assert_eq!(all_keys(&*store, &owner).await, [other.key], "revoking an unknown key must change nothing");
}

/// Another user's key is `NotOwned`, active or ended, and does not change.
pub async fn another_users_key_stays_as_it_is(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let samples = [Sample::of(&owner), Sample::of(&owner).revoked(at(7)), Sample::of(&owner).expiring(at(-1))];
    put_all(&*store, &samples).await;
    put(&*store, &Sample::of(&user("mallory"))).await;
    for sample in &samples {
        let answer = revoke(&*store, &user("mallory"), sample.id(), at(1)).await;
        assert_eq!(answer, Revocation::NotOwned, "another user's key must not be revoked");
        assert_eq!(find(&*store, sample).await.as_ref(), Some(&sample.key), "another user's key must stay as it is");
    }
}

/// A revoked key no longer counts: there is room for one more, once.
pub async fn revocation_frees_a_place(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let first = Sample::of(&owner);
    put(&*store, &first).await;
    expect_full(&*store, &owner, 1, "the one place is taken").await;
    revoke(&*store, &owner, first.id(), at(0)).await;
    let answer = insert(&*store, &Sample::of(&owner), 1).await;
    assert!(matches!(answer, Insertion::Stored(_)), "a revocation must free its place, got {answer:?}");
    expect_full(&*store, &owner, 1, "the place is taken again").await;
}

/// The list in the answer equals the answer of `list` with the same view, the first time and when revoked again.
pub async fn revocation_answers_with_the_list(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let samples: Vec<Sample> = (1..=4).map(|n| Sample::of(&owner).created(at(n))).collect();
    put_all(&*store, &samples).await;
    put(&*store, &Sample::of(&user("bob"))).await;
    for (index, ended_max) in [(1, ALL_ENDED), (1, ALL_ENDED), (2, 1), (3, 0), (0, 2)] {
        let seen = view(at(10), ended_max);
        let request = RevokeKeyRequest { view: seen, ..revoke_request(&owner, samples[index].id(), at(10)) };
        let answer = store.revoke(&request).await.expect("a revocation must succeed");
        let expected = Revocation::Revoked { digest: samples[index].digest, keys: list(&*store, &owner, seen).await };
        assert_eq!(answer, expected, "the answer's list must be what `list` answers");
    }
}

/// The answer names the digest under which the key is stored, the first time and when revoked again.
pub async fn revocation_answers_with_the_digest(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let samples = [Sample::of(&owner), Sample::of(&owner).revoked(at(-1)), Sample::of(&owner).expiring(at(-1))];
    put_all(&*store, &samples).await;
    for sample in samples.iter().chain(&samples) {
        let answer = revoke(&*store, &owner, sample.id(), at(1)).await;
        let Revocation::Revoked { digest, .. } = answer else { panic!("an owner's key must be revoked: {answer:?}") };
        assert_eq!(digest, sample.digest, "the answer's digest must be the one under which the key is stored");
    }
}

fn revocation(store: &Arc<dyn KeyPorts>, sample: &Sample, revoked_at: Timestamp) -> Call<Revocation> {
    let request = revoke_request(&sample.key.owner, sample.id(), revoked_at);
    let (store, request) = (Arc::clone(store), RevokeKeyRequest { view: view(at(0), ALL_ENDED), ..request });
    Box::pin(async move { store.revoke(&request).await.expect("a parallel revocation must succeed") })
}
