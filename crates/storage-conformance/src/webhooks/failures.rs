//! Failed deliveries by their cause, retries of many at once, and the deliveries that a recovery would retry.

use std::sync::Arc;

use domain::memory::unique_cause;
use domain::ports::{ListFailedRequest, RetryFailedRequest, RetryOfFailed};
use domain::webhooks::{
    AttemptRecord, ClaimEnd, DeliveryState, FailedDelivery, FailureCause, FailureReason, PauseLengths, Recoverable,
    Subscription,
};
use domain::{DeliveryId, OwnerId, SubscriptionId};

use super::WebhookStore;
use super::calls::calling;
use super::commands::{cancel, count_recoverable, recover, retry, retry_at};
use super::sample::{
    delete, deliveries, history, publish_at, publish_together, subscribed, subscriber, subscription_to, switched,
    update,
};
use super::work::{Held, claim, claim_one, complete, complete_all, drain, publish_and_claim, settle, switch_off};
use crate::racing::all_at_once;
use crate::sample::{at, user};

/// A failed delivery is shown with the end of its last attempt: its reason and its status, after any earlier attempts.
/// A delivery that was never attempted, or whose last attempt succeeded, has neither.
pub async fn failed_deliveries_are_shown_with_their_last_attempt(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = subscriber(&*store, "alice").await;
    let first = failed_with(&*store, &owner, 0, FailureReason::Timeout, None).await;
    let second = failed_with(&*store, &owner, 1, FailureReason::Status, Some(503)).await;
    let again = retry_all(&*store, &owner, lane.id, &[second], 2, 0).await;
    assert_eq!(again, RetryOfFailed::Due(1), "it failed");
    settle(&*store, ended(&claim_one(&*store, 2).await, 3, FailureReason::Status, Some(500))).await;
    let third = publish_at(&*store, &owner, at(4)).await;
    settle(&*store, claim_one(&*store, 4).await.delivered(5)).await;
    let third = DeliveryId::of(third, lane.id);
    retry(&*store, &owner, third, 6).await;
    publish_at(&*store, &owner, at(7)).await;
    switch_off(&*store, &lane, 8).await;
    let causes: Vec<_> = failed(&*store, &owner, None, 0, 100).await.into_iter().map(|one| one.cause).collect();
    let cause = |failure, status| FailureCause::new(lane.id, failure, status);
    let (none, broken) = (cause(None, None), cause(Some(FailureReason::Status), Some(500)));
    assert_eq!(causes, [none, none, broken, cause(Some(FailureReason::Timeout), None)], "the newest first");
    let shown: Vec<DeliveryId> = failed(&*store, &owner, None, 0, 100).await.iter().map(|one| one.id).collect();
    assert_eq!(shown[1..], [third, second, first], "each with its id");
}

/// If there are too many failed deliveries, the newest are shown, of all subscriptions together.
pub async fn the_newest_failed_deliveries_are_shown(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let lanes = [subscribed(&*store, &owner).await, subscribed(&*store, &owner).await];
    let events = publish_together(&*store, &owner, 0..4).await;
    let held = claim(&*store, 10).await;
    complete_all(&*store, &held, |one| one.spent(20)).await;
    let mut ids: Vec<DeliveryId> = held.iter().map(|one| one.delivery.id).collect();
    ids.sort_unstable();
    ids.reverse();
    for max in [1, 3, 4, 8, 100] {
        let shown: Vec<DeliveryId> = failed(&*store, &owner, None, 0, max).await.iter().map(|one| one.id).collect();
        assert_eq!(shown, ids[..ids.len().min(max as usize)], "the newest {max}");
    }
    for lane in &lanes {
        let newest = DeliveryId::of(events[3].event.id, lane.id);
        let shown = failed(&*store, &owner, Some(lane.id), 0, 1).await;
        assert_eq!(shown.iter().map(|one| one.id).collect::<Vec<_>>(), [newest], "the newest of one subscription");
    }
}

