//! Changes of keys.

use std::sync::Arc;

use domain::audit::{AuditEvent, Cause};
use domain::ports::{
    ChangeKeyRequest, InsertKeyRequest, Insertion, Revocation, RevokeDigestsRequest, RevokeKeyRequest,
    RevokeUserKeysRequest, RotateKeyRequest, Rotation, StoreError,
};
use domain::{CredentialDigest, KeyChange, KeyId, OwnerId, Timestamp};

use super::AuditedStores;
use super::sample::{all, cause, cause_of, expect_events, expect_no_more, expect_seen, second};
use crate::keys::sample::{
    ALL_ENDED, NO_LIMIT, Replacement, Sample, insert_request, limit, purge, revoke_all_request, revoke_request,
    rotate_request, view,
};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

/// Creation, rotation, revocation, a report of leaks and a revocation of all keys each leave the events of their cause:
/// one for each key that changes.
pub async fn changes_of_keys_leave_their_events(stores: Arc<AuditedStores>) {
    let (alice, bob) = (user("alice"), user("bob"));
    let samples: Vec<Sample> = (0..4).map(|_| Sample::of(&alice)).chain([Sample::of(&bob)]).collect();
    let mut expected = Vec::new();
    for sample in &samples {
        let cause = cause(second(1));
        create(&stores, sample, NO_LIMIT, &cause).await;
        expected.push(cause.key_created(&sample.key));
    }
    expected.extend(disable_twice(&stores, &samples[4]).await);
    let (replacement, by) = (Replacement::at(second(2), 60_000), cause(second(2)));
    let answer = rotate(&stores, &samples[0], &replacement, &by).await;
    assert!(matches!(answer, Rotation::Rotated { .. }), "the key is good, got {answer:?}");
    let rotated = replacement.rotation.decide(&samples[0].key, 0).expect("the key is good");
    expected.push(by.key_rotated(&samples[0].key, &rotated));

    let by = cause_of(&user("operator"), second(3));
    revoke(&stores, &alice, samples[1].id(), second(3), &by).await;
    expected.extend(by.keys_revoked([(alice.clone(), samples[1].id())]));
    let by = cause(second(4));
    report(&stores, &[samples[4].digest, samples[1].digest], second(4), &by).await;
    expected.extend(by.keys_leaked([&samples[4].key]));
    let by = cause(second(5));
    let revoked = revoke_all(&stores, &alice, second(5), &by).await;
    assert_eq!(revoked, 4, "two keys, the rotated one and its successor");
    let last = by.keys_revoked([0, 2, 3].map(|one| (alice.clone(), samples[one].id())));
    expect_these_and_four_of(&stores, expected, last).await;
    expect_seen(&stores).await;
}

/// Disables the key twice, and returns the event. The second call has no effect and no event.
async fn disable_twice(stores: &AuditedStores, sample: &Sample) -> Option<AuditEvent> {
    let by = cause(second(1));
    let change = KeyChange { is_disabled: Some(true), ..KeyChange::default() };
    let (owner, id) = (sample.key.owner.clone(), sample.id());
    let request = ChangeKeyRequest { owner, id, change: change.clone(), at: second(1), cause: by.clone() };
    stores.keys.change(&request).await.expect("a change succeeds");
    let again = ChangeKeyRequest { cause: cause(second(1)), ..request };
    stores.keys.change(&again).await.expect("a change that changes nothing succeeds");
    by.key_changed(&sample.key, &change.decide(&sample.key, second(1)).expect("the key is good"))
}

/// The log has these events, and after them one for each of four keys, in any order: three known ones, and the
/// successor.
async fn expect_these_and_four_of(stores: &AuditedStores, expected: Vec<AuditEvent>, last: Vec<AuditEvent>) {
    let found = all(&*stores.audit).await;
    let (ours, others): (Vec<AuditEvent>, Vec<AuditEvent>) =
        found.into_iter().partition(|event| event.at() == second(5));
    assert_eq!(others.len(), expected.len(), "each change must leave one event, got {others:#?}");
    for event in &expected {
        assert!(others.contains(event), "{event:#?} must be in the log, got {others:#?}");
    }
    assert_eq!(ours.len(), 4, "each key that is revoked must leave an event, got {ours:#?}");
    for known in last {
        let is_it = |event: &&AuditEvent| event.target == known.target && event.action == known.action;
        let event = ours.iter().find(is_it).expect("each revoked key must be named");
        assert_eq!((&event.owner, &event.origin), (&known.owner, &known.origin), "by whom");
    }
}

