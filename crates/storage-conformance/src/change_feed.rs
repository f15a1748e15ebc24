//! What instances that share a store learn from each other: the promises of [`ChangeFeed`].
//!
//! What only a database can show (that a change is told by its stamp, and forgotten by its age) is left to the tests of
//! its adapter: this suite reads no clock and waits for nothing.

use std::time::Duration;

use domain::ports::{ChangeFeed, KeyChange, KeyChangeKind, KeyStore, RecentChanges, Revocation, Rotation};
use domain::{KeyDigest, KeyUse};
use tokio::task::yield_now;

use crate::racing::{Call, all_at_once};
use crate::sample::{Replacement, Sample, at, find, put, put_all, revoke, revoke_by_digests, rotate, user};
use crate::shared_suite::Instances;

/// Longer than any check here.
const WINDOW: Duration = Duration::from_hours(1);

/// A revocation, a revocation by digests and a rotation are told to each instance by the key's digest, whichever made
/// them: each once, in any number of reads. A key that is rotated and revoked has two changes.
pub async fn each_change_is_told_to_every_instance_once(instances: Instances) {
    let [here, there] = &instances;
    let owner = user("alice");
    let samples: Vec<Sample> = (0..4).map(|_| Sample::of(&owner)).collect();
    put_all(&**here, &samples).await;
    let mut expected = Vec::new();
    told_exactly(&instances, &expected).await;

    revoke(&**here, &owner, samples[0].id(), at(1)).await;
    expected.push(change(&samples[0], KeyChangeKind::Revoked));
    told_exactly(&instances, &expected).await;
    revoke_by_digests(&**there, &[samples[1].digest, samples[1].digest, samples[0].digest], at(2)).await;
    expected.push(change(&samples[1], KeyChangeKind::Revoked));
    told_exactly(&instances, &expected).await;
    rotate(&**there, &samples[2], &Replacement::at(at(3), 0)).await;
    rotate(&**here, &samples[3], &Replacement::at(at(3), 10_000)).await;
    expected.extend(samples[2..].iter().map(|sample| change(sample, KeyChangeKind::Rotated)));
    told_exactly(&instances, &expected).await;
    revoke(&**here, &owner, samples[3].id(), at(4)).await;
    expected.push(change(&samples[3], KeyChangeKind::Revoked));
    told_exactly(&instances, &expected).await;
}

/// A call that changes no key writes no change: what is stored, used, purged, refused, or done already.
pub async fn what_changes_nothing_is_not_told(instances: Instances) {
    let [here, there] = &instances;
    let (alice, bob) = (user("alice"), user("bob"));
    let (ended, good) = (Sample::of(&alice).revoked(at(-9_000)), Sample::of(&alice));
    put_all(&**here, &[ended.clone(), good.clone()]).await;
    here.record_uses(&[KeyUse { id: good.id(), at: at(1) }]).await.expect("recording uses must succeed");
    assert_eq!(revoke(&**there, &bob, good.id(), at(2)).await, Revocation::NotOwned);
    assert_eq!(revoke(&**there, &alice, Sample::of(&alice).id(), at(2)).await, Revocation::NotFound);
    assert!(matches!(revoke(&**there, &alice, ended.id(), at(2)).await, Revocation::Revoked { .. }));
    assert_eq!(revoke_by_digests(&**there, &[Sample::of(&alice).digest, ended.digest], at(2)).await.len(), 1);
    assert!(matches!(rotate(&**there, &ended, &Replacement::at(at(2), 0)).await, Rotation::Refused(_)));
    assert_eq!(here.purge_ended(at(-8_000), 10).await.expect("a purge must succeed"), 1);
    told_exactly(&instances, &[]).await;
}

/// More changes than were asked for are [`RecentChanges::TooMany`], never some of them.
pub async fn too_many_changes_are_not_told_in_part(instances: Instances) {
    let [here, there] = &instances;
    let owner = user("alice");
    let samples: Vec<Sample> = (0..5).map(|_| Sample::of(&owner)).collect();
    put_all(&**here, &samples).await;
    let digests: Vec<KeyDigest> = samples.iter().map(|sample| sample.digest).collect();
    revoke_by_digests(&**here, &digests, at(1)).await;
    for max in 0..7 {
        let answer = there.changes_within(WINDOW, max).await.expect("the feed must be readable");
        let told = matches!(&answer, RecentChanges::All(all) if all.len() == 5);
        assert!(told == (max >= 5), "of five changes at most {max} were asked for, got {answer:?}");
        assert!(told || answer == RecentChanges::TooMany, "too many changes must not be told in part, got {answer:?}");
    }
}

/// Any window is taken: none at all may tell of older changes too, and the longest tells of all.
pub async fn windows_of_any_length_are_taken(instances: Instances) {
    let [here, there] = &instances;
    let sample = Sample::of(&user("alice"));
    put(&**here, &sample).await;
    revoke(&**here, &user("alice"), sample.id(), at(1)).await;
    let revoked = change(&sample, KeyChangeKind::Revoked);
    for (window, surely) in [(Duration::ZERO, false), (Duration::from_nanos(1), false), (Duration::MAX, true)] {
        let answer = there.changes_within(window, 9).await.expect("the feed must take any window");
        let told = answer == RecentChanges::All(vec![revoked]);
        assert!(told || (!surely && answer == RecentChanges::All(Vec::new())), "within {window:?}: {answer:?}");
    }
}

