//! Outcomes of attempts by the hour.

use std::sync::Arc;

use domain::webhooks::SubscriptionOutcomes;
use domain::{Hour, HourRange, SubscriptionId, UserId};

use super::WebhookStore;
use super::sample::{delete, subscribed};
use crate::racing::{Call, all_at_once, moments, not_held_up};
use crate::sample::{at, user};

/// An hour in which nothing else happens.
const NOON: i64 = 498_660;

/// Counts of one subscription and hour add up, over calls and within a call, each outcome on its own. Other subscriptions and hours keep
/// their counts.
pub async fn outcomes_add_up(store: Arc<dyn WebhookStore>) {
    let alice = user("alice");
    let (one, other) = (subscribed(&*store, &alice).await.id, subscribed(&*store, &alice).await.id);
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
pub async fn outcomes_are_read_by_the_hour(store: Arc<dyn WebhookStore>) {
    let lane = subscribed(&*store, &user("alice")).await;
    let hours = [NOON - 2, NOON - 1, NOON, NOON + 2, NOON + 3];
    add(&*store, &hours.map(|hour| counted(lane.id, hour, [1, 0, 0]))).await;
    let shown = read(&*store, &user("alice"), lane.id, NOON - 1, NOON + 2).await;
    assert_eq!(hours_of(&shown), [NOON - 1, NOON, NOON + 2], "the hours must be those of the request");
    let month = read(&*store, &user("alice"), lane.id, NOON - 700, NOON + 43).await;
    assert_eq!(month.len(), 5, "a reading of a month must have all hours with a count");
}

/// The outcomes of all of a user's subscriptions are the sums of those that are not deleted. A subscription of another
/// user has no counts to show, nor has one that is not stored. A subscription without attempts has none.
pub async fn outcomes_are_shown_to_their_owner(store: Arc<dyn WebhookStore>) {
    let (alice, bob) = (user("alice"), user("bob"));
    let lanes = [subscribed(&*store, &alice).await, subscribed(&*store, &alice).await, subscribed(&*store, &bob).await];
    let [one, other, bobs] = lanes.each_ref().map(|lane| lane.id);
    let unknown = SubscriptionId::from_bytes([9; 16]);
    let hours = range(NOON, NOON);
    let outcomes = async |owner: &UserId, id| {
        let read = store.outcomes(owner, id, hours).await.expect("a reading must succeed");
        read.map(|counts| counts.into_values().map(<[u64; 3]>::from).collect::<Vec<_>>())
    };
    assert_eq!(outcomes(&alice, Some(one)).await, Some(Vec::new()), "one without attempts must be found");
    let counts = [(one, [1, 2, 3]), (other, [10, 20, 30]), (bobs, [100, 200, 300]), (unknown, [1_000, 0, 0])];
    add(&*store, &counts.map(|(id, counts)| counted(id, NOON, counts))).await;
    assert_eq!(outcomes(&alice, Some(one)).await, Some(vec![[1, 2, 3]]));
    assert_eq!(outcomes(&alice, None).await, Some(vec![[11, 22, 33]]), "all must be the sum of all");
    assert_eq!(outcomes(&alice, Some(bobs)).await, None, "another user's must not be shown");
    assert_eq!(outcomes(&alice, Some(unknown)).await, None, "what is not stored must not be shown");
    assert_eq!(outcomes(&user("carol"), None).await, Some(Vec::new()), "a user without subscriptions has no counts");
    delete(&*store, &lanes[0], at(10)).await;
    assert_eq!(outcomes(&alice, None).await, Some(vec![[10, 20, 30]]), "deleted subscriptions must not count");
    assert_eq!(outcomes(&alice, Some(one)).await, None, "a deleted subscription must not be found");
}

/// Parallel calls that name the same subscriptions and hours in different orders all succeed, and lose no count.
pub async fn parallel_outcomes_all_add_up(store: Arc<dyn WebhookStore>) {
    const CALLS: u64 = 16;
    let mut ids = Vec::new();
    for _ in 0..25 {
        ids.push(subscribed(&*store, &user("alice")).await.id);
    }
    let calls = (0..CALLS).map(|n| {
        let mut counts: Vec<SubscriptionOutcomes> = ids.iter().map(|id| counted(*id, NOON, [1, 0, n])).collect();
        counts.rotate_left(usize::try_from(n).expect("a few calls"));
        if n % 2 == 1 {
            counts.reverse();
        }
        adding(&store, counts)
    });
    all_at_once(calls.collect()).await;
    let expected = [(NOON, [CALLS, 0, CALLS * (CALLS - 1) / 2])];
    for id in &ids {
        assert_eq!(read(&*store, &user("alice"), *id, NOON, NOON).await, expected, "no count must be lost");
    }
}

/// Twenty thousand entries are taken in one call.
pub async fn large_batches_of_outcomes_are_taken(store: Arc<dyn WebhookStore>) {
    let lane = subscribed(&*store, &user("alice")).await;
    let mut counts: Vec<SubscriptionOutcomes> =
        (0..19_999_u128).map(|n| counted(SubscriptionId::from_bytes(n.to_be_bytes()), NOON, [1, 1, 1])).collect();
    counts.push(counted(lane.id, NOON, [3, 2, 1]));
    add(&*store, &counts).await;
    assert_eq!(read(&*store, &user("alice"), lane.id, NOON, NOON).await, [(NOON, [3, 2, 1])]);
}

/// A purge deletes the hours before the given one, at most `max` rows at a time, and says how many.
pub async fn old_outcomes_are_deleted(store: Arc<dyn WebhookStore>) {
    let lanes = [subscribed(&*store, &user("alice")).await, subscribed(&*store, &user("bob")).await];
    for lane in &lanes {
        let hours = [NOON - 3, NOON - 2, NOON - 1, NOON, NOON + 1];
        add(&*store, &hours.map(|hour| counted(lane.id, hour, [1, 0, 0]))).await;
    }
    let purge = async |max| store.purge_outcomes(Hour::from_number(NOON), max).await.expect("a purge must succeed");
    let purged = [purge(4).await, purge(4).await, purge(4).await];
    assert_eq!(purged, [4, 2, 0], "a purge must delete at most max rows and count them");
    for lane in &lanes {
        let left = read(&*store, &lane.owner, lane.id, NOON - 3, NOON + 1).await;
        assert_eq!(hours_of(&left), [NOON, NOON + 1], "what is not older must stay");
    }
}

/// A dropped addition adds all of its counts or none. Later ones do not hang.
pub async fn a_cancelled_addition_of_outcomes_is_whole_or_nothing(store: Arc<dyn WebhookStore>) {
    let mut ids = Vec::new();
    for _ in 0..8 {
        ids.push(subscribed(&*store, &user("alice")).await.id);
    }
    let counts: Vec<SubscriptionOutcomes> = ids.iter().map(|id| counted(*id, NOON, [1, 0, 0])).collect();
    for drop_at in moments() {
        drop_at.call(store.add_outcomes(&counts)).await;
        not_held_up(drop_at, async {
            // A store that goes on with the dropped call has ended it before it changes the same rows again.
            add(&*store, &counts).await;
            let mut sums = Vec::new();
            for id in &ids {
                sums.push(read(&*store, &user("alice"), *id, NOON, NOON).await);
            }
            assert!(sums.iter().all(|sum| *sum == sums[0]), "a dropped addition must add all or nothing, {drop_at}");
        })
        .await;
    }
}

fn range(first: i64, last: i64) -> HourRange {
    HourRange { first: Hour::from_number(first), last: Hour::from_number(last) }
}

fn counted(id: SubscriptionId, hour: i64, counts: [u64; 3]) -> SubscriptionOutcomes {
    SubscriptionOutcomes { id, hour: Hour::from_number(hour), counts: counts.into() }
}

async fn add(store: &dyn WebhookStore, outcomes: &[SubscriptionOutcomes]) {
    store.add_outcomes(outcomes).await.expect("adding counts must succeed");
}

fn adding(store: &Arc<dyn WebhookStore>, outcomes: Vec<SubscriptionOutcomes>) -> Call<()> {
    let store = Arc::clone(store);
    Box::pin(async move { add(&*store, &outcomes).await })
}

/// The counts in these hours, the earliest first.
async fn read(
    store: &dyn WebhookStore,
    owner: &UserId,
    id: SubscriptionId,
    first: i64,
    last: i64,
) -> Vec<(i64, [u64; 3])> {
    let counts = store.outcomes(owner, Some(id), range(first, last)).await.expect("a reading must succeed");
    let counts = counts.expect("a stored subscription must be found by its owner");
    counts.into_iter().map(|(hour, counts)| (hour.number(), counts.into())).collect()
}

/// The hours of a reading.
fn hours_of(shown: &[(i64, [u64; 3])]) -> Vec<i64> {
    shown.iter().map(|(hour, _)| *hour).collect()
}
