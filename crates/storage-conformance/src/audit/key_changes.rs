//! Changes of keys.

use std::sync::Arc;

use domain::audit::AuditEvent;
use domain::ports::{
    ChangeKeyRequest, InsertKeyRequest, Insertion, KeysOf, Retained, Revocation, RevokeDigestsRequest,
    RevokeKeyRequest, RevokeUserKeysRequest, RotateKeyRequest, Rotation,
};
use domain::{KeyChange, Timestamp};

use super::AuditedStores;
use super::sample::{all, cause, cause_of, expect_events, expect_no_more, expect_seen, second};
use crate::keys::sample::{ALL_ENDED, NO_LIMIT, Replacement, Sample, limit, view};
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
    let rotation = &replacement.rotation;
    let seen = view(second(2), ALL_ENDED);
    let answer = stores
        .keys
        .rotate(&RotateKeyRequest {
            owner: alice.clone(),
            id: samples[0].id(),
            rotation: rotation.clone(),
            digest: replacement.digest,
            view: seen,
            cause: by.clone(),
        })
        .await;
    assert!(matches!(answer, Ok(Rotation::Rotated { .. })), "the key is good, got {answer:?}");
    let rotated = rotation.decide(&samples[0].key, 0).expect("the key is good");
    expected.push(by.key_rotated(&samples[0].key, &rotated));

    let by = cause_of(&user("operator"), second(3));
    stores
        .keys
        .revoke(&RevokeKeyRequest {
            owner: alice.clone(),
            id: samples[1].id(),
            at: second(3),
            view: seen,
            cause: by.clone(),
        })
        .await
        .expect("a revocation succeeds");
    expected.extend(by.keys_revoked([(alice.clone(), samples[1].id())]));
    let by = cause(second(4));
    let digests = [samples[4].digest, samples[1].digest];
    stores
        .keys
        .revoke_by_digests(&RevokeDigestsRequest { digests: digests.to_vec(), at: second(4), cause: by.clone() })
        .await
        .expect("a report succeeds");
    expected.extend(by.keys_leaked([&samples[4].key]));
    let by = cause(second(5));
    let revoked = stores
        .keys
        .revoke_user_keys(&RevokeUserKeysRequest {
            of: KeysOf::Owner(alice.clone()),
            created_before: Timestamp::MAX,
            at: second(5),
            max: 100,
            cause: by.clone(),
        })
        .await;
    assert_eq!(revoked.expect("a revocation succeeds").len(), 4, "two keys, the rotated one and its successor");
    expect_these_and_four_of(
        &stores,
        expected,
        by.keys_revoked([0, 2, 3].map(|one| (alice.clone(), samples[one].id()))),
    )
    .await;
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
    let (alice, seen) = (user("alice"), view(second(2), ALL_ENDED));
    let (kept, revoked, late) = (Sample::of(&alice), Sample::of(&alice), Sample::of(&alice));
    let mut expected = Vec::new();
    for (sample, overlap_millis) in [(&kept, 60_000), (&revoked, 60_000), (&late, 2_000)] {
        let (replacement, by) = (Replacement::at(second(2), overlap_millis), cause(second(2)));
        let created = cause(second(1));
        create(&stores, sample, NO_LIMIT, &created).await;
        let (rotation, digest) = (&replacement.rotation, &replacement.digest);
        let answer = stores
            .keys
            .rotate(&RotateKeyRequest {
                owner: alice.clone(),
                id: sample.id(),
                rotation: rotation.clone(),
                digest: *digest,
                view: seen,
                cause: by.clone(),
            })
            .await;
        assert!(matches!(answer, Ok(Rotation::Rotated { .. })), "the key is good, got {answer:?}");
        let rotated = rotation.decide(&sample.key, 0).expect("the key is good");
        expected.extend([created.key_created(&sample.key), by.key_rotated(&sample.key, &rotated)]);
        let revoke = async |id, seconds| {
            let by = cause(second(seconds));
            stores
                .keys
                .revoke(&RevokeKeyRequest {
                    owner: alice.clone(),
                    id,
                    at: second(seconds),
                    view: seen,
                    cause: by.clone(),
                })
                .await
                .expect("a revocation succeeds");
            by
        };
        if sample.id() == revoked.id() {
            expected.extend(revoke(revoked.id(), 3).await.keys_revoked([(alice.clone(), revoked.id())]));
        }
        let by = revoke(rotation.successor, 4).await;
        let is_kept = sample.id() == kept.id();
        let left = if is_kept {
            by.key_revoked(rotation.successor, &alice, &[rotated.replaced], second(4))
        } else {
            by.keys_revoked([(alice.clone(), rotation.successor)])
        };
        assert_eq!(left.len(), 1 + usize::from(is_kept), "a notice of the key that is good");
        expected.extend(left);
        revoke(rotation.successor, 5).await;
    }
    expect_events(&*stores.audit, expected, "the key that is good must leave an event, and no other").await;
    expect_seen(&stores).await;
}

