//! Subscriptions that are disabled or deleted while they have deliveries.

use std::sync::Arc;

use domain::Timestamp;
use domain::webhooks::{DeliveryEnd, DeliveryState, Subscription};

use super::WebhookStore;
use super::sample::{
    close, delete, deliveries, event, history, publish, publish_at, publish_many, subscribed, switched, update,
};
use super::work::{Held, LEASE_MILLIS, claim, claim_one, complete, drain, end_closed, settle, switch_off};
use crate::sample::{at, user};

/// Disabling ends the waiting deliveries with the reason, at once or by `end_closed`. None of them is claimed any more.
pub async fn disabling_ends_what_waits(store: Arc<dyn WebhookStore>) {
    let lane = waiting_lane(&store).await;
    update(&*store, &lane, &switched(false), at(100)).await;
    expect_ended(&store, &lane, DeliveryEnd::SubscriptionDisabled, at(100)).await;
}

/// Deleting ends the waiting deliveries with the reason, at once or by `end_closed`. The deliveries stay in the log.
pub async fn deleting_ends_what_waits(store: Arc<dyn WebhookStore>) {
    let lane = waiting_lane(&store).await;
    delete(&*store, &lane, at(100)).await;
    expect_ended(&store, &lane, DeliveryEnd::SubscriptionDeleted, at(100)).await;
}

/// Deleting a disabled subscription does not change how its deliveries ended.
pub async fn the_first_end_stays(store: Arc<dyn WebhookStore>) {
    let lane = waiting_lane(&store).await;
    switch_off(&*store, &lane, 100).await;
    delete(&*store, &lane, at(200)).await;
    expect_ended(&store, &lane, DeliveryEnd::SubscriptionDisabled, at(100)).await;
}

/// A delivery that is being sent when its lane closes may still be delivered under its claim. Deliveries that wait for
/// a retry or whose claim expires end.
pub async fn what_is_being_sent_is_left_to_its_claim(store: Arc<dyn WebhookStore>) {
    let disabled = subscribed(&*store, &user("alice")).await;
    let held = claimed_from(&store, &disabled).await;
    update(&*store, &disabled, &switched(false), at(10)).await;
    expect_left_to_claims(&store, &disabled, &held, DeliveryEnd::SubscriptionDisabled).await;

    let deleted = subscribed(&*store, &user("bob")).await;
    let held = claimed_from(&store, &deleted).await;
    delete(&*store, &deleted, at(10)).await;
    expect_left_to_claims(&store, &deleted, &held, DeliveryEnd::SubscriptionDeleted).await;
}

async fn claimed_from(store: &Arc<dyn WebhookStore>, lane: &Subscription) -> Vec<Held> {
    publish_many(&**store, &lane.owner, 4, 0).await;
    claim(&**store, 0).await
}

async fn expect_left_to_claims(store: &Arc<dyn WebhookStore>, lane: &Subscription, held: &[Held], closed: DeliveryEnd) {
    assert_eq!(end_closed(&**store, LEASE_MILLIS - 1).await, 0, "what is being sent must be left to its claim");
    let completions = [held[0].delivered(20), held[1].failed(20, 30), held[2].given_back(20, 30)];
    assert_eq!(complete(&**store, &completions).await, [true, true, true], "claims on a closed lane must hold");
    assert!(claim(&**store, 40).await.is_empty(), "a closed lane must not be claimed from");
    end_closed(&**store, 50).await;
    assert!(claim(&**store, LEASE_MILLIS).await.is_empty(), "a closed lane must not be claimed from");
    assert_eq!(end_closed(&**store, LEASE_MILLIS).await, 1, "what its claim has left behind must be ended");
    let mut ends = Vec::new();
    for one in held {
        let state = history(&**store, &lane.owner, one.delivery.id).await.delivery.state;
        let DeliveryState::Ended { end, .. } = state else { panic!("everything must have ended, got {state:?}") };
        ends.push(end);
    }
    assert_eq!(ends, [DeliveryEnd::Delivered, closed, closed, closed], "each must have its end");
    assert_eq!(complete(&**store, &[held[3].delivered(LEASE_MILLIS + 5)]).await, [false], "it has ended");
}

