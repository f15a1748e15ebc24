//! Answered writes are durable. The test closes a store, opens it again, and compares.
//!
//! ```no_run
//! # use std::sync::Arc;
//! # use storage_conformance::{WebhookStore, webhooks};
//! # async fn test(open_my_store: impl AsyncFn() -> Arc<dyn WebhookStore>) {
//! let store = open_my_store().await;
//! let written = webhooks::durability::write(&*store).await;
//! drop(store); // or kill the process, for a crash
//! written.expect_in(&*open_my_store().await).await;
//! # }
//! ```

use domain::SubscriptionId;
use domain::ports::Retained;
use domain::webhooks::{
    Delivery, DeliveryHistory, NewEvent, SealedSecret, SealedSecrets, Subscription, SubscriptionChange,
    SubscriptionHealth,
};

use super::WebhookStore;
use super::commands::{cancel, recover, retry_since};
use super::sample::{
    delete, deliveries, description, event, find, history, named, only_secret, publish, publish_at, publish_together,
    put, replace, rotate, secret, secrets_of, subscribed, subscription, subscriptions, switched, update,
};
use super::work::{Held, claim, complete, complete_all, drain, end_closed, settle};
use crate::sample::{at, user};

/// The data that was written and answered.
#[derive(Clone, Debug)]
pub struct Written {
    subscriptions: Vec<(Subscription, SubscriptionHealth)>,
    secrets: Vec<(SubscriptionId, SealedSecrets)>,
    deliveries: Vec<Delivery>,
    histories: Vec<DeliveryHistory>,
    published: NewEvent,
    due: usize,
}

/// Calls each writing method at least once. No claim is held at the end: claims need not be durable.
pub async fn write(store: &dyn WebhookStore) -> Written {
    let owner = user("durable");
    let lane = subscription(&owner);
    let first = put(store, &lane).await;
    let replaced = rotate_and_reseal(store, &lane, first).await;
    let renamed = SubscriptionChange { description: Some(description("renamed")), ..SubscriptionChange::default() };
    let lane = update(store, &lane, &renamed, at(6)).await;
    let deleted = subscribed(store, &owner).await;
    let disabled = subscription(&owner);
    let disabled_secret = put(store, &disabled).await;

    // An old event that is purged, and new ones that end in each way, or wait.
    publish_at(store, &owner, at(-200_000_000)).await;
    drain(store, -4_000).await;
    while store.purge(Retained::Webhooks, at(-4_999), 100).await.expect("a purge succeeds") > 0 {}
    let published = named(event(&owner), "order-1", "a");
    publish(store, std::slice::from_ref(&published)).await;
    publish_together(store, &owner, 1..7).await;
    let held = claim(store, 10).await;
    let (to_lane, others): (Vec<_>, Vec<_>) = held.into_iter().partition(|one| one.subscription == lane.id);
    delete(store, &deleted, at(20)).await;
    update(store, &disabled, &switched(false), at(20)).await;
    complete_all(store, &others, |one| one.failed(30, 40)).await;
    end_closed(store, 50).await;
    let endings = [to_lane[0].delivered(30), to_lane[1].spent(30), to_lane[2].failed(30, 5_000), to_lane[3].spent(30)];
    complete(store, &endings).await;
    settle(store, to_lane[5].given_back(30, 31)).await;
    settle(store, to_lane[6].given_back(30, 32)).await;
    command_by_hand(store, &lane, &to_lane).await;

    let mut written = Written {
        subscriptions: Vec::new(),
        secrets: vec![(lane.id, replaced), (disabled.id, only_secret(&disabled_secret))],
        deliveries: deliveries(store, &owner).await,
        histories: Vec::new(),
        published,
        due: 4,
    };
    for one in subscriptions(store, &owner).await {
        written.subscriptions.extend(find(store, &owner, one.id).await);
    }
    for one in &written.deliveries {
        written.histories.push(history(store, &owner, one.id).await);
    }
    written
}

/// The secrets of the subscription after a rotation and a replacement.
async fn rotate_and_reseal(store: &dyn WebhookStore, lane: &Subscription, first: SealedSecret) -> SealedSecrets {
    let (rotated, sealed_again) = (secret(), secret());
    rotate(store, lane, None, &rotated, [at(5), at(900)]).await;
    let rotated = SealedSecrets { previous: Some((first, at(900))), ..SealedSecrets::of(rotated) };
    let replaced = SealedSecrets { current: sealed_again, ..rotated.clone() };
    assert!(replace(store, lane.id, &rotated, &replaced).await, "it is what is stored");
    replaced
}

/// Cancels one of these deliveries of the subscription, retries another, and recovers a third.
async fn command_by_hand(store: &dyn WebhookStore, lane: &Subscription, held: &[Held]) {
    cancel(store, &lane.owner, held[4].delivery.id, 40).await;
    retry_since(store, &lane.owner, held[1].delivery.id, 50, -100).await;
    assert_eq!(recover(store, lane, 50, -100, 1).await, Some(1), "at most one was to be recovered");
}

impl Written {
    /// Panics unless the store has exactly the written data.
    pub async fn expect_in(&self, store: &dyn WebhookStore) {
        let owner = user("durable");
        let seen = subscriptions(store, &owner).await;
        let expected: Vec<_> = self.subscriptions.iter().map(|(one, _)| one.clone()).collect();
        assert_eq!(seen, expected, "subscriptions must outlive the store");
        for (one, health) in &self.subscriptions {
            let found = find(store, &owner, one.id).await;
            assert_eq!(found, Some((one.clone(), health.clone())), "their health must outlive the store");
        }
        for (id, secrets) in &self.secrets {
            assert_eq!(secrets_of(store, *id).await.as_ref(), Some(secrets), "secrets must outlive the store");
        }
        assert_eq!(deliveries(store, &owner).await, self.deliveries, "deliveries must outlive the store");
        for expected in &self.histories {
            let found = history(store, &owner, expected.delivery.id).await;
            assert_eq!(found, *expected, "events and attempts must outlive the store");
        }
        let again = named(event(&owner), "order-1", "a");
        let accepted = publish(store, &[again]).await;
        assert_eq!(accepted[0].event, self.published.event, "ids of publishers must outlive the store");
    }

    /// Delivers all due deliveries, and panics unless they are all that were not delivered yet. Call this once, at the
    /// end.
    pub async fn expect_delivered_by(&self, store: &dyn WebhookStore) {
        let delivered = drain(store, 100).await.len();
        assert_eq!(delivered, self.due, "what was due must outlive the store and be delivered");
    }
}
