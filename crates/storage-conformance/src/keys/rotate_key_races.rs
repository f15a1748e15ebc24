//! Rotations in parallel with other rotations, insertions and revocations.

use std::sync::Arc;

use crate::KeyPorts;
use domain::ports::{InsertKeyRequest, Insertion, Revocation, Rotation};
use domain::{ApiKey, OwnerId, RotationRefusal};

use super::sample::{
    ALL_ENDED, Replacement, Sample, all_keys, find, find_by, insert_request, put, put_new, revoke, revoke_by_digests,
    rotate, view,
};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

/// Exactly one of several parallel rotations of one key succeeds. The others are refused, with the name of its successor.
/// One successor is stored, and the old key names it.
pub async fn parallel_rotations_of_one_key_store_one_successor(store: Arc<dyn KeyPorts>) {
    for round in 0..4 {
        let owner = user(&format!("round {round}"));
        let sample = Sample::of(&owner);
        put(&*store, &sample).await;
        let overlap = if round % 2 == 0 { 100 } else { 0 };
        let replacements: Vec<Replacement> = (0..16).map(|_| Replacement::at(at(0), overlap)).collect();
        let answers = all_at_once(replacements.iter().map(|one| rotation(&store, &sample, one)).collect()).await;
        let replaced_by = find(&*store, &sample).await.and_then(|key| key.replaced_by);
        let refusal = RotationRefusal::Replaced(replaced_by.expect("the old key must name its successor"));
        let mut successors = Vec::new();
        for (replacement, answer) in replacements.iter().zip(answers) {
            let stored = find_by(&*store, &replacement.digest).await;
            if let Rotation::Rotated { .. } = answer {
                successors.push(replacement.rotation.successor);
                assert!(stored.is_some(), "the successor that was answered must be stored");
            } else {
                assert_eq!(answer, Rotation::Refused(refusal), "the others must be refused");
                assert_eq!(stored, None, "a refused successor must not be stored");
            }
        }
        assert_eq!(successors.len(), 1, "of parallel rotations of one key exactly one must succeed");
        assert_eq!(replaced_by, successors.pop(), "the old key must name the one successor");
        assert_eq!(all_keys(&*store, &owner).await.len(), 2, "the old key and one successor must be stored");
    }
}

/// Of parallel rotations of different keys, the number that may overlap succeeds. The others are refused for that
/// reason.
pub async fn parallel_rotations_of_an_owner_keep_the_overlap_limit(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let samples = put_new(&*store, &owner, 16).await;
    let replacement = || Replacement::at(at(0), 100).overlapping(5);
    let answers = all_at_once(samples.iter().map(|one| rotation(&store, one, &replacement())).collect()).await;
    let (rotated, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| rotated_keys(answer).is_some());
    let reached = Rotation::Refused(RotationRefusal::OverlapLimitReached);
    assert!(refused.iter().all(|answer| **answer == reached), "the others must be refused, got {refused:?}");
    assert_eq!(rotated.len(), 5, "of 16 parallel rotations for 5 overlaps, so many were answered as done");
    let overlapping = all_keys(&*store, &owner).await.into_iter().filter(|key| key.is_being_replaced(at(0))).count();
    assert_eq!(overlapping, 5, "what was answered must be what is stored");
}

/// While keys are rotated and inserted at the same time, the active keys never exceed the maximum: every rotation
/// succeeds at the maximum and takes no place, and the last free place goes to one insertion.
pub async fn parallel_rotations_and_insertions_keep_the_limit(store: Arc<dyn KeyPorts>) {
    for round in 0..3 {
        let owner = user(&format!("round {round}"));
        let samples = put_new(&*store, &owner, 8).await;
        let rotations = samples.iter().map(|sample| rotation_beside(&store, sample, 50 * u64::from(round % 2 == 0)));
        let insertions: Vec<_> = (0..16).map(|_| insertion(&store, &owner, 9)).collect();
        let answers = all_at_once(rotations.chain(insertions).collect()).await;
        for (kind, keys) in answers.iter().filter_map(|(kind, keys)| Some((kind, keys.as_ref()?))) {
            let active = active(keys);
            assert!((8..=9).contains(&active), "8 or 9 keys must be active at any moment, {kind} saw {active}");
        }
        let inserted = answers.iter().filter(|(kind, keys)| *kind == "an insertion" && keys.is_some()).count();
        assert_eq!(inserted, 1, "the one free place must go to one insertion");
        assert_eq!(active(&all_keys(&*store, &owner).await), 9, "all 9 places must be taken");
    }
}

