//! Replacing a key with its successor.

use std::slice;
use std::sync::Arc;

use crate::KeyPorts;
use domain::ports::{RotateKeyRequest, Rotation, StoreError};
use domain::{ApiKey, RotationRefusal, WebhookAccess};

use super::sample::{
    ALL_ENDED, Replacement, Sample, all_keys, expect_full, expect_stored, find, find_by, list, purge, put, put_all,
    put_new, revoke, rotate, rotate_request, view,
};
use crate::sample::{at, user};

/// The old key and its successor are stored as `KeyRotation::decide` says, without an overlap and with one, for any
/// expiry; the answer names the old key's digest. The owner's other keys do not change.
pub async fn rotation_puts_a_successor_in_the_place_of_a_key(store: Arc<dyn KeyPorts>) {
    let kinds: [fn(Sample) -> Sample; 4] = [
        |key| key,
        |key| key.used(at(-7)).scoped(""),
        |key| key.expiring(at(150)).labelled("Ends in the overlap"),
        |key| key.expiring(at(90_000_000)),
    ];
    for (index, kind) in kinds.into_iter().enumerate() {
        for overlap_millis in [0, 1, 100] {
            let owner = user(&format!("user {index}, overlap {overlap_millis}"));
            let beside = [Sample::of(&owner), Sample::of(&owner).revoked(at(1)), Sample::of(&user("bystander"))];
            let old = kind(Sample::of(&owner).created(at(-50)));
            put_all(&*store, &beside).await;
            put(&*store, &old).await;
            let replacement = Replacement::at(at(100), overlap_millis);
            let answer = rotate(&*store, &old, &replacement).await;
            let Rotation::Rotated { replaced, .. } = answer else { panic!("a good key must be rotated: {answer:?}") };
            assert_eq!(replaced, old.digest, "a rotation must answer with the old key's digest");
            let expected = replacement.rotation.decide(&old.key, 0).expect("a good key can be rotated");
            let (found, successor) = (find(&*store, &old).await, find_by(&*store, &replacement.digest).await);
            assert_eq!(found, Some(expected.replaced), "the old key must become what the rotation decides");
            assert_eq!(successor, Some(expected.successor), "the successor must be what the rotation decides");
            expect_stored(&*store, &beside, "a rotation must change no other key").await;
        }
    }
}

/// At the maximum a key can be rotated, with an overlap and without, and the number of active keys stays.
pub async fn rotation_needs_no_room(store: Arc<dyn KeyPorts>) {
    for overlap_millis in [0, 100] {
        let owner = user(&format!("overlap {overlap_millis}"));
        let samples = put_new(&*store, &owner, 3).await;
        for sample in &samples {
            let answer = rotate(&*store, sample, &Replacement::at(at(0), overlap_millis).overlapping(3)).await;
            assert!(matches!(answer, Rotation::Rotated { .. }), "at the maximum a key is rotated, got {answer:?}");
            let active = all_keys(&*store, &owner).await.into_iter().filter(|key| key.is_active(at(0))).count();
            assert_eq!(active, 3, "a rotation must not change how many keys are active");
            expect_full(&*store, &owner, 3, "a rotation must free no place").await;
        }
    }
}

/// A revoked key is refused as revoked, an expired one as expired, to the millisecond, and a disabled one as disabled.
/// No key changes.
pub async fn an_ended_key_is_not_rotated(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let cases = [
        (Sample::of(&owner).revoked(at(99)), RotationRefusal::Revoked),
        (Sample::of(&owner).revoked(at(10_000)), RotationRefusal::Revoked), // another instance's clock is ahead
        (Sample::of(&owner).revoked(at(99)).expiring(at(50)), RotationRefusal::Revoked),
        (Sample::of(&owner).expiring(at(99)), RotationRefusal::Expired),
        (Sample::of(&owner).expiring(at(100)), RotationRefusal::Expired),
        (Sample::of(&owner).disabled(at(50)), RotationRefusal::Disabled),
    ];
    for (sample, refusal) in cases {
        put(&*store, &sample).await;
        for overlap_millis in [0, 100] {
            expect_refused(&*store, &sample, &Replacement::at(at(100), overlap_millis), refusal).await;
        }
    }
    let good = Sample::of(&owner).expiring(at(101));
    put(&*store, &good).await;
    let answer = rotate(&*store, &good, &Replacement::at(at(100), 0)).await;
    assert!(matches!(answer, Rotation::Rotated { .. }), "a key that expires a millisecond later is good: {answer:?}");
}