/// A call that is refused, finds no key, or has no effect leaves no event.
pub async fn calls_that_change_no_key_leave_no_event(stores: Arc<AuditedStores>) {
    let alice = user("alice");
    let sample = Sample::of(&alice);
    create(&stores, &sample, NO_LIMIT, &cause(second(1))).await;
    let (keys, seen) = (&stores.keys, view(at(0), ALL_ENDED));
    let full = create(&stores, &Sample::of(&alice), 1, &cause(second(2))).await;
    assert_eq!(full, Some(Insertion::LimitReached { max: 1 }), "one key is the maximum");
    expect_no_more(&stores, 1, "an insertion beyond the maximum").await;
    assert_eq!(create(&stores, &sample, NO_LIMIT, &cause(second(2))).await, None, "the id is stored");
    expect_no_more(&stores, 1, "a duplicate").await;
    let unknown = Sample::of(&alice);
    for (owner, id) in [(user("mallory"), sample.id()), (alice.clone(), unknown.id())] {
        let answer = keys
            .revoke(&RevokeKeyRequest { owner: owner.clone(), id, at: second(3), view: seen, cause: cause(second(3)) })
            .await;
        assert!(matches!(answer, Ok(Revocation::NotOwned | Revocation::NotFound)), "got {answer:?}");
        let replacement = Replacement::at(second(3), 0);
        let (rotation, digest) = (&replacement.rotation, &replacement.digest);
        let answer = keys
            .rotate(&RotateKeyRequest {
                owner: owner.clone(),
                id,
                rotation: rotation.clone(),
                digest: *digest,
                view: seen,
                cause: cause(second(3)),
            })
            .await;
        assert!(matches!(answer, Ok(Rotation::NotOwned | Rotation::NotFound)), "got {answer:?}");
    }
    expect_no_more(&stores, 1, "a call for a key that is unknown or another user's").await;
    revoke_again(&stores, &sample).await;
    let unknown = keys
        .revoke_by_digests(&RevokeDigestsRequest {
            digests: vec![unknown.digest],
            at: second(5),
            cause: cause(second(5)),
        })
        .await;
    assert_eq!(unknown.expect("a report succeeds"), [], "the key is not stored");
    keys.purge(Retained::Keys, second(9), 10).await.expect("a purge succeeds");
    expect_no_more(&stores, 2, "a call that finds no key, and a purge").await;
}

/// Revokes the key, and repeats it in each way.
async fn revoke_again(stores: &AuditedStores, sample: &Sample) {
    let (keys, owner, seen) = (&stores.keys, &sample.key.owner, view(at(0), ALL_ENDED));
    for seconds in [4, 5] {
        let answer = keys
            .revoke(&RevokeKeyRequest {
                owner: owner.clone(),
                id: sample.id(),
                at: second(seconds),
                view: seen,
                cause: cause(second(seconds)),
            })
            .await;
        assert!(matches!(answer, Ok(Revocation::Revoked { .. })), "got {answer:?}");
    }
    expect_no_more(stores, 2, "a revocation of a key that is revoked").await;
    keys.revoke_by_digests(&RevokeDigestsRequest {
        digests: vec![sample.digest],
        at: second(5),
        cause: cause(second(5)),
    })
    .await
    .expect("a report succeeds");
    let none = keys
        .revoke_user_keys(&RevokeUserKeysRequest {
            of: KeysOf::Owner(owner.clone()),
            created_before: Timestamp::MAX,
            at: second(5),
            max: 10,
            cause: cause(second(5)),
        })
        .await;
    assert_eq!(none.expect("a revocation succeeds"), [], "no key is left");
    let replacement = Replacement::at(second(5), 0);
    let (rotation, digest) = (&replacement.rotation, &replacement.digest);
    let answer = keys
        .rotate(&RotateKeyRequest {
            owner: owner.clone(),
            id: sample.id(),
            rotation: rotation.clone(),
            digest: *digest,
            view: seen,
            cause: cause(second(5)),
        })
        .await;
    assert!(matches!(answer, Ok(Rotation::Refused(_))), "a revoked key is not rotated, got {answer:?}");
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
                let (owner, by, seen) = (&sample.key.owner, cause(second(2)), view(at(0), 0));
                if number % 2 == 0 {
                    drop(
                        stores
                            .keys
                            .revoke(&RevokeKeyRequest {
                                owner: owner.clone(),
                                id: sample.id(),
                                at: second(2),
                                view: seen,
                                cause: by.clone(),
                            })
                            .await
                            .expect("succeeds"),
                    );
                } else {
                    drop(
                        stores
                            .keys
                            .revoke_by_digests(&RevokeDigestsRequest {
                                digests: vec![sample.digest],
                                at: second(2),
                                cause: by.clone(),
                            })
                            .await
                            .expect("succeeds"),
                    );
                }
            })
        });
        all_at_once(calls.collect()).await;
        expect_no_more(&stores, 2 * (round + 1), "all parallel revocations but one").await;
    }
    expect_events_of_each(&stores).await;
}

async fn expect_events_of_each(stores: &AuditedStores) {
    let found = all(&*stores.audit).await;
    expect_events(&*stores.audit, found, "a list shows the same again").await;
}

/// `None` when it is stored already.
async fn create(stores: &AuditedStores, sample: &Sample, max: u32, cause: &domain::audit::Cause) -> Option<Insertion> {
    let answer = stores
        .keys
        .insert_within(&InsertKeyRequest {
            key: sample.key.clone(),
            digest: sample.digest,
            limit: limit(max, at(0)),
            view: view(at(0), 0),
            cause: cause.clone(),
        })
        .await;
    match answer {
        Ok(insertion) => Some(insertion),
        Err(domain::ports::StoreError::Duplicate { .. }) => None,
        Err(error) => panic!("an insertion must succeed or be refused: {error}"),
    }
}