/// The creation of the last key that fits leaves another event, of the maximum.
pub async fn the_last_key_that_fits_leaves_another_event(stores: Arc<AuditedStores>) {
    let alice = user("alice");
    let mut expected = Vec::new();
    for (number, sample) in (0..).zip([Sample::of(&alice).revoked(at(0)), Sample::of(&alice), Sample::of(&alice)]) {
        let by = cause(second(number));
        create(&stores, &sample, 2, &by).await;
        expected.push(by.key_created(&sample.key));
        if number == 2 {
            let reached = by.key_limit_reached(&sample.key, 1, limit(2, at(0)));
            expected.push(reached.expect("two keys are the maximum"));
        }
    }
    expect_events(&*stores.audit, expected, "the last key must leave an event of the maximum, and no other").await;
    expect_seen(&stores).await;
}

/// The revocation of a successor leaves another event of the key that it replaces: this key expires, and has no successor.
/// It does so once, and only while that key is good.
pub async fn a_key_that_loses_its_successor_leaves_another_event(stores: Arc<AuditedStores>) {
    let alice = user("alice");
    let (kept, revoked, late) = (Sample::of(&alice), Sample::of(&alice), Sample::of(&alice));
    let mut expected = Vec::new();
    for (sample, overlap_millis) in [(&kept, 60_000), (&revoked, 60_000), (&late, 2_000)] {
        let (replacement, by) = (Replacement::at(second(2), overlap_millis), cause(second(2)));
        let created = cause(second(1));
        create(&stores, sample, NO_LIMIT, &created).await;
        let answer = rotate(&stores, sample, &replacement, &by).await;
        assert!(matches!(answer, Rotation::Rotated { .. }), "the key is good, got {answer:?}");
        let successor = replacement.rotation.successor;
        let rotated = replacement.rotation.decide(&sample.key, 0).expect("the key is good");
        expected.extend([created.key_created(&sample.key), by.key_rotated(&sample.key, &rotated)]);
        let revoke = async |id, seconds| {
            let by = cause(second(seconds));
            revoke(&stores, &alice, id, second(seconds), &by).await;
            by
        };
        if sample.id() == revoked.id() {
            expected.extend(revoke(revoked.id(), 3).await.keys_revoked([(alice.clone(), revoked.id())]));
        }
        let by = revoke(successor, 4).await;
        let is_kept = sample.id() == kept.id();
        let left = if is_kept {
            by.key_revoked(successor, &alice, &[rotated.replaced], second(4))
        } else {
            by.keys_revoked([(alice.clone(), successor)])
        };
        assert_eq!(left.len(), 1 + usize::from(is_kept), "a notice of the key that is good");
        expected.extend(left);
        revoke(successor, 5).await;
    }
    expect_events(&*stores.audit, expected, "the key that is good must leave an event, and no other").await;
    expect_seen(&stores).await;
}

/// A call that is refused, finds no key, or has no effect leaves no event.
pub async fn calls_that_change_no_key_leave_no_event(stores: Arc<AuditedStores>) {
    let alice = user("alice");
    let sample = Sample::of(&alice);
    create(&stores, &sample, NO_LIMIT, &cause(second(1))).await;
    let full = create(&stores, &Sample::of(&alice), 1, &cause(second(2))).await;
    assert_eq!(full, Some(Insertion::LimitReached { max: 1 }), "one key is the maximum");
    expect_no_more(&stores, 1, "an insertion beyond the maximum").await;
    assert_eq!(create(&stores, &sample, NO_LIMIT, &cause(second(2))).await, None, "the id is stored");
    expect_no_more(&stores, 1, "a duplicate").await;
    let (mut mallorys, unknown) = (sample.clone(), Sample::of(&alice));
    mallorys.key.owner = user("mallory");
    for one in [&mallorys, &unknown] {
        let answer = revoke(&stores, &one.key.owner, one.id(), second(3), &cause(second(3))).await;
        assert!(matches!(answer, Revocation::NotOwned | Revocation::NotFound), "got {answer:?}");
        let answer = rotate(&stores, one, &Replacement::at(second(3), 0), &cause(second(3))).await;
        assert!(matches!(answer, Rotation::NotOwned | Rotation::NotFound), "got {answer:?}");
    }
    expect_no_more(&stores, 1, "a call for a key that is unknown or another user's").await;
    revoke_again(&stores, &sample).await;
    let reported = report(&stores, &[unknown.digest], second(5), &cause(second(5))).await;
    assert_eq!(reported, 0, "the key is not stored");
    purge(&*stores.keys, second(9), 10).await;
    expect_no_more(&stores, 2, "a call that finds no key, and a purge").await;
}