/// A rotation and a revocation of one key at the same time, by its owner or by digest: one comes wholly before the
/// other. Either the rotation finds the key revoked and has no effect, or the revocation finds it replaced.
pub async fn parallel_rotations_and_revocations_come_one_after_the_other(store: Arc<dyn KeyPorts>) {
    for by_digest in [false, true] {
        let owner = user(if by_digest { "by digest" } else { "by id" });
        let samples = put_new(&*store, &owner, 16).await;
        let replacements: Vec<Replacement> = samples.iter().map(|_| Replacement::at(at(10), 100)).collect();
        let pair =
            |(sample, replacement)| [rotation(&store, sample, replacement), revocation(&store, sample, by_digest)];
        let answers = all_at_once(samples.iter().zip(&replacements).flat_map(pair).collect()).await;
        for ((sample, replacement), answer) in samples.iter().zip(&replacements).zip(answers.iter().step_by(2)) {
            let expected = match answer {
                Rotation::Rotated { .. } => replacement.rotation.decide(&sample.key, 0).ok(),
                answer => {
                    let revoked = Rotation::Refused(RotationRefusal::Revoked);
                    assert_eq!(*answer, revoked, "a rotation beside a revocation succeeds or finds the key revoked");
                    None
                }
            };
            let found = find(&*store, sample).await;
            let old = expected.as_ref().map_or(&sample.key, |expected| &expected.replaced);
            let old = ApiKey { revoked_at: Some(at(20)), ..old.clone() };
            assert_eq!(found, Some(old), "the revocation must count, and the rotation as it was answered");
            let successor = find_by(&*store, &replacement.digest).await;
            assert_eq!(successor, expected.map(|expected| expected.successor), "a successor is stored as answered");
        }
    }
}

fn rotation(store: &Arc<dyn KeyPorts>, sample: &Sample, replacement: &Replacement) -> Call<Rotation> {
    let (store, sample, replacement) = (Arc::clone(store), sample.clone(), replacement.clone());
    Box::pin(async move { rotate(&*store, &sample, &replacement).await })
}

/// A revocation as a call with the result type of a rotation.
fn revocation(store: &Arc<dyn KeyPorts>, sample: &Sample, by_digest: bool) -> Call<Rotation> {
    let (store, sample) = (Arc::clone(store), sample.clone());
    Box::pin(async move {
        if by_digest {
            assert_eq!(revoke_by_digests(&*store, &[sample.digest], at(20)).await.len(), 1, "the one key is revoked");
        } else {
            let answer = revoke(&*store, &sample.key.owner, sample.id(), at(20)).await;
            let revoked = matches!(answer, Revocation::Revoked { .. });
            assert!(revoked, "a parallel revocation must succeed, got {answer:?}");
        }
        Rotation::NotFound
    })
}

/// The call, and the list in its answer.
type Seen = (&'static str, Option<Vec<ApiKey>>);

fn rotation_beside(store: &Arc<dyn KeyPorts>, sample: &Sample, overlap_millis: u64) -> Call<Seen> {
    let call = rotation(store, sample, &Replacement::at(at(0), overlap_millis));
    Box::pin(async move {
        let answer = call.await;
        let keys = rotated_keys(&answer).cloned();
        assert!(keys.is_some(), "a rotation needs no room, got {answer:?}");
        ("a rotation", keys)
    })
}

fn insertion(store: &Arc<dyn KeyPorts>, owner: &OwnerId, max: u32) -> Call<Seen> {
    let (store, request) = (Arc::clone(store), insert_request(&Sample::of(owner), max));
    let request = InsertKeyRequest { view: view(at(0), ALL_ENDED), ..request };
    Box::pin(async move {
        match store.insert_within(&request).await {
            Ok(Insertion::Stored(keys)) => ("an insertion", Some(keys)),
            Ok(Insertion::LimitReached { .. }) => ("an insertion", None),
            Err(error) => panic!("a parallel insertion must succeed or be refused as a value, got {error:?}"),
        }
    })
}

fn rotated_keys(answer: &Rotation) -> Option<&Vec<ApiKey>> {
    match answer {
        Rotation::Rotated { keys, .. } => Some(keys),
        _ => None,
    }
}

fn active(keys: &[ApiKey]) -> usize {
    keys.iter().filter(|key| key.is_active(at(0))).count()
}
