//! The maximum of active keys, which is always exact.

use std::sync::Arc;

use crate::KeyPorts;
use domain::ports::{InsertKeyRequest, Insertion, Revocation};
use domain::{ApiKey, OwnerId};

use super::sample::{
    ALL_ENDED, NO_LIMIT, Sample, all_keys, expect_full, find, insert, insert_request, insert_request_by, limit, list,
    put, put_all, put_new, revoke, view,
};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user, user_of};

type Change = fn(Sample) -> Sample;

/// Insertions in sequence store keys up to the limit. A refused key is neither in the list nor under its digest, and
/// can be stored when there is room. A limit below the number of stored keys refuses too, and so does a limit of 0.
pub async fn insertions_stop_at_the_limit(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    for _ in 0..3 {
        let answer = insert(&*store, &Sample::of(&owner), 3).await;
        assert!(matches!(answer, Insertion::Stored(_)), "there is room below the limit, got {answer:?}");
    }
    let stored = all_keys(&*store, &owner).await;
    assert_eq!(stored.len(), 3, "every key below the limit must be stored");

    let refused = Sample::of(&owner);
    for max in [3, 2, 1, 0] {
        let answer = insert(&*store, &refused, max).await;
        assert_eq!(answer, Insertion::LimitReached { max }, "3 active keys of {max} allowed");
    }
    assert_eq!(all_keys(&*store, &owner).await, stored, "a refused insertion must change nothing");
    assert_eq!(find(&*store, &refused).await, None, "a refused key must not be found by its digest");
    let answer = insert(&*store, &refused, 4).await;
    assert!(matches!(answer, Insertion::Stored(_)), "a key refused before must fit a higher limit, got {answer:?}");
    expect_full(&*store, &user("bob"), 0, "where none is allowed, not even the first is stored").await;
}

/// Only keys that are active at the instant of the limit count, to the millisecond. A key that expires at that instant does
/// not count, a key with a revocation in the future does not (another instance's clock may be ahead), and a key that is
/// being replaced does not.
pub async fn only_active_keys_count(store: Arc<dyn KeyPorts>) {
    let now = at(500);
    let cases: [(&str, Change, bool); 12] = [
        ("a key without an end", |key| key, true),
        ("expires a millisecond later", |key| key.expiring(at(501)), true),
        ("expires at the very instant", |key| key.expiring(at(500)), false),
        ("expired a millisecond before", |key| key.expiring(at(499)), false),
        ("revoked before", |key| key.revoked(at(499)), false),
        ("revoked at the very instant", |key| key.revoked(at(500)), false),
        ("revoked ahead of the instant", |key| key.revoked(at(10_500)), false),
        ("revoked, and expires later", |key| key.revoked(at(499)).expiring(at(501)), false),
        ("revoked after it expired", |key| key.revoked(at(499)).expiring(at(498)), false),
        ("being replaced", |key| key.replaced().expiring(at(501)), false),
        ("replaced, and the overlap is over", |key| key.replaced().expiring(at(500)), false),
        ("replaced without an overlap", |key| key.replaced().revoked(at(499)), false),
    ];
    for (name, change, counts) in cases {
        let owner = user(name);
        put(&*store, &change(Sample::of(&owner))).await;
        let next = insert_request(&Sample::of(&owner), 1);
        let request = InsertKeyRequest { limit: limit(1, now), view: view(now, 0), ..next };
        let answer = store.insert_within(&request).await;
        let refused = matches!(answer, Ok(Insertion::LimitReached { .. }));
        let stored = matches!(answer, Ok(Insertion::Stored(_)));
        assert_eq!((refused, stored), (counts, !counts), "{name}: counts must be {counts}, got {answer:?}");
    }
}

