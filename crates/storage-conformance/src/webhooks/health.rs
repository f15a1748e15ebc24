//! The health of a subscription, as its owner sees it.

use std::sync::Arc;

use domain::webhooks::{AttemptRecord, FailureReason};

use super::WebhookStore;
use super::sample::{event, event_at, health, publish, publish_at, subscribed};
use super::work::{claim, claim_one, complete, drain, settle};
use crate::sample::{at, user};

/// Deliveries that wait or are being sent are counted, for any due time. Deliveries that have ended and those of other
/// subscriptions are not.
pub async fn waiting_deliveries_are_counted(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let lane = subscribed(&*store, &owner).await;
    assert_eq!(health(&*store, &lane).await.waiting, 0, "a new lane is empty");
    let events: Vec<_> = (0..5).map(|_| event(&owner)).collect();
    publish(&*store, &events).await;
    let held = claim(&*store, 1).await;
    complete(&*store, &[held[0].delivered(10), held[1].failed(10, 90_000), held[2].given_back(10, 20)]).await;
    publish(&*store, &[event(&owner), event_at(&owner, at(5_000_000))]).await;
    let other = subscribed(&*store, &owner).await;
    publish_at(&*store, &owner, at(0)).await;
    assert_eq!(health(&*store, &lane).await.waiting, 7, "two being sent, a retry, a given-back one, and three new");
    assert_eq!(health(&*store, &other).await.waiting, 1, "each subscription's own alone");
    drain(&*store, 9_000_000).await;
    assert_eq!(health(&*store, &lane).await.waiting, 0, "nothing is left");
}

/// The attempt that ended last is shown, even if another one was recorded later. The excerpt is left out.
pub async fn the_attempt_that_ended_last_is_shown(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let lane = subscribed(&*store, &owner).await;
    let other = subscribed(&*store, &owner).await;
    publish(&*store, &[event(&owner), event(&owner)]).await;
    let held = claim(&*store, 1).await;
    let (theirs, others): (Vec<_>, Vec<_>) = held.into_iter().partition(|one| one.subscription == lane.id);
    settle(&*store, theirs[0].failed(500, 5_000)).await;
    settle(&*store, theirs[1].delivered(400)).await;
    settle(&*store, others[0].delivered(600)).await;
    settle(&*store, others[1].delivered(601)).await;
    let shown = |attempt: AttemptRecord| Some(attempt.brief());
    let expected = shown(theirs[0].attempt(at(500), Some(FailureReason::Timeout)));
    assert_eq!(health(&*store, &lane).await.last_attempt, expected, "the one that ended last");
    let expected = shown(others[1].attempt(at(601), None));
    assert_eq!(health(&*store, &other).await.last_attempt, expected, "each subscription's own");
    let again = claim_one(&*store, 5_000).await;
    settle(&*store, again.delivered(5_001)).await;
    let expected = shown(again.attempt(at(5_001), None));
    assert_eq!(health(&*store, &lane).await.last_attempt, expected, "the newest attempt");
}
