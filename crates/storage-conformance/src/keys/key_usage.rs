//! Verifications of keys by the hour.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::ports::KeyStore;
use domain::{Hour, HourRange, KeyId, KeyUsage, UserId};

use super::sample::{Sample, put, put_all};
use crate::racing::{Call, all_at_once, moments, not_held_up};
use crate::sample::user;

/// An hour in which nothing else happens.
const NOON: i64 = 498_660;

/// Counts of one key and hour add up, over calls and within a call, each result on its own. Other keys and hours keep
/// their counts.
pub async fn counts_of_a_key_add_up(store: Arc<dyn KeyStore>) {
    let samples = [Sample::of(&user("alice")), Sample::of(&user("alice"))];
    put_all(&*store, &samples).await;
    let [one, other] = samples.each_ref().map(Sample::id);
    add(&*store, &[counted(one, NOON, [5, 2, 1])]).await;
    add(&*store, &[]).await;
    let more =
        [(one, NOON, [10, 0, 0]), (other, NOON, [0, 0, 7]), (one, NOON, [100, 30, 0]), (one, NOON + 1, [0, 0, 3])];
    add(&*store, &more.map(|(id, hour, counts)| counted(id, hour, counts))).await;
    let expected = [(NOON, [115, 32, 1]), (NOON + 1, [0, 0, 3])];
    assert_eq!(read(&*store, &user("alice"), one, NOON, NOON + 1).await, expected, "counts must add up");
    assert_eq!(read(&*store, &user("alice"), other, NOON, NOON + 1).await, [(NOON, [0, 0, 7])], "each key has its own");
}

/// A reading has the hours from the first to the last, both included, and of these only hours with a count.
pub async fn counts_of_a_key_are_read_by_the_hour(store: Arc<dyn KeyStore>) {
    let sample = Sample::of(&user("alice"));
    put(&*store, &sample).await;
    let hours = [NOON - 2, NOON - 1, NOON, NOON + 2, NOON + 3];
    add(&*store, &hours.map(|hour| counted(sample.id(), hour, [1, 0, 0]))).await;
    let shown = read(&*store, &user("alice"), sample.id(), NOON - 1, NOON + 2).await;
    assert_eq!(hours_of(&shown), [NOON - 1, NOON, NOON + 2], "the hours must be those of the request");
    let month = read(&*store, &user("alice"), sample.id(), NOON - 700, NOON + 43).await;
    assert_eq!(month.len(), 5, "a reading of a month must have all hours with a count");
}

/// A key of another user has no counts to show, nor has a key that is not stored. A key that was never used has none.
pub async fn counts_of_a_key_are_shown_to_its_owner(store: Arc<dyn KeyStore>) {
    let (sample, unknown) = (Sample::of(&user("alice")), Sample::of(&user("alice")));
    put(&*store, &sample).await;
    let hours = range(NOON, NOON);
    let usage = async |owner: &str, id| store.usage(&user(owner), id, hours).await.expect("a reading must succeed");
    assert_eq!(usage("alice", sample.id()).await, Some(BTreeMap::new()), "a key that was never used must be found");
    add(&*store, &[counted(sample.id(), NOON, [1, 0, 0]), counted(unknown.id(), NOON, [1, 0, 0])]).await;
    assert_eq!(usage("alice", sample.id()).await.map(|usage| usage.len()), Some(1));
    assert_eq!(usage("bob", sample.id()).await, None, "another user's key must not be shown");
    assert_eq!(usage("alice", unknown.id()).await, None, "a key that is not stored must not be shown");
}

/// Parallel calls that name the same keys and hours in different orders all succeed, and lose no count.
pub async fn parallel_counts_of_keys_all_add_up(store: Arc<dyn KeyStore>) {
    const CALLS: u64 = 16;
    let samples: Vec<Sample> = (0..25).map(|_| Sample::of(&user("alice"))).collect();
    put_all(&*store, &samples).await;
    let calls = (0..CALLS).map(|n| {
        let mut counts: Vec<KeyUsage> = samples.iter().map(|sample| counted(sample.id(), NOON, [1, 0, n])).collect();
        counts.rotate_left(usize::try_from(n).expect("a few calls"));
        if n % 2 == 1 {
            counts.reverse();
        }
        adding(&store, counts)
    });
    all_at_once(calls.collect()).await;
    let expected = [(NOON, [CALLS, 0, CALLS * (CALLS - 1) / 2])];
    for sample in &samples {
        assert_eq!(read(&*store, &user("alice"), sample.id(), NOON, NOON).await, expected, "no count must be lost");
    }
}

