//! Subscriptions that are disabled, deleted or changed while events are published and claimed.

use std::collections::HashSet;
use std::sync::Arc;

use domain::webhooks::{Delivery, DeliveryEnd, DeliveryState, Subscription, SubscriptionChange};

use super::WebhookStore;
use super::sample::{
    delete, deliveries, event, event_of, patterns, publish, put, subscribed, subscription_to, switched, update,
};
use super::work::{claim, end_closed};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

/// How many events each of the parallel calls publishes.
const PUBLISHED_EACH: u32 = 3;

/// Every delivery that is accepted while a subscription is deleted ends: none can be claimed afterwards, and none is lost.
pub async fn publications_beside_a_deletion_all_end(store: Arc<dyn WebhookStore>) {
    closing_races(&store, closing_by_deletion, |_| 0).await;
}

/// Every delivery that is accepted while a subscription is disabled ends: none can be claimed afterwards, and none is lost.
/// The subscription misses all later events.
pub async fn publications_beside_a_disabling_all_end(store: Arc<dyn WebhookStore>) {
    closing_races(&store, closing_by_disabling, |rest| rest).await;
}

async fn closing_races(
    store: &Arc<dyn WebhookStore>,
    closing: fn(&Arc<dyn WebhookStore>, &Subscription) -> Call<u32>,
    missed: fn(u32) -> u32,
) {
    for round in 0..12 {
        let lane = subscribed(&**store, &user(&format!("round {round}"))).await;
        let mut calls: Vec<_> = (0..4).map(|_| publishing(store, &lane)).collect();
        calls.insert(round % 5, closing(store, &lane));
        let accepted: u32 = all_at_once(calls).await.iter().sum();
        assert!(claim(&**store, 100).await.is_empty(), "of a closed lane nothing may be claimed");
        end_closed(&**store, 100).await;
        let all = deliveries(&**store, &lane.owner).await;
        let is_missed = |one: &&Delivery| matches!(one.state, DeliveryState::Ended { end: DeliveryEnd::Missed, .. });
        let count = all.iter().filter(is_missed).count();
        assert_eq!(all.len() - count, accepted as usize, "what was accepted must be in the log, and nothing else");
        assert_eq!(count, missed(4 * PUBLISHED_EACH - accepted) as usize, "a disabled subscription misses the rest");
        let is_over = |state| matches!(state, DeliveryState::Ended { .. });
        assert!(all.iter().all(|one| is_over(one.state)), "what was accepted must end with its lane, got {all:?}");
    }
}

/// While a subscription is disabled, each of its deliveries is either claimed or ended, and never both.
pub async fn claims_beside_a_disabling_lose_nothing(store: Arc<dyn WebhookStore>) {
    for round in 0..8 {
        let lane = subscribed(&*store, &user(&format!("round {round}"))).await;
        let events: Vec<_> = (0..24).map(|_| event(&lane.owner)).collect();
        publish(&*store, &events).await;
        let claims = (0..4).map(|_| {
            let store = Arc::clone(&store);
            Box::pin(async move { claim(&*store, 10).await.iter().map(|held| held.delivery.id).collect() })
                as Call<Vec<_>>
        });
        let (switch, disabled) = (Arc::clone(&store), lane.clone());
        let closing: Call<Vec<_>> = Box::pin(async move {
            update(&*switch, &disabled, &switched(false), at(10)).await;
            Vec::new()
        });
        let claimed = all_at_once(claims.chain([closing]).collect()).await;
        let claimed: HashSet<_> = claimed.into_iter().flatten().collect();
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
        let lane = subscription_to(&user(&format!("round {round}")), &["before"]);
        put(&*store, &lane).await;
        let (publisher, owner) = (Arc::clone(&store), lane.owner.clone());
        let publication: Call<u32> = Box::pin(async move {
            let events = ["after", "after", "before", "before"].map(|name| event_of(&owner, name));
            publish(&*publisher, &events).await.iter().map(|one| one.deliveries).sum()
        });
        let (desk, changed) = (Arc::clone(&store), lane.clone());
        let change: Call<u32> = Box::pin(async move {
            let events = Some(patterns(&["after"]));
            update(&*desk, &changed, &SubscriptionChange { events, ..SubscriptionChange::default() }, at(1)).await;
            0
        });
        let mut calls = vec![publication];
        calls.insert(round % 2, change);
        let deliveries: u32 = all_at_once(calls).await.iter().sum();
        assert_eq!(deliveries, 2, "either the patterns before or those after must decide, for all events of a call");
    }
}

/// Publishes three events one by one, and counts the deliveries that were accepted.
fn publishing(store: &Arc<dyn WebhookStore>, lane: &Subscription) -> Call<u32> {
    let (store, owner) = (Arc::clone(store), lane.owner.clone());
    Box::pin(async move {
        let mut accepted = 0;
        for _ in 0..PUBLISHED_EACH {
            accepted += publish(&*store, &[event(&owner)]).await[0].deliveries;
        }
        accepted
    })
}

fn closing_by_deletion(store: &Arc<dyn WebhookStore>, lane: &Subscription) -> Call<u32> {
    let (store, lane) = (Arc::clone(store), lane.clone());
    Box::pin(async move {
        delete(&*store, &lane, at(50)).await;
        0
    })
}

fn closing_by_disabling(store: &Arc<dyn WebhookStore>, lane: &Subscription) -> Call<u32> {
    let (store, lane) = (Arc::clone(store), lane.clone());
    Box::pin(async move {
        update(&*store, &lane, &switched(false), at(50)).await;
        0
    })
}