/// `end_closed` ends at most `max` deliveries and returns their number. It does not touch open lanes.
pub async fn at_most_max_deliveries_are_ended(store: Arc<dyn WebhookStore>) {
    let (closed, open) = (subscribed(&*store, &user("alice")).await, subscribed(&*store, &user("bob")).await);
    let events: Vec<_> = (0..7).flat_map(|_| [event(&closed.owner), event(&open.owner)]).collect();
    publish(&*store, &events).await;
    assert_eq!(claim(&*store, 0).await.len(), 14, "all that was published is due");
    delete(&*store, &closed, at(10)).await;
    // The claims have expired, so that only `end_closed` can have ended the deliveries.
    for (max, expected) in [(0, 0), (3, 3), (1, 1), (100, 3), (100, 0)] {
        let ended = store.end_closed(at(LEASE_MILLIS), max).await.expect("it succeeds");
        assert_eq!(ended, expected, "at most {max} were to be ended");
    }
    let end = DeliveryState::Ended { end: DeliveryEnd::SubscriptionDeleted, at: at(LEASE_MILLIS) };
    assert!(deliveries(&*store, &closed.owner).await.iter().all(|one| one.state == end), "they must have ended");
    assert_eq!(drain(&*store, LEASE_MILLIS).await.len(), 7, "an open lane's deliveries must go on");
}

/// More than a thousand waiting deliveries all end when their lane closes, and none is claimed before its end.
pub async fn thousands_that_wait_all_end(store: Arc<dyn WebhookStore>) {
    for (n, deleting) in [(0, false), (1, true)] {
        let lane = subscribed(&*store, &user(&format!("user-{n}"))).await;
        for _ in 0..3 {
            publish_many(&*store, &lane.owner, 420, 0).await;
        }
        close(&*store, &lane, deleting, at(10)).await;
        assert!(claim(&*store, 10).await.is_empty(), "of a closed lane nothing may be claimed");
        end_closed(&*store, 10).await;
        let states: Vec<_> = deliveries(&*store, &lane.owner).await.into_iter().map(|one| one.state).collect();
        let over = states.iter().filter(|state| matches!(state, DeliveryState::Ended { .. })).count();
        assert_eq!((states.len(), over), (1_260, 1_260), "all must end");
    }
}

/// A subscription that is enabled again gets the events published from then on. Deliveries that have ended stay ended.
pub async fn enabling_again_brings_nothing_back(store: Arc<dyn WebhookStore>) {
    let lane = waiting_lane(&store).await;
    switch_off(&*store, &lane, 100).await;
    update(&*store, &lane, &switched(true), at(200)).await;
    assert!(claim(&*store, 1_000).await.is_empty(), "what has ended must not be claimed");
    let new = publish_at(&*store, &lane.owner, at(300)).await;
    assert_eq!(claim_one(&*store, 1_000).await.delivery.event, new, "what is published then must be");
}

/// A lane with a waiting first attempt, a retry and a replay, and one delivery that has ended.
async fn waiting_lane(store: &Arc<dyn WebhookStore>) -> Subscription {
    let lane = subscribed(&**store, &user("alice")).await;
    publish_many(&**store, &lane.owner, 3, 0).await;
    let held = claim(&**store, 1).await;
    settle(&**store, held[0].delivered(5)).await;
    settle(&**store, held[1].failed(5, 50)).await;
    settle(&**store, held[2].given_back(5, 9_000)).await;
    publish_at(&**store, &lane.owner, at(0)).await;
    lane
}

/// After `end_closed`, all but the delivered one have this end.
async fn expect_ended(store: &Arc<dyn WebhookStore>, lane: &Subscription, end: DeliveryEnd, at: Timestamp) {
    assert!(claim(&**store, 100).await.is_empty(), "of a closed lane nothing may be claimed");
    end_closed(&**store, 100).await;
    assert!(claim(&**store, 1_000_000).await.is_empty(), "what has ended must not be claimed");
    let states: Vec<_> = deliveries(&**store, &lane.owner).await.into_iter().map(|one| one.state).collect();
    let expected = DeliveryState::Ended { end, at };
    let count = states.iter().filter(|state| **state == expected).count();
    assert_eq!((states.len(), count), (4, 3), "all that waited must be {expected:?}, got {states:?}");
}
