//! When keys were last used.

use std::sync::Arc;

use crate::KeyPorts;
use domain::{KeyUse, Timestamp};

use super::sample::{Sample, all_keys, expect_stored, only_key, put, put_all, put_new, revoke};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

/// A use moves `last_used_at` forward, never back, to the millisecond.
pub async fn uses_move_forward_only(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let sample = Sample::of(&owner);
    put(&*store, &sample).await;
    for (used, expected) in [(100, 100), (99, 100), (100, 100), (101, 101), (-5, 101), (90_000, 90_000)] {
        record(&*store, &[used_at(&sample, used)]).await;
        let shown = only_key(&*store, &owner).await.last_used_at;
        assert_eq!(shown, Some(at(expected)), "a use at {used} ms must move the last use forward only");
    }
    record(&*store, &[]).await;
    assert_eq!(only_key(&*store, &owner).await.last_used_at, Some(at(90_000)), "no use must change nothing");
}

/// The latest of several uses of one key in a batch counts, wherever it is in the batch.
pub async fn the_latest_of_several_uses_counts(store: Arc<dyn KeyPorts>) {
    let samples = [Sample::of(&user("alice")), Sample::of(&user("bob")), Sample::of(&user("carol"))];
    put_all(&*store, &samples).await;
    let [first, middle, last] = &samples;
    let times = [(first, 9), (middle, 5), (last, 1), (first, 4), (middle, 9), (last, 2), (middle, 7), (last, 9)];
    record(&*store, &times.map(|(sample, used)| used_at(sample, used))).await;
    for sample in &samples {
        let shown = only_key(&*store, &sample.key.owner).await.last_used_at;
        assert_eq!(shown, Some(at(9)), "of several uses of one key the latest must count");
    }
}

/// Ids that are not stored are skipped; the other uses of the batch count.
pub async fn uses_of_unknown_keys_are_passed_over(store: Arc<dyn KeyPorts>) {
    let (known, unknown) = (Sample::of(&user("alice")), Sample::of(&user("alice")));
    record(&*store, &[used_at(&unknown, 1)]).await;
    put(&*store, &known).await;
    record(&*store, &[used_at(&unknown, 3), used_at(&known, 2), used_at(&unknown, 4)]).await;
    let key = only_key(&*store, &user("alice")).await;
    assert_eq!(key.last_used_at, Some(at(2)), "a known key's use must count beside unknown ones");
}

/// A use changes only `last_used_at` of its key, in any state: revoked and expired keys are updated too, and stay revoked
/// and expired.
pub async fn uses_change_nothing_else(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let unnamed = Sample::of(&owner).used(at(1));
    let named = [
        Sample::of(&owner),
        Sample::of(&owner).revoked(at(3)),
        Sample::of(&owner).expiring(at(-3)).used(at(-9)),
        Sample::of(&owner).expiring(at(3)).revoked(at(2)).used(at(1)),
        Sample::of(&user("bob")),
    ];
    put(&*store, &unnamed).await;
    put_all(&*store, &named).await;
    record(&*store, &named.each_ref().map(|sample| used_at(sample, 50))).await;
    let named = named.map(|sample| sample.used(at(50)));
    expect_stored(&*store, &named, "a use must move the last use of its key, and no other field may change").await;
    expect_stored(&*store, &[unnamed], "a use must change no other key").await;
}

/// A batch of ten thousand uses is taken in one call.
pub async fn large_batches_of_uses_are_taken(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let known = put_new(&*store, &owner, 10).await;
    let unknown: Vec<Sample> = (0..990).map(|_| Sample::of(&owner)).collect();
    let samples: Vec<&Sample> = unknown.iter().chain(&known).collect();
    let uses: Vec<KeyUse> = (0..10).flat_map(|n| samples.iter().map(move |sample| used_at(sample, n))).collect();
    assert_eq!(uses.len(), 10_000);
    record(&*store, &uses).await;
    let shown: Vec<Option<Timestamp>> =
        all_keys(&*store, &owner).await.into_iter().map(|key| key.last_used_at).collect();
    assert_eq!(shown, [Some(at(9)); 10], "every known key of a large batch must show its latest use");
}

/// Parallel batches that name the same keys in different orders all succeed, and the latest use of all counts.
pub async fn parallel_batches_of_uses_all_count(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let samples = put_new(&*store, &owner, 25).await;
    for round in 0..4 {
        let latest = 100 * (round + 1);
        let calls = (0..16).map(|n| {
            let mut uses: Vec<KeyUse> = samples.iter().map(|sample| used_at(sample, latest - n)).collect();
            uses.rotate_left(usize::try_from(n).expect("a few calls"));
            if n % 2 == 1 {
                uses.reverse();
            }
            recording(&store, uses)
        });
        all_at_once(calls.collect()).await;
        for key in all_keys(&*store, &owner).await {
            assert_eq!(key.last_used_at, Some(at(latest)), "of parallel batches the latest use must count");
        }
    }
}

/// While uses are recorded and keys revoked at the same time, neither undoes the other.
pub async fn uses_and_revocations_in_parallel_both_count(store: Arc<dyn KeyPorts>) {
    for round in 0..5 {
        let owner = user(&format!("round {round}"));
        let samples = put_new(&*store, &owner, 12).await;
        let uses: Vec<KeyUse> = samples.iter().map(|sample| used_at(sample, 60)).collect();
        let pair = |sample| [recording(&store, uses.clone()), revocation(&store, sample)];
        all_at_once(samples.iter().flat_map(pair).collect()).await;
        for key in all_keys(&*store, &owner).await {
            let times = (key.last_used_at, key.revoked_at);
            assert_eq!(times, (Some(at(60)), Some(at(70))), "a use and a revocation in parallel must both count");
        }
    }
}

fn used_at(sample: &Sample, millis: i64) -> KeyUse {
    KeyUse { id: sample.id(), at: at(millis) }
}

async fn record(store: &dyn KeyPorts, uses: &[KeyUse]) {
    store.record_uses(uses).await.expect("recording uses must succeed");
}

fn recording(store: &Arc<dyn KeyPorts>, uses: Vec<KeyUse>) -> Call<()> {
    let store = Arc::clone(store);
    Box::pin(async move { record(&*store, &uses).await })
}

fn revocation(store: &Arc<dyn KeyPorts>, sample: &Sample) -> Call<()> {
    let (store, sample) = (Arc::clone(store), sample.clone());
    Box::pin(async move {
        revoke(&*store, &sample.key.owner, sample.id(), at(70)).await;
    })
}