/// Twenty thousand entries are taken in one call.
pub async fn large_batches_of_counts_are_taken(store: Arc<dyn KeyStore>) {
    let sample = Sample::of(&user("alice"));
    put(&*store, &sample).await;
    let mut counts: Vec<KeyUsage> =
        (0..19_999_u128).map(|n| counted(KeyId::from_bytes(n.to_be_bytes()), NOON, [1, 1, 1])).collect();
    counts.push(counted(sample.id(), NOON, [3, 2, 1]));
    add(&*store, &counts).await;
    assert_eq!(read(&*store, &user("alice"), sample.id(), NOON, NOON).await, [(NOON, [3, 2, 1])]);
}

/// A purge deletes the hours before the given one, at most `max` rows at a time, and says how many.
pub async fn old_counts_of_keys_are_deleted(store: Arc<dyn KeyStore>) {
    let samples = [Sample::of(&user("alice")), Sample::of(&user("bob"))];
    put_all(&*store, &samples).await;
    for sample in &samples {
        let hours = [NOON - 3, NOON - 2, NOON - 1, NOON, NOON + 1];
        add(&*store, &hours.map(|hour| counted(sample.id(), hour, [1, 0, 0]))).await;
    }
    let purge = async |max| store.purge_usage(Hour::from_number(NOON), max).await.expect("a purge must succeed");
    let purged = [purge(4).await, purge(4).await, purge(4).await];
    assert_eq!(purged, [4, 2, 0], "a purge must delete at most max rows and count them");
    for sample in &samples {
        let left = read(&*store, &sample.key.owner, sample.id(), NOON - 3, NOON + 1).await;
        assert_eq!(hours_of(&left), [NOON, NOON + 1], "what is not older must stay");
    }
}

/// A dropped addition adds all of its counts or none. Later ones do not hang.
pub async fn a_cancelled_addition_of_counts_is_whole_or_nothing(store: Arc<dyn KeyStore>) {
    let samples: Vec<Sample> = (0..8).map(|_| Sample::of(&user("alice"))).collect();
    put_all(&*store, &samples).await;
    let counts: Vec<KeyUsage> = samples.iter().map(|sample| counted(sample.id(), NOON, [1, 0, 0])).collect();
    for drop_at in moments() {
        drop_at.call(store.add_usage(&counts)).await;
        not_held_up(drop_at, async {
            // A store that goes on with the dropped call has ended it before it changes the same rows again.
            add(&*store, &counts).await;
            let mut sums = Vec::new();
            for sample in &samples {
                sums.push(read(&*store, &user("alice"), sample.id(), NOON, NOON).await);
            }
            assert!(sums.iter().all(|sum| *sum == sums[0]), "a dropped addition must add all or nothing, {drop_at}");
        })
        .await;
    }
}

fn range(first: i64, last: i64) -> HourRange {
    HourRange { first: Hour::from_number(first), last: Hour::from_number(last) }
}

fn counted(id: KeyId, hour: i64, counts: [u64; 3]) -> KeyUsage {
    KeyUsage { id, hour: Hour::from_number(hour), counts: counts.into() }
}

async fn add(store: &dyn KeyStore, usage: &[KeyUsage]) {
    store.add_usage(usage).await.expect("adding counts must succeed");
}

fn adding(store: &Arc<dyn KeyStore>, usage: Vec<KeyUsage>) -> Call<()> {
    let store = Arc::clone(store);
    Box::pin(async move { add(&*store, &usage).await })
}

/// The counts in these hours, the earliest first.
async fn read(store: &dyn KeyStore, owner: &UserId, id: KeyId, first: i64, last: i64) -> Vec<(i64, [u64; 3])> {
    let usage = store.usage(owner, id, range(first, last)).await.expect("a reading must succeed");
    let usage = usage.expect("a stored key must be found by its owner");
    usage.into_iter().map(|(hour, counts)| (hour.number(), counts.into())).collect()
}

/// The hours of a reading.
fn hours_of(shown: &[(i64, [u64; 3])]) -> Vec<i64> {
    shown.iter().map(|(hour, _)| *hour).collect()
}