/// A key that was rotated is refused from then on, during its overlap and afterwards, and the refusal names its
/// successor. No key changes. Its successor can be rotated.
pub async fn a_key_is_rotated_once(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    for (overlap_millis, later) in [(100, 50), (100, 150), (0, 50)] {
        let sample = Sample::of(&owner);
        put(&*store, &sample).await;
        let first = Replacement::at(at(0), overlap_millis);
        rotate(&*store, &sample, &first).await;
        let refusal = RotationRefusal::Replaced(first.rotation.successor);
        for overlap_millis in [0, 100] {
            expect_refused(&*store, &sample, &Replacement::at(at(later), overlap_millis), refusal).await;
        }
        let key = find_by(&*store, &first.digest).await.expect("the successor is stored");
        let successor = Sample { key, digest: first.digest };
        let answer = rotate(&*store, &successor, &Replacement::at(at(later), 100)).await;
        assert!(matches!(answer, Rotation::Rotated { .. }), "a successor can be rotated, got {answer:?}");
    }
}

/// When the most keys allowed are being replaced at the rotation's instant, another overlap is refused; a rotation
/// without an overlap succeeds. Overlaps that have ended or belong to other owners do not count.
pub async fn overlaps_stop_at_their_limit(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let not_counted = [
        Sample::of(&owner).replaced().expiring(at(100)),
        Sample::of(&owner).replaced().revoked(at(99)).expiring(at(500)),
        Sample::of(&owner).expiring(at(500)),
        Sample::of(&user("bob")).replaced().expiring(at(500)),
    ];
    let samples: Vec<Sample> = (0..4).map(|_| Sample::of(&owner)).collect();
    put_all(&*store, &not_counted).await;
    put_all(&*store, &samples).await;
    for sample in &samples[..2] {
        let answer = rotate(&*store, sample, &Replacement::at(at(100), 50).overlapping(2)).await;
        assert!(matches!(answer, Rotation::Rotated { .. }), "fewer than 2 overlap at this instant, got {answer:?}");
    }
    let refusal = RotationRefusal::OverlapLimitReached;
    for max in [2, 1, 0] {
        expect_refused(&*store, &samples[2], &Replacement::at(at(149), 50).overlapping(max), refusal).await;
    }
    let answer = rotate(&*store, &samples[2], &Replacement::at(at(149), 0).overlapping(2)).await;
    assert!(matches!(answer, Rotation::Rotated { .. }), "without an overlap no limit of them counts, got {answer:?}");
    let answer = rotate(&*store, &samples[3], &Replacement::at(at(150), 50).overlapping(2)).await;
    assert!(matches!(answer, Rotation::Rotated { .. }), "overlaps that are over must not count, got {answer:?}");
}

/// A key with more access to webhooks than the caller is refused: the caller would get its successor's secret. The key
/// does not change. A key with the same access or less is rotated.
pub async fn a_key_beyond_the_caller_is_not_rotated(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    for access in [None, Some(WebhookAccess::Read), Some(WebhookAccess::Write)] {
        for scopes in ["", "orders:read", "webhooks:read", "webhooks:write"] {
            let sample = Sample::of(&owner).scoped(scopes);
            put(&*store, &sample).await;
            let replacement = Replacement::at(at(0), 100).within(access);
            if WebhookAccess::of_key(&sample.key.scopes) > access {
                expect_refused(&*store, &sample, &replacement, RotationRefusal::ExceedsCaller).await;
            } else {
                let answer = rotate(&*store, &sample, &replacement).await;
                assert!(matches!(answer, Rotation::Rotated { .. }), "{scopes:?} is within {access:?}, got {answer:?}");
            }
        }
    }
}

/// An id that is not stored is `NotFound`, and no successor is stored.
pub async fn rotating_an_unknown_key_changes_nothing(store: Arc<dyn KeyPorts>) {
    let (known, unknown) = (Sample::of(&user("alice")), Sample::of(&user("alice")));
    for stored in [&[][..], slice::from_ref(&known.key)] {
        let replacement = Replacement::at(at(1), 100);
        assert_eq!(rotate(&*store, &unknown, &replacement).await, Rotation::NotFound, "the id is not stored");
        assert_eq!(find_by(&*store, &replacement.digest).await, None, "no successor must be stored");
        assert_eq!(all_keys(&*store, &known.key.owner).await, stored, "rotating an unknown key must change nothing");
        if stored.is_empty() {
            put(&*store, &known).await;
        }
    }
}

/// Another user's key is `NotOwned`, good or not, and no successor is stored.
pub async fn rotating_another_users_key_changes_nothing(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let samples = [Sample::of(&owner), Sample::of(&owner).revoked(at(7)), Sample::of(&owner).replaced()];
    put_all(&*store, &samples).await;
    for sample in &samples {
        let mut mallorys = sample.clone();
        mallorys.key.owner = user("mallory");
        let replacement = Replacement::at(at(1), 0);
        assert_eq!(rotate(&*store, &mallorys, &replacement).await, Rotation::NotOwned, "another user's key");
        assert_eq!(find(&*store, sample).await.as_ref(), Some(&sample.key), "another user's key must stay as it is");
        assert_eq!(find_by(&*store, &replacement.digest).await, None, "no successor must be stored");
        assert_eq!(all_keys(&*store, &user("mallory")).await, [], "no successor must be listed");
    }
}

