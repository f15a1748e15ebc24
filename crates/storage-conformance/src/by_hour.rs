//! Counts by the hour: the common promises for the counts of keys and of subscriptions.

use domain::{Hour, HourRange, OwnerId};

use crate::racing::{all_at_once, moments, not_held_up};
use crate::sample::user;

/// An hour that no other test uses.
pub(crate) const NOON: i64 = 498_660;

/// Three counts, by their results.
pub(crate) type Counts = [u64; 3];

/// The store of one kind of object, each with its counts.
pub(crate) trait CountsByHour: Clone + Send + Sync + 'static {
    /// The id of an object.
    type Id: Copy + Send + Sync + 'static;

    /// Stores a new object of the owner.
    fn stored(&self, owner: &OwnerId) -> impl Future<Output = Self::Id> + Send;

    /// The id of an object that is not stored.
    fn not_stored(number: u128) -> Self::Id;

    /// Adds the counts of each object and hour.
    fn add(&self, counts: &[(Self::Id, i64, Counts)]) -> impl Future<Output = ()> + Send;

    /// The hours with counts of the owner's object, the earliest first.
    fn read(&self, owner: &OwnerId, id: Self::Id, hours: HourRange) -> impl Future<Output = Vec<(i64, Counts)>> + Send;

    /// Deletes at most `max` rows from before this hour, and returns their number.
    fn purge(&self, before: Hour, max: u32) -> impl Future<Output = u32> + Send;
}

pub(crate) fn hours(first: i64, last: i64) -> HourRange {
    HourRange { first: Hour::from_number(first), last: Hour::from_number(last) }
}

pub(crate) async fn add_up(store: impl CountsByHour) {
    let alice = user("alice");
    let (one, other) = (store.stored(&alice).await, store.stored(&alice).await);
    store.add(&[(one, NOON, [5, 2, 1])]).await;
    store.add(&[]).await;
    let more =
        [(one, NOON, [10, 0, 0]), (other, NOON, [0, 0, 7]), (one, NOON, [100, 30, 0]), (one, NOON + 1, [0, 0, 3])];
    store.add(&more).await;
    let both = hours(NOON, NOON + 1);
    let expected = [(NOON, [115, 32, 1]), (NOON + 1, [0, 0, 3])];
    assert_eq!(store.read(&alice, one, both).await, expected, "counts must add up");
    assert_eq!(store.read(&alice, other, both).await, [(NOON, [0, 0, 7])], "each object must have its own counts");
}

pub(crate) async fn are_read_by_the_hour(store: impl CountsByHour) {
    let alice = user("alice");
    let id = store.stored(&alice).await;
    let counted = [NOON - 2, NOON - 1, NOON, NOON + 2, NOON + 3];
    store.add(&counted.map(|hour| (id, hour, [1, 0, 0]))).await;
    let shown = store.read(&alice, id, hours(NOON - 1, NOON + 2)).await;
    assert_eq!(hours_of(&shown), [NOON - 1, NOON, NOON + 2], "the hours must be those of the request");
    let month = store.read(&alice, id, hours(NOON - 700, NOON + 43)).await;
    assert_eq!(month.len(), 5, "a reading of a month must have all hours with a count");
}

pub(crate) async fn of_parallel_calls_all_add_up(store: impl CountsByHour) {
    const CALLS: u64 = 16;
    let alice = user("alice");
    let ids = stored(&store, &alice, 25).await;
    let calls = (0..CALLS).map(|n| {
        let mut counts: Vec<_> = ids.iter().map(|id| (*id, NOON, [1, 0, n])).collect();
        counts.rotate_left(usize::try_from(n).expect("a few calls"));
        if n % 2 == 1 {
            counts.reverse();
        }
        let store = store.clone();
        Box::pin(async move { store.add(&counts).await }) as _
    });
    all_at_once(calls.collect()).await;
    let expected = [(NOON, [CALLS, 0, CALLS * (CALLS - 1) / 2])];
    for id in ids {
        assert_eq!(store.read(&alice, id, hours(NOON, NOON)).await, expected, "no count must be lost");
    }
}

pub(crate) async fn of_large_batches_are_taken<Store: CountsByHour>(store: Store) {
    let alice = user("alice");
    let id = store.stored(&alice).await;
    let mut counts: Vec<_> = (0..19_999).map(|n| (Store::not_stored(n), NOON, [1, 1, 1])).collect();
    counts.push((id, NOON, [3, 2, 1]));
    store.add(&counts).await;
    assert_eq!(store.read(&alice, id, hours(NOON, NOON)).await, [(NOON, [3, 2, 1])]);
}

pub(crate) async fn that_are_old_are_deleted(store: impl CountsByHour) {
    let owners = ["alice", "bob"].map(user);
    let mut ids = Vec::new();
    for owner in &owners {
        let id = store.stored(owner).await;
        let counted = [NOON - 3, NOON - 2, NOON - 1, NOON, NOON + 1];
        store.add(&counted.map(|hour| (id, hour, [1, 0, 0]))).await;
        ids.push(id);
    }
    let purge = async || store.purge(Hour::from_number(NOON), 4).await;
    let purged = [purge().await, purge().await, purge().await];
    assert_eq!(purged, [4, 2, 0], "a purge must delete at most max rows and count them");
    for (owner, id) in owners.iter().zip(ids) {
        let left = store.read(owner, id, hours(NOON - 3, NOON + 1)).await;
        assert_eq!(hours_of(&left), [NOON, NOON + 1], "what is not older must stay");
    }
}

pub(crate) async fn are_added_whole_or_not_at_all(store: impl CountsByHour) {
    let alice = user("alice");
    let ids = stored(&store, &alice, 8).await;
    let counts: Vec<_> = ids.iter().map(|id| (*id, NOON, [1, 0, 0])).collect();
    for drop_at in moments() {
        drop_at.call(store.add(&counts)).await;
        not_held_up(drop_at, async {
            let sums = settled(&store, &alice, &ids).await;
            assert!(sums.iter().all(|sum| *sum == sums[0]), "a dropped addition must add all or nothing, {drop_at}");
        })
        .await;
    }
}

/// Two consecutive reads that agree: a store may still work on a dropped call during a read.
async fn settled<Store: CountsByHour>(store: &Store, owner: &OwnerId, ids: &[Store::Id]) -> Vec<Vec<(i64, Counts)>> {
    let mut before = Vec::new();
    loop {
        let mut sums = Vec::new();
        for id in ids {
            sums.push(store.read(owner, *id, hours(NOON, NOON)).await);
        }
        if sums == before {
            return sums;
        }
        before = sums;
    }
}

async fn stored<Store: CountsByHour>(store: &Store, owner: &OwnerId, count: usize) -> Vec<Store::Id> {
    let mut ids = Vec::new();
    for _ in 0..count {
        ids.push(store.stored(owner).await);
    }
    ids
}

/// The hours of a reading.
fn hours_of(shown: &[(i64, Counts)]) -> Vec<i64> {
    shown.iter().map(|(hour, _)| *hour).collect()
}
