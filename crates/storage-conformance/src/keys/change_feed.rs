//! Changes that instances with one store learn from each other: the promises of [`ChangeFeed`].
//!
//! The cases that only a database can show (a commit that stalls, another server behind the same address) are left to
//! the tests of its adapter: this suite reads no clock and does not wait.

use crate::KeyPorts;
use domain::ports::{ChangeFeed, CredentialChanges, FeedPosition, Revocation, Rotation};
use domain::{CredentialDigest, KeyChange, KeyUse, Timestamp};
use tokio::task::yield_now;

use super::sample::{
    Replacement, Sample, change, find, purge, put, put_all, put_new, revoke, revoke_by_digests, revoke_user_keys,
    rotate,
};
use crate::Instances;
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

/// More changes than any test here makes.
const CHANGES_MAX: u32 = 1_000;

/// A revocation, a revocation by digests or of all keys of a user, and a rotation reach each instance as the key's
/// digest, whichever instance made them: each change once over any number of reads. A key that is rotated and revoked
/// changes twice, and so does one that is revoked twice.
pub async fn each_change_reaches_every_instance_once(instances: Instances) {
    let [here, there] = &instances;
    let owner = user("alice");
    let samples = put_new(&**here, &owner, 4).await;
    let mut readers = Readers::new(&instances).await;
    readers.read_exactly(&[]).await;

    revoke(&**here, &owner, samples[0].id(), at(1)).await;
    readers.read_exactly(&[samples[0].digest]).await;
    revoke_by_digests(&**there, &[samples[1].digest, samples[1].digest, samples[0].digest], at(2)).await;
    readers.read_exactly(&[samples[1].digest, samples[0].digest]).await;
    rotate(&**there, &samples[2], &Replacement::at(at(3), 0)).await;
    rotate(&**here, &samples[3], &Replacement::at(at(3), 10_000)).await;
    readers.read_exactly(&[samples[2].digest, samples[3].digest]).await;
    readers.read_exactly(&[]).await;
    revoke(&**here, &owner, samples[3].id(), at(4)).await;
    revoke(&**there, &owner, samples[3].id(), at(4)).await;
    readers.read_exactly(&[samples[3].digest, samples[3].digest]).await;
    let bob = user("bob");
    let more = [Sample::of(&bob), Sample::of(&bob)];
    put_all(&**here, &more).await;
    revoke_user_keys(&**there, &bob, Timestamp::MAX, at(5), 100).await;
    readers.read_exactly(&more.each_ref().map(|sample| sample.digest)).await;
    let (disabled, wish) = (Sample::of(&owner), KeyChange { is_disabled: Some(true), ..KeyChange::default() });
    put(&**here, &disabled).await;
    change(&**there, &owner, disabled.id(), &wish, at(6)).await;
    readers.read_exactly(&[disabled.digest]).await;
    readers.read_exactly(&[]).await;
}

/// A call that is refused writes no change, and neither does one that stores a key, its use, or purges it.
pub async fn what_changes_no_answer_is_not_in_the_feed(instances: Instances) {
    let [here, there] = &instances;
    let (alice, bob) = (user("alice"), user("bob"));
    let (ended, good) = (Sample::of(&alice).revoked(at(-9_000)), Sample::of(&alice));
    let mut readers = Readers::new(&instances).await;
    put_all(&**here, &[ended.clone(), good.clone()]).await;
    here.record_uses(&[KeyUse { id: good.id(), at: at(1) }]).await.expect("recording uses must succeed");
    assert_eq!(revoke(&**there, &bob, good.id(), at(2)).await, Revocation::NotOwned);
    assert_eq!(revoke(&**there, &alice, Sample::of(&alice).id(), at(2)).await, Revocation::NotFound);
    assert_eq!(revoke_by_digests(&**there, &[Sample::of(&alice).digest], at(2)).await.len(), 0);
    assert!(matches!(rotate(&**there, &ended, &Replacement::at(at(2), 0)).await, Rotation::Refused(_)));
    assert_eq!(purge(&**here, at(-8_000), 10).await, 1);
    readers.read_exactly(&[]).await;
}

/// A revocation of a key that is revoked already is a change: the owner asks again because an instance accepts the key.
pub async fn a_revocation_that_is_asked_for_again_is_a_change(instances: Instances) {
    let [here, there] = &instances;
    let owner = user("alice");
    let ended = Sample::of(&owner).revoked(at(-9_000));
    put(&**here, &ended).await;
    let mut readers = Readers::new(&instances).await;
    assert!(matches!(revoke(&**there, &owner, ended.id(), at(2)).await, Revocation::Revoked { .. }));
    readers.read_exactly(&[ended.digest]).await;
    assert_eq!(revoke_by_digests(&**here, &[ended.digest], at(3)).await.len(), 1);
    readers.read_exactly(&[ended.digest]).await;
    let key = find(&**here, &ended).await.expect("the key must be stored");
    assert_eq!(key.revoked_at, Some(at(-9_000)), "the first revocation's time must stay");
}