/// A successor with a stored id or digest is `Duplicate`, whether that is the rotated key's or another owner's. The key
/// does not change, and can be rotated afterwards.
pub async fn a_stored_successor_is_refused(store: Arc<dyn KeyPorts>) {
    let (old, other) = (Sample::of(&user("alice")), Sample::of(&user("bob")).revoked(at(1)));
    put_all(&*store, &[old.clone(), other.clone()]).await;
    for taken in [&old, &other] {
        for overlap_millis in [0, 100] {
            let (mut same_id, mut same_digest) =
                (Replacement::at(at(1), overlap_millis), Replacement::at(at(1), overlap_millis));
            same_id.rotation.successor = taken.id();
            same_digest.digest = taken.digest;
            for replacement in [&same_id, &same_digest] {
                let answer = store.rotate(&rotate_request(&old, replacement)).await;
                let refused = matches!(answer, Err(StoreError::Duplicate { .. }));
                assert!(refused, "a stored successor must be refused as a duplicate, got {answer:?}");
                for sample in [&old, &other] {
                    let found = find(&*store, sample).await;
                    assert_eq!(found.as_ref(), Some(&sample.key), "a duplicate must change nothing");
                    let keys = all_keys(&*store, &sample.key.owner).await;
                    assert_eq!(keys, slice::from_ref(&sample.key), "a duplicate must change nothing");
                }
            }
            assert_eq!(find_by(&*store, &same_id.digest).await, None, "a refused successor must leave no digest");
        }
    }
    let answer = rotate(&*store, &old, &Replacement::at(at(1), 100)).await;
    assert!(matches!(answer, Rotation::Rotated { .. }), "after refusals the key can be rotated, got {answer:?}");
}

/// The purge may delete a successor before the key that it replaced. That key does not change, and still names the
/// successor.
pub async fn a_successor_may_be_purged_first(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let sample = Sample::of(&owner);
    put(&*store, &sample).await;
    let replacement = Replacement::at(at(0), 1_000);
    rotate(&*store, &sample, &replacement).await;
    revoke(&*store, &owner, replacement.rotation.successor, at(5)).await;
    assert_eq!(purge(&*store, at(6), 10).await, 1, "the successor has ended");
    assert_eq!(find_by(&*store, &replacement.digest).await, None, "a deleted successor is gone");
    let expected = replacement.rotation.decide(&sample.key, 0).expect("a good key can be rotated").replaced;
    assert_eq!(find(&*store, &sample).await, Some(expected), "the old key must name its successor still");
}

/// The list in the answer equals the list that `list` returns with the same view, and includes the successor.
pub async fn rotation_answers_with_the_list(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let samples: Vec<Sample> = (1..=4).map(|n| Sample::of(&owner).created(at(n))).collect();
    put_all(&*store, &samples).await;
    put(&*store, &Sample::of(&user("bob"))).await;
    for (index, (overlap_millis, ended_max)) in
        [(0, ALL_ENDED), (50, ALL_ENDED), (0, 0), (50, 1)].into_iter().enumerate()
    {
        let (replacement, seen) = (Replacement::at(at(10), overlap_millis), view(at(10), ended_max));
        let request = RotateKeyRequest { view: seen, ..rotate_request(&samples[index], &replacement) };
        let answer = store.rotate(&request).await;
        let Ok(Rotation::Rotated { keys, .. }) = answer else { panic!("a good key must be rotated: {answer:?}") };
        let shown = keys.iter().any(|key| key.id == replacement.rotation.successor);
        assert!(shown, "the answer's list must include the successor, got {keys:#?}");
        assert_eq!(keys, list(&*store, &owner, seen).await, "the answer's list must be what `list` answers");
    }
}

async fn expect_refused(store: &dyn KeyPorts, sample: &Sample, replacement: &Replacement, refusal: RotationRefusal) {
    let before: Vec<ApiKey> = all_keys(store, &sample.key.owner).await;
    let answer = rotate(store, sample, replacement).await;
    assert_eq!(answer, Rotation::Refused(refusal), "a rotation at {}", replacement.rotation.at);
    assert_eq!(all_keys(store, &sample.key.owner).await, before, "a refused rotation must change nothing");
    assert_eq!(find_by(store, &replacement.digest).await, None, "a refused successor must leave no digest");
}
