//! The health of a subscription, as its owner sees it.

use std::sync::Arc;
use std::time::Duration;

use domain::ports::{ListSubscriptionsRequest, SubscriptionStore};
use domain::webhooks::{AttemptRecord, FailureReason, NewEvent};

use super::WebhookStore;
use super::sample::{
    delete, event, event_at, health, publish, publish_at, publish_many, subscribed, subscriber, switched, update,
};
use super::work::{claim, claim_one, complete, drain, settle};
use crate::sample::{at, user};

/// Deliveries that wait or are being sent are counted, for any due time. Ended deliveries and other subscriptions'
/// deliveries are not.
pub async fn waiting_deliveries_are_counted(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = subscriber(&*store, "alice").await;
    assert_eq!(health(&*store, &lane).await.waiting, 0, "a new lane is empty");
    publish_many(&*store, &owner, 5, 0).await;
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
    let (owner, lane) = subscriber(&*store, "alice").await;
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

/// A list with health is the list, and each subscription has the health that a look-up shows: on every page, with
/// failures, with a pause, with deliveries that wait, disabled, and as new. Deleted and other owners' subscriptions are
/// left out.
pub async fn subscriptions_are_listed_with_their_health(store: Arc<dyn WebhookStore>) {
    let (owner, other) = (user("alice"), user("bob"));
    let mut lanes = Vec::new();
    for _ in 0..6 {
        lanes.push(subscribed(&*store, &owner).await);
    }
    subscribed(&*store, &other).await;
    let events: Vec<_> = lanes[..4].iter().map(|lane| NewEvent { only: Some(lane.id), ..event(&owner) }).collect();
    publish(&*store, &events).await;
    publish_at(&*store, &other, at(0)).await;
    for held in claim(&*store, 1).await {
        let end = if held.subscription == lanes[0].id { held.delivered(9) } else { held.failed(10, 90_000) };
        settle(&*store, end).await;
    }
    let more: Vec<_> = (0..3).map(|_| NewEvent { only: Some(lanes[1].id), ..event_at(&owner, at(20)) }).collect();
    publish(&*store, &more).await;
    // One of the three asks for a pause, and two are still being sent.
    settle(&*store, claim(&*store, 30).await[0].held_off(31, Duration::from_mins(1))).await;
    update(&*store, &lanes[2], &switched(false), at(40)).await;
    delete(&*store, &lanes[3], at(40)).await;
    for max in [1, 2, 100] {
        let (mut seen, mut before) = (Vec::new(), None);
        loop {
            let request = ListSubscriptionsRequest { owner: owner.clone(), before, max };
            let page = store.list_with_health(&request).await.expect("a list succeeds");
            let plain = SubscriptionStore::list(&*store, &request).await.expect("a list succeeds");
            assert_eq!(page.iter().map(|(one, _)| one).collect::<Vec<_>>(), plain.iter().collect::<Vec<_>>());
            let Some((last, _)) = page.last() else { break };
            before = Some(last.id);
            seen.extend(page);
        }
        assert_eq!(seen.len(), 5, "each comes once, in pages of {max}");
        for (one, shown) in seen {
            assert_eq!(shown, health(&*store, &one).await, "the health of {one:?}");
        }
    }
}