/// Forgetting what is older than an hour leaves what is younger, however often.
pub async fn what_is_young_is_not_forgotten(instances: Instances) {
    let [here, there] = &instances;
    let sample = Sample::of(&user("alice"));
    put(&**here, &sample).await;
    revoke(&**here, &user("alice"), sample.id(), at(1)).await;
    for age in [WINDOW, Duration::MAX] {
        for instance in [here, there] {
            instance.forget_changes(age).await.expect("forgetting must succeed");
        }
        told_exactly(&instances, &[change(&sample, KeyChangeKind::Revoked)]).await;
    }
}

/// While keys are revoked in parallel, an answer is given only once every other instance is told: a read that begins
/// after it has the change.
pub async fn an_answered_change_is_told_at_once(instances: Instances) {
    for round in 0..5 {
        let owner = user(&format!("round {round}"));
        let samples: Vec<Sample> = (0..12).map(|_| Sample::of(&owner)).collect();
        put_all(&*instances[0], &samples).await;
        let calls = samples.into_iter().enumerate().map(|(n, sample)| -> Call<()> {
            let instances = instances.clone();
            Box::pin(async move {
                let [here, there] = [&instances[n % 2], &instances[(n + 1) % 2]];
                let kind = end(&**here, &sample, n).await;
                let told = changes(&**there).await;
                assert!(told.contains(&change(&sample, kind)), "an answered change must be told at once");
            })
        });
        all_at_once(calls.collect()).await;
    }
}

/// A change and its telling are one: whoever is told of it finds the key changed, and whoever finds the key changed is
/// told of it.
pub async fn a_change_and_its_telling_are_one(instances: Instances) {
    for round in 0..10 {
        let owner = user(&format!("round {round}"));
        let samples: Vec<Sample> = (0..6).map(|_| Sample::of(&owner)).collect();
        put_all(&*instances[0], &samples).await;
        let ending = samples.clone().into_iter().enumerate().map(|(n, sample)| -> Call<()> {
            let here = instances[0].clone();
            Box::pin(async move {
                end(&*here, &sample, n).await;
            })
        });
        let watching = samples.into_iter().map(|sample| -> Call<()> {
            let there = instances[1].clone();
            Box::pin(async move {
                loop {
                    let was_told = is_told(&changes(&*there).await, &sample);
                    let is_changed = find(&*there, &sample).await.as_ref() != Some(&sample.key);
                    assert!(is_changed || !was_told, "whoever is told of a change must find the key changed");
                    if is_changed {
                        let is_told = is_told(&changes(&*there).await, &sample);
                        return assert!(is_told, "whoever finds a key changed must be told of it");
                    }
                    // A store that never waits would let nobody else go on.
                    yield_now().await;
                }
            })
        });
        all_at_once(ending.chain(watching).collect()).await;
    }
}

/// Parallel calls that end the same key write one change of each kind.
pub async fn parallel_changes_of_one_key_are_told_once(instances: Instances) {
    let mut expected = Vec::new();
    for round in 0..5 {
        let owner = user(&format!("round {round}"));
        let sample = Sample::of(&owner);
        put(&*instances[0], &sample).await;
        let calls = (0..12).map(|n| -> Call<()> {
            let (instance, sample) = (instances[n % 2].clone(), sample.clone());
            Box::pin(async move {
                if n % 3 == 0 {
                    revoke_by_digests(&*instance, &[sample.digest], at(1)).await;
                } else {
                    revoke(&*instance, &sample.key.owner, sample.id(), at(1)).await;
                }
            })
        });
        all_at_once(calls.collect()).await;
        expected.push(change(&sample, KeyChangeKind::Revoked));
        told_exactly(&instances, &expected).await;
    }
}

/// Ends the key in one of the three ways.
async fn end(store: &dyn KeyStore, sample: &Sample, way: usize) -> KeyChangeKind {
    match way % 3 {
        0 => {
            revoke(store, &sample.key.owner, sample.id(), at(1)).await;
            KeyChangeKind::Revoked
        }
        1 => {
            revoke_by_digests(store, &[sample.digest], at(1)).await;
            KeyChangeKind::Revoked
        }
        _ => {
            rotate(store, sample, &Replacement::at(at(1), 0)).await;
            KeyChangeKind::Rotated
        }
    }
}

fn change(sample: &Sample, kind: KeyChangeKind) -> KeyChange {
    KeyChange { digest: sample.digest, kind }
}

fn is_told(changes: &[KeyChange], sample: &Sample) -> bool {
    changes.iter().any(|change| change.digest == sample.digest)
}

async fn changes(feed: &dyn ChangeFeed) -> Vec<KeyChange> {
    match feed.changes_within(WINDOW, 1_000).await.expect("the feed must be readable") {
        RecentChanges::All(changes) => changes,
        RecentChanges::TooMany => panic!("there are fewer than 1,000 changes"),
    }
}

/// Each instance is told of these and of nothing else, in any order.
async fn told_exactly(instances: &Instances, expected: &[KeyChange]) {
    for instance in instances {
        let told = changes(&**instance).await;
        let complete = expected.iter().all(|change| told.contains(change));
        assert!(complete && told.len() == expected.len(), "{expected:?} must be told, each once, got {told:?}");
    }
}