/// A key that is being replaced does not count towards the maximum, but it is good: it is listed with the active keys,
/// for any number of shown ended keys, and found by its digest. When its overlap is over, the key has ended.
pub async fn keys_being_replaced_are_shown_and_do_not_count(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let replaced = Sample::of(&owner).created(at(-9)).replaced().expiring(at(100));
    let active = Sample::of(&owner).created(at(-8));
    put_all(&*store, &[replaced.clone(), active.clone()]).await;
    expect_full(&*store, &owner, 1, "the one place is taken").await;
    let next = Sample::of(&owner);
    let answer = insert(&*store, &next, 2).await;
    assert!(matches!(answer, Insertion::Stored(_)), "a key that is being replaced takes no place, got {answer:?}");

    let good = [next.key.clone(), active.key.clone(), replaced.key.clone()];
    let message = "a key that is being replaced must be listed like a good one";
    assert_eq!(list(&*store, &owner, view(at(99), 0)).await, good, "{message}");
    assert_eq!(list(&*store, &owner, view(at(100), 0)).await, good[..2], "when its overlap is over, a key has ended");
    assert_eq!(list(&*store, &owner, view(at(100), 1)).await, good, "a replaced key is listed among the ended ones");
    assert_eq!(find(&*store, &replaced).await, Some(replaced.key), "a key that is being replaced must be found");
}

/// The keys of other owners do not count.
pub async fn other_owners_keys_do_not_count(store: Arc<dyn KeyPorts>) {
    put_new(&*store, &user("bob"), 3).await;
    let answer = insert(&*store, &Sample::of(&user("alice")), 1).await;
    assert!(matches!(answer, Insertion::Stored(_)), "the keys of other owners must not count, got {answer:?}");
}

/// The list in the answer equals the list that `list` returns with the same view, and includes the new key.
pub async fn insertion_answers_with_the_list(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    put(&*store, &Sample::of(&user("bob"))).await;
    let ended = (1..=3).map(|n| Sample::of(&owner).created(at(n)).expiring(at(10 + n)));
    put_all(&*store, &ended.collect::<Vec<_>>()).await;
    for ended_max in [ALL_ENDED, 2, 0] {
        let sample = Sample::of(&owner).created(at(20));
        let seen = view(at(30), ended_max);
        let limit = limit(NO_LIMIT, at(30));
        let request = InsertKeyRequest { limit, view: seen, ..insert_request(&sample, NO_LIMIT) };
        let answer = store.insert_within(&request).await;
        let Ok(Insertion::Stored(keys)) = answer else { panic!("a key within the limit must be stored: {answer:?}") };
        assert!(keys.contains(&sample.key), "the answer's list must include the new key, got {keys:#?}");
        assert_eq!(keys, list(&*store, &owner, seen).await, "the answer's list must be what `list` answers");
    }
}

/// Repeatedly, 40 parallel insertions for 10 places: exactly 10 keys are stored, and 30 calls get `LimitReached`. The lists
/// in the answers show that the insertions happened in sequence.
pub async fn parallel_insertions_fill_the_room_exactly(store: Arc<dyn KeyPorts>) {
    for round in 0..4 {
        let owner = user(&format!("round {round}"));
        let calls = (0..40).map(|_| insertion(&store, &owner, 10)).collect();
        let answers = all_at_once(calls).await;
        let mut sizes: Vec<usize> = answers.iter().filter_map(stored_keys).map(Vec::len).collect();
        sizes.sort_unstable();
        assert_eq!(sizes.len(), 10, "of 40 parallel insertions for 10 places, so many were answered as stored");
        assert_eq!(all_keys(&*store, &owner).await.len(), 10, "what was answered as stored must be what is stored");
        let one_by_one: Vec<usize> = (1..=10).collect();
        assert_eq!(sizes, one_by_one, "each answer's list must be of the same transaction as its insertion");
    }
}

