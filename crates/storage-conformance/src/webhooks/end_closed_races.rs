//! Subscriptions that are disabled, deleted or changed while events are published and claimed.

use std::collections::HashSet;
use std::sync::Arc;

use domain::webhooks::{Delivery, DeliveryEnd, DeliveryState, SubscriptionChange};

use super::WebhookStore;
use super::calls::{calling, claiming, publishing, race};
use super::sample::{
    add, close, delete, deliveries, event_of, patterns, publish, publish_many, subscribed, subscription_to, switched,
    update,
};
use super::work::{claim, end_closed};
use crate::racing::all_at_once;
use crate::sample::{at, user};

/// How many events each of the parallel calls publishes.
const PUBLISHED_EACH: u32 = 3;

/// Every delivery that is accepted while a subscription is deleted ends: none can be claimed afterwards, and none is lost.
pub async fn publications_beside_a_deletion_all_end(store: Arc<dyn WebhookStore>) {
    let deletes = true;
    closing_races(&store, deletes).await;
}

/// Every delivery that is accepted while a subscription is disabled ends: none can be claimed afterwards, and none is lost.
/// The subscription misses all later events.
pub async fn publications_beside_a_disabling_all_end(store: Arc<dyn WebhookStore>) {
    let deletes = false;
    closing_races(&store, deletes).await;
}

async fn closing_races(store: &Arc<dyn WebhookStore>, deletes: bool) {
    for round in 0..12 {
        let lane = subscribed(&**store, &user(&format!("round {round}"))).await;
        let mut calls: Vec<_> = (0..4).map(|_| publishing(store, &lane.owner, PUBLISHED_EACH, 0)).collect();
        let closed = lane.clone();
        let closing = calling(store, move |store| async move {
            close(&*store, &closed, deletes, at(50)).await;
            0_u32
        });
        calls.insert(round % 5, closing);
        let accepted: u32 = all_at_once(calls).await.iter().sum();
        assert!(claim(&**store, 100).await.is_empty(), "of a closed lane nothing may be claimed");
        end_closed(&**store, 100).await;
        let all = deliveries(&**store, &lane.owner).await;
        let is_missed = |one: &&Delivery| matches!(one.state, DeliveryState::Ended { end: DeliveryEnd::Missed, .. });
        let count = all.iter().filter(is_missed).count();
        assert_eq!(all.len() - count, accepted as usize, "what was accepted must be in the log, and nothing else");
        let missed = if deletes { 0 } else { 4 * PUBLISHED_EACH - accepted };
        assert_eq!(count, missed as usize, "a disabled subscription misses the rest");
        let is_over = |state| matches!(state, DeliveryState::Ended { .. });
        assert!(all.iter().all(|one| is_over(one.state)), "what was accepted must end with its lane, got {all:?}");
    }
}

/// While a subscription is disabled, each of its deliveries is either claimed or ended, and never both.
pub async fn claims_beside_a_disabling_lose_nothing(store: Arc<dyn WebhookStore>) {
    for round in 0..8 {
        let lane = subscribed(&*store, &user(&format!("round {round}"))).await;
        publish_many(&*store, &lane.owner, 24, 0).await;
        let claims = (0..4).map(|_| claiming(&store, 10));
        let disabled = lane.clone();
        let closing = calling(&store, |store| async move {
            update(&*store, &disabled, &switched(false), at(10)).await;
            Vec::new()
        });
        let claimed = all_at_once(claims.chain([closing]).collect()).await;
        let claimed: HashSet<_> = claimed.iter().flatten().map(|held| held.delivery.id).collect();
        end_closed(&*store, 20).await;
        for one in deliveries(&*store, &lane.owner).await {
            let is_sent = matches!(one.state, DeliveryState::Sending(_));
            let is_ended = matches!(one.state, DeliveryState::Ended { .. });
            let expected = (claimed.contains(&one.id), !claimed.contains(&one.id));
            assert_eq!((is_sent, is_ended), expected, "each must be claimed or ended, got {one:?}");
        }
        delete(&*store, &lane, at(30)).await;
    }
}

/// A change of patterns happens wholly before or wholly after a publication. A subscription that changes from one type to
/// another gets one of two events that are published together.
pub async fn a_change_comes_wholly_before_or_after_a_publication(store: Arc<dyn WebhookStore>) {
    for round in 0..20 {
        let lane = add(&*store, subscription_to(&user(&format!("round {round}")), &["before"])).await;
        let events = ["after", "after", "before", "before"].map(|name| event_of(&lane.owner, name));
        let publication = calling(&store, |store| async move {
            let accepted = publish(&*store, &events).await;
            accepted.iter().map(|one| one.deliveries).sum::<u32>()
        });
        let change = calling(&store, |store| async move {
            let events = Some(patterns(&["after"]));
            update(&*store, &lane, &SubscriptionChange { events, ..SubscriptionChange::default() }, at(1)).await;
            0_u32
        });
        let deliveries: u32 = race(round, change, publication).await.iter().sum();
        assert_eq!(deliveries, 2, "either the patterns before or those after must decide, for all events of a call");
    }
}