/// Delivered, cancelled, waiting and sending deliveries have not failed. Failed deliveries of events that are too old,
/// of deleted subscriptions and of other owners are not shown.
pub async fn only_what_can_be_retried_is_shown_as_failed(store: Arc<dyn WebhookStore>) {
    let (owner, other) = (user("alice"), user("bob"));
    let (lane, deleted) = (subscribed(&*store, &owner).await, subscribed(&*store, &owner).await);
    let theirs = subscribed(&*store, &other).await;
    publish_at(&*store, &other, at(100)).await;
    let events = publish_together(&*store, &owner, [99, 100, 101, 102, 103, 104]).await;
    let held = claim(&*store, 200).await;
    let of = |subscription: &Subscription, n: usize| {
        let id = DeliveryId::of(events[n].event.id, subscription.id);
        held.iter().find(move |one| one.delivery.id == id).expect("each is claimed")
    };
    let foreign = held.iter().find(|one| one.subscription == theirs.id).expect("it is claimed");
    complete(&*store, &[foreign.spent(210), of(&deleted, 2).spent(210)]).await;
    complete(&*store, &[of(&lane, 0).spent(210), of(&lane, 1).spent(210), of(&lane, 2).delivered(210)]).await;
    settle(&*store, of(&lane, 3).failed(210, 1_000_000)).await;
    cancel(&*store, &owner, of(&lane, 4).delivery.id, 220).await;
    delete(&*store, &deleted, at(230)).await;
    let shown: Vec<DeliveryId> = failed(&*store, &owner, None, 100, 100).await.iter().map(|one| one.id).collect();
    assert_eq!(shown, [of(&lane, 1).delivery.id], "one has failed and can be retried");
    for missing in [deleted.id, theirs.id] {
        assert_eq!(failed(&*store, &owner, Some(missing), 0, 100).await, [], "nothing of {missing}");
    }
}

/// Deliveries that are retried together are each due at once, as the first attempt of a new run. Deliveries that have
/// not failed, go elsewhere, or are too old do not change.
pub async fn failed_deliveries_are_retried_at_once(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = subscriber(&*store, "alice").await;
    let elsewhere = subscription_to(&owner, &["other.type"]);
    super::sample::put(&*store, &elsewhere).await;
    publish_together(&*store, &owner, [99, 100, 101, 102, 103]).await;
    let mut held = claim(&*store, 200).await;
    held.sort_by_key(|one| one.delivery.run_started_at);
    complete(&*store, &[held[0].spent(210), held[1].spent(210), held[2].spent(210), held[3].delivered(210)]).await;
    settle(&*store, held[4].failed(210, 1_000_000)).await;
    let ids: Vec<DeliveryId> = held.iter().map(|one| one.delivery.id).collect();
    assert_eq!(retry_all(&*store, &owner, elsewhere.id, &ids, 290, 0).await, RetryOfFailed::Due(0), "none goes there");
    assert_eq!(retry_all(&*store, &owner, lane.id, &[], 290, 100).await, RetryOfFailed::Due(0), "none was named");
    assert_eq!(retry_all(&*store, &owner, lane.id, &ids, 300, 100).await, RetryOfFailed::Due(2), "two failed in time");
    for (n, due) in [(0, false), (1, true), (2, true), (3, false), (4, false)] {
        let state = history(&*store, &owner, ids[n]).await.delivery.state;
        assert_eq!(state == DeliveryState::Waiting(at(300)), due, "delivery {n} is {state:?}");
    }
    assert!(claim(&*store, 299).await.is_empty(), "not before");
    let again = claim(&*store, 300).await;
    let counts: Vec<_> = again.iter().map(|one| (one.delivery.attempt, one.delivery.run_attempt)).collect();
    assert_eq!(counts, [(2, 1), (2, 1)], "each as the first attempt of a new run");
}

/// No delivery is retried at a disabled or deleted subscription, nor at one of another user.
pub async fn a_retry_of_failed_deliveries_needs_an_open_lane(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = subscriber(&*store, "alice").await;
    let id = failed_with(&*store, &owner, 0, FailureReason::Connect, None).await;
    let unchanged = history(&*store, &owner, id).await;
    let stranger = retry_all(&*store, &user("bob"), lane.id, &[id], 10, 0).await;
    assert_eq!(stranger, RetryOfFailed::NotFound, "it is not theirs");
    update(&*store, &lane, &switched(false), at(20)).await;
    assert_eq!(retry_all(&*store, &owner, lane.id, &[id], 30, 0).await, RetryOfFailed::LaneClosed, "it is disabled");
    delete(&*store, &lane, at(40)).await;
    assert_eq!(retry_all(&*store, &owner, lane.id, &[id], 50, 0).await, RetryOfFailed::NotFound, "it is deleted");
    assert_eq!(history(&*store, &owner, id).await, unchanged, "nothing must change");
}