/// More changes than the reader asked for, and a reader without a position, get [`CredentialChanges::OfAny`], never some of
/// the changes. The position that comes with it is good.
pub async fn changes_are_never_listed_in_part(instances: Instances) {
    let [here, there] = &instances;
    let owner = user("alice");
    let samples = put_new(&**here, &owner, 6).await;
    let start = read(&**there, None, CHANGES_MAX).await;
    assert_eq!(start.0, CredentialChanges::OfAny, "without a position any key may have changed");
    let digests: Vec<CredentialDigest> = samples[..5].iter().map(|sample| sample.digest).collect();
    revoke_by_digests(&**here, &digests, at(1)).await;
    for max in 0..7 {
        let (changes, position) = read(&**there, Some(&start.1), max).await;
        let is_listed = matches!(&changes, CredentialChanges::Of(all) if all.len() == 5);
        assert!(is_listed == (max >= 5), "a read of at most {max} of five changes, got {changes:?}");
        let is_any = changes == CredentialChanges::OfAny;
        assert!(is_listed || is_any, "changes must not be listed in part, got {changes:?}");
        let (none, _) = read(&**here, Some(&position), 1).await;
        assert_eq!(none, CredentialChanges::Of(Vec::new()), "the position must be behind the five changes");
    }
    let (_, position) = read(&**there, None, 0).await;
    revoke(&**here, &owner, samples[5].id(), at(2)).await;
    let (changes, _) = read(&**there, Some(&position), 1).await;
    let expected = CredentialChanges::Of(vec![samples[5].digest]);
    assert_eq!(changes, expected, "a position that was read without one must be good");
}

/// Forgetting the changes before a position keeps the later changes, after any number of calls.
pub async fn what_came_after_is_not_forgotten(instances: Instances) {
    let [here, there] = &instances;
    let owner = user("alice");
    let samples = [Sample::of(&owner), Sample::of(&owner)];
    put_all(&**here, &samples).await;
    revoke(&**here, &owner, samples[0].id(), at(1)).await;
    let (_, position) = read(&**there, None, CHANGES_MAX).await;
    revoke(&**here, &owner, samples[1].id(), at(1)).await;
    for instance in [here, there, here] {
        instance.forget_changes(&position).await.expect("forgetting must succeed");
        let (changes, _) = read(&**instance, Some(&position), CHANGES_MAX).await;
        assert_eq!(changes, CredentialChanges::Of(vec![samples[1].digest]));
    }
}

/// While keys are ended in parallel, a change is answered only once every other instance can read it: a read that begins
/// after the answer has it.
pub async fn an_answered_change_is_in_the_next_read(instances: Instances) {
    let (_, start) = read(&*instances[0], None, CHANGES_MAX).await;
    for round in 0..5 {
        let owner = user(&format!("round {round}"));
        let samples = put_new(&*instances[0], &owner, 12).await;
        let calls = samples.into_iter().enumerate().map(|(n, sample)| -> Call<()> {
            let (instances, start) = (instances.clone(), start.clone());
            Box::pin(async move {
                let [here, there] = [&instances[n % 2], &instances[(n + 1) % 2]];
                end(&**here, &sample, n).await;
                let changed = changes_since(&**there, &start).await;
                assert!(changed.contains(&sample.digest), "a change that is answered must be in the next read");
            })
        });
        all_at_once(calls.collect()).await;
    }
}

/// A change and its place in the feed are one: a reader of the change finds the key changed, and a reader of the changed
/// key finds the change.
pub async fn a_change_and_its_place_in_the_feed_are_one(instances: Instances) {
    let (_, start) = read(&*instances[0], None, CHANGES_MAX).await;
    for round in 0..10 {
        let owner = user(&format!("round {round}"));
        let samples = put_new(&*instances[0], &owner, 6).await;
        let ending = samples.clone().into_iter().enumerate().map(|(n, sample)| -> Call<()> {
            let here = instances[0].clone();
            Box::pin(async move { end(&*here, &sample, n).await })
        });
        let watching = samples.into_iter().map(|sample| -> Call<()> {
            let (there, start) = (instances[1].clone(), start.clone());
            Box::pin(async move {
                loop {
                    let was_read = changes_since(&*there, &start).await.contains(&sample.digest);
                    let is_changed = find(&*there, &sample).await.as_ref() != Some(&sample.key);
                    assert!(is_changed || !was_read, "a reader of a change must find the key changed");
                    if is_changed {
                        let is_read = changes_since(&*there, &start).await.contains(&sample.digest);
                        return assert!(is_read, "a reader of a changed key must find the change");
                    }
                    // A store that never waits would not let another call run.
                    yield_now().await;
                }
            })
        });
        all_at_once(ending.chain(watching).collect()).await;
    }
}