/// Members of an organization and the host insert at the same time: together they fill its places, and no more.
pub async fn members_and_the_host_fill_the_room_exactly(store: Arc<dyn KeyPorts>) {
    let (owner, member) = (user_of("organization:https://id.example", "acme"), user("amy"));
    let calls = (0..40).map(|n| insertion_by(&store, &owner, (n % 2 == 0).then_some(&member))).collect();
    let answers = all_at_once(calls).await;
    let stored = answers.iter().filter_map(stored_keys).count();
    assert_eq!(stored, 10, "of 40 parallel insertions by members and the host for 10 places, so many were stored");
    assert_eq!(all_keys(&*store, &owner).await.len(), 10, "what was answered as stored must be what is stored");
}

/// Two owners that insert at the same time both reach exactly their maximum, also an organization and the user with its
/// id.
pub async fn parallel_insertions_of_two_owners_fill_both_rooms(store: Arc<dyn KeyPorts>) {
    let owners = [user("alice"), user_of("organization:https://id.example", "alice")];
    let calls = (0..40).map(|n| insertion(&store, &owners[n % 2], 5)).collect();
    let answers = all_at_once(calls).await;
    for (index, owner) in owners.iter().enumerate() {
        let stored = answers.iter().skip(index).step_by(2).filter_map(stored_keys).count();
        assert_eq!(stored, 5, "each of two owners with 5 places must get 5 of 20 parallel keys");
        assert_eq!(all_keys(&*store, owner).await.len(), 5, "what was answered as stored must be what is stored");
    }
}

/// While keys are revoked and inserted at the same time, there are never more active keys than allowed, and every freed
/// place can be used.
pub async fn parallel_insertions_and_revocations_keep_the_limit(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let old = put_new(&*store, &owner, 8).await;
    let revocations = old.iter().map(|sample| revocation(&store, sample)).collect::<Vec<_>>();
    let insertions = (0..24).map(|_| insertion(&store, &owner, 8));
    let answers = all_at_once(revocations.into_iter().chain(insertions).collect()).await;
    let stored = answers.iter().filter(|answer| stored_keys(answer).is_some()).count();
    for answer in answers.iter().filter_map(stored_keys) {
        let active = answer.iter().filter(|key| key.is_active(at(0))).count();
        assert!(active <= 8, "never more active keys than 8, got {active}");
    }
    let active = all_keys(&*store, &owner).await.into_iter().filter(|key| key.is_active(at(0))).count();
    assert_eq!(active, stored, "after all old keys were revoked, the active ones are those answered as stored");
    for _ in active..8 {
        let answer = insert(&*store, &Sample::of(&owner), 8).await;
        assert!(matches!(answer, Insertion::Stored(_)), "a freed place must be filled, got {answer:?}");
    }
    expect_full(&*store, &owner, 8, "all 8 places are filled").await;
}

fn insertion(store: &Arc<dyn KeyPorts>, owner: &OwnerId, max: u32) -> Call<Insertion> {
    let (store, sample) = (Arc::clone(store), Sample::of(owner));
    Box::pin(async move { insert(&*store, &sample, max).await })
}

/// An insertion for 10 places, by this member or by the host.
fn insertion_by(store: &Arc<dyn KeyPorts>, owner: &OwnerId, member: Option<&OwnerId>) -> Call<Insertion> {
    let (store, request) = (Arc::clone(store), insert_request_by(owner, member, 10));
    Box::pin(async move { store.insert_within(&request).await.expect("an insertion is stored or refused as a value") })
}

/// A revocation as a call with the result type of an insertion.
fn revocation(store: &Arc<dyn KeyPorts>, sample: &Sample) -> Call<Insertion> {
    let (store, sample) = (Arc::clone(store), sample.clone());
    Box::pin(async move {
        let answer = revoke(&*store, &sample.key.owner, sample.id(), at(0)).await;
        assert!(matches!(answer, Revocation::Revoked { .. }), "a parallel revocation must succeed, got {answer:?}");
        Insertion::LimitReached { max: 0 }
    })
}

fn stored_keys(answer: &Insertion) -> Option<&Vec<ApiKey>> {
    match answer {
        Insertion::Stored(keys) => Some(keys),
        Insertion::LimitReached { .. } => None,
    }
}