/// Parallel retries of the same deliveries, together and one by one, make each of them due once.
pub async fn parallel_retries_of_failed_deliveries_make_each_due_once(store: Arc<dyn WebhookStore>) {
    for round in 0..5 {
        let (owner, lane) = subscriber(&*store, &format!("round {round}")).await;
        // Not enough failures to pause the lane.
        publish_together(&*store, &owner, 0..4).await;
        let held = claim(&*store, 10).await;
        complete_all(&*store, &held, |one| one.spent(20)).await;
        let ids: Vec<DeliveryId> = held.iter().map(|one| one.delivery.id).collect();
        let calls = (0..4).map(|_| {
            let (owner, ids) = (owner.clone(), ids.clone());
            calling(&store, move |store| async move { retry_all(&*store, &owner, lane.id, &ids, 30, 0).await })
        });
        let (alone, id) = (owner.clone(), ids[3]);
        let single = calling(&store, move |store| async move {
            retry(&*store, &alone, id, 30).await;
            RetryOfFailed::Due(0)
        });
        let answers = all_at_once(calls.chain([single]).collect()).await;
        let counts = answers.iter().map(|one| if let RetryOfFailed::Due(count) = one { *count } else { 0 });
        let together: u32 = counts.sum();
        assert!((3..=4).contains(&together), "each delivery counts once, got {together}");
        assert_eq!(deliveries(&*store, &owner).await.len(), 4, "there are four deliveries");
        assert_eq!(drain(&*store, 30).await.len(), 4, "each must be delivered once");
    }
}

/// The count is the later answer of a recovery with the same arguments: failed deliveries and waiting retries, without
/// too old events, and up to the maximum. Other owners and deleted subscriptions have none.
pub async fn what_a_recovery_would_retry_is_counted(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = subscriber(&*store, "alice").await;
    publish_together(&*store, &owner, [99, 100, 101, 102, 103, 104]).await;
    let mut held = claim(&*store, 200).await;
    held.sort_by_key(|one| one.delivery.run_started_at);
    complete(&*store, &[held[0].spent(210), held[1].spent(210), held[2].delivered(210)]).await;
    complete(&*store, &[held[3].failed(210, 1_000_000), held[4].failed(210, 250)]).await;
    let counts =
        async |since, max| count_recoverable(&*store, &lane, retry_at(300, since), Recoverable::All, max).await;
    assert_eq!(counts(100, 10).await, Some(2), "one failed, and one waits for later");
    assert_eq!(counts(99, 10).await, Some(3), "another failed before");
    assert_eq!(counts(99, 2).await, Some(2), "counted up to the maximum");
    let stranger = Subscription { owner: user("bob"), ..lane.clone() };
    let theirs = count_recoverable(&*store, &stranger, retry_at(300, 0), Recoverable::All, 10).await;
    assert_eq!(theirs, None, "it is not theirs");
    assert_eq!(recover(&*store, &lane, 300, 100, 10).await, Some(2), "what was counted");
    assert_eq!(counts(100, 10).await, Some(0), "they are due now");
    delete(&*store, &lane, at(400)).await;
    assert_eq!(counts(0, 10).await, None, "it is deleted");
}

async fn failed(
    store: &dyn WebhookStore,
    owner: &OwnerId,
    subscription: Option<SubscriptionId>,
    since: i64,
    max: u32,
) -> Vec<FailedDelivery> {
    let request = ListFailedRequest { owner: owner.clone(), subscription, published_since: at(since), max };
    store.failed(&request).await.expect("a list of failed deliveries must succeed")
}

async fn retry_all(
    store: &dyn WebhookStore,
    owner: &OwnerId,
    subscription: SubscriptionId,
    ids: &[DeliveryId],
    millis: i64,
    since: i64,
) -> RetryOfFailed {
    let (owner, ids, retry, cause) = (owner.clone(), ids.to_vec(), retry_at(millis, since), unique_cause());
    let answer = store.retry_failed(&RetryFailedRequest { owner, subscription, ids, retry, cause }).await;
    answer.expect("a retry of failed deliveries must succeed or be refused as a value")
}

/// The last attempt of the claim failed like this.
fn ended(held: &Held, millis: i64, reason: FailureReason, status: Option<u16>) -> domain::ports::Completion {
    let attempt = AttemptRecord { status, ..held.attempt(at(millis), Some(reason)) };
    held.ended(ClaimEnd::Failed { attempt, retry_after: None, retry_at: None, pauses: PauseLengths::default() })
}

/// A delivery of an event of that millisecond. Its only attempt failed like this.
async fn failed_with(
    store: &dyn WebhookStore,
    owner: &OwnerId,
    millis: i64,
    reason: FailureReason,
    status: Option<u16>,
) -> DeliveryId {
    let held = publish_and_claim(store, owner, millis).await;
    settle(store, ended(&held, millis + 1, reason, status)).await;
    held.delivery.id
}