/// While keys are ended in parallel, a chain of reads has each change exactly once, in whatever order the changes are
/// committed.
pub async fn a_chain_of_reads_has_each_change_once(instances: Instances) {
    let owner = user("alice");
    let samples = put_new(&*instances[0], &owner, 60).await;
    let (_, start) = read(&*instances[1], None, CHANGES_MAX).await;
    let ending = samples.clone().into_iter().enumerate().map(|(n, sample)| -> Call<()> {
        let here = instances[n % 2].clone();
        Box::pin(async move { end(&*here, &sample, n).await })
    });
    let (feed, expected) = (instances[1].clone(), samples.iter().map(|sample| sample.digest).collect::<Vec<_>>());
    let reading: Call<()> = Box::pin(async move {
        let (mut position, mut chain) = (start, Vec::new());
        while chain.len() < expected.len() {
            let (changes, next) = read(&*feed, Some(&position), CHANGES_MAX).await;
            let CredentialChanges::Of(digests) = changes else {
                panic!("a chain of reads must not break, got {changes:?}")
            };
            chain.extend(digests);
            position = next;
            yield_now().await;
        }
        assert_same(&chain, &expected);
        let (after, _) = read(&*feed, Some(&position), CHANGES_MAX).await;
        assert_eq!(after, CredentialChanges::Of(Vec::new()), "the chain must have each change once");
    });
    all_at_once(ending.chain([reading]).collect()).await;
}

/// The reads of all instances tell the time of one clock. It moves, and never back.
pub async fn all_instances_read_one_clock(instances: Instances) {
    let mut times = vec![time(&*instances[0]).await];
    while times.len() < 20 || times.first() == times.last() {
        assert!(times.len() < 10_000, "the clock must move");
        for instance in &instances {
            times.push(time(&**instance).await);
        }
    }
    assert!(times.is_sorted(), "the instances must read one clock, which does not go back, got {times:?}");
}

/// Ends the key in one of the three ways.
async fn end(store: &dyn KeyPorts, sample: &Sample, way: usize) {
    match way % 3 {
        0 => drop(revoke(store, &sample.key.owner, sample.id(), at(1)).await),
        1 => drop(revoke_by_digests(store, &[sample.digest], at(1)).await),
        _ => drop(rotate(store, sample, &Replacement::at(at(1), 0)).await),
    }
}

async fn read(feed: &dyn ChangeFeed, since: Option<&FeedPosition>, max: u32) -> (CredentialChanges, FeedPosition) {
    let read = feed.changes_since(since, max).await.expect("the feed must be readable");
    (read.changes, read.position)
}

async fn time(feed: &dyn ChangeFeed) -> Timestamp {
    feed.changes_since(None, 0).await.expect("the feed must be readable").at
}

async fn changes_since(feed: &dyn ChangeFeed, since: &FeedPosition) -> Vec<CredentialDigest> {
    match read(feed, Some(since), CHANGES_MAX).await.0 {
        CredentialChanges::Of(changed) => changed,
        CredentialChanges::OfAny => panic!("there are fewer than {CHANGES_MAX} changes"),
    }
}

/// One reader for each instance, each at its own position.
struct Readers<'a> {
    instances: &'a Instances,
    positions: [FeedPosition; 2],
}

impl<'a> Readers<'a> {
    async fn new(instances: &'a Instances) -> Self {
        let [here, there] = instances;
        let positions = [read(&**here, None, CHANGES_MAX).await.1, read(&**there, None, CHANGES_MAX).await.1];
        Self { instances, positions }
    }

    /// Each instance reads these changes and no others, in any order.
    async fn read_exactly(&mut self, expected: &[CredentialDigest]) {
        for (instance, position) in self.instances.iter().zip(&mut self.positions) {
            let (changes, next) = read(&**instance, Some(position), CHANGES_MAX).await;
            let CredentialChanges::Of(digests) = changes else {
                panic!("a chain of reads must not break, got {changes:?}")
            };
            assert_same(&digests, expected);
            *position = next;
        }
    }
}

fn assert_same(changed: &[CredentialDigest], expected: &[CredentialDigest]) {
    let sorted = |digests: &[CredentialDigest]| {
        let mut bytes: Vec<_> = digests.iter().map(|digest| *digest.as_bytes()).collect();
        bytes.sort_unstable();
        bytes
    };
    assert!(sorted(changed) == sorted(expected), "the feed must have {} changes, each once", expected.len());
}