/// Revokes the key, and repeats it in each way.
async fn revoke_again(stores: &AuditedStores, sample: &Sample) {
    let owner = &sample.key.owner;
    for seconds in [4, 5] {
        let answer = revoke(stores, owner, sample.id(), second(seconds), &cause(second(seconds))).await;
        assert!(matches!(answer, Revocation::Revoked { .. }), "got {answer:?}");
    }
    expect_no_more(stores, 2, "a revocation of a key that is revoked").await;
    report(stores, &[sample.digest], second(5), &cause(second(5))).await;
    assert_eq!(revoke_all(stores, owner, second(5), &cause(second(5))).await, 0, "no key is left");
    let answer = rotate(stores, sample, &Replacement::at(second(5), 0), &cause(second(5))).await;
    assert!(matches!(answer, Rotation::Refused(_)), "a revoked key is not rotated, got {answer:?}");
    expect_no_more(stores, 2, "a further call for a revoked key").await;
}

/// Of parallel revocations of one key, one leaves the event.
pub async fn parallel_revocations_leave_one_event(stores: Arc<AuditedStores>) {
    for round in 0..5_usize {
        let sample = Sample::of(&user(&format!("round {round}")));
        create(&stores, &sample, NO_LIMIT, &cause(second(1))).await;
        let calls = (0..12).map(|number| -> Call<()> {
            let (stores, sample) = (Arc::clone(&stores), sample.clone());
            Box::pin(async move {
                let by = cause(second(2));
                if number % 2 == 0 {
                    revoke(&stores, &sample.key.owner, sample.id(), second(2), &by).await;
                } else {
                    report(&stores, &[sample.digest], second(2), &by).await;
                }
            })
        });
        all_at_once(calls.collect()).await;
        expect_no_more(&stores, 2 * (round + 1), "all parallel revocations but one").await;
    }
    let found = all(&*stores.audit).await;
    expect_events(&*stores.audit, found, "a list shows the same again").await;
}

/// `None` when it is stored already.
async fn create(stores: &AuditedStores, sample: &Sample, max: u32, by: &Cause) -> Option<Insertion> {
    let request = InsertKeyRequest { cause: by.clone(), ..insert_request(sample, max) };
    match stores.keys.insert_within(&request).await {
        Ok(insertion) => Some(insertion),
        Err(StoreError::Duplicate { .. }) => None,
        Err(error) => panic!("an insertion must succeed or be refused: {error}"),
    }
}

/// A rotation by the owner, which succeeds or is refused as a value.
async fn rotate(stores: &AuditedStores, sample: &Sample, replacement: &Replacement, by: &Cause) -> Rotation {
    let request = RotateKeyRequest { cause: by.clone(), ..rotate_request(sample, replacement) };
    stores.keys.rotate(&request).await.expect("a rotation succeeds")
}

/// A revocation, which succeeds or is refused as a value.
async fn revoke(stores: &AuditedStores, owner: &OwnerId, id: KeyId, at: Timestamp, by: &Cause) -> Revocation {
    let view = view(at, ALL_ENDED);
    let request = RevokeKeyRequest { view, cause: by.clone(), ..revoke_request(owner, id, at) };
    stores.keys.revoke(&request).await.expect("a revocation succeeds")
}

/// Revokes all keys of the owner, and returns their number.
async fn revoke_all(stores: &AuditedStores, owner: &OwnerId, at: Timestamp, by: &Cause) -> usize {
    let request = RevokeUserKeysRequest { cause: by.clone(), ..revoke_all_request(owner, at) };
    stores.keys.revoke_user_keys(&request).await.expect("a revocation succeeds").len()
}

/// Reports leaks of these digests, and returns the number of keys that have them.
async fn report(stores: &AuditedStores, digests: &[CredentialDigest], at: Timestamp, by: &Cause) -> usize {
    let request = RevokeDigestsRequest { digests: digests.to_vec(), at, cause: by.clone() };
    stores.keys.revoke_by_digests(&request).await.expect("a report succeeds").len()
}
