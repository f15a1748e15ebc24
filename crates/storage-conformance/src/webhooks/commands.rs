//! The calls of an owner for deliveries: retries, cancellations and recoveries.

use domain::memory::unique_cause;
use domain::ports::{
    CancelDeliveryRequest, CountRecoverableRequest, RecoverRequest, RetryByHand, RetryDeliveryRequest, RetryRequest,
};
use domain::webhooks::{Delivery, Recoverable, RecoveryFilter, Subscription};
use domain::{DeliveryId, OwnerId};

use super::WebhookStore;
use crate::sample::at;

/// A retry this many milliseconds after the start, of events that were published at `since` or later.
pub(crate) fn retry_at(millis: i64, since: i64) -> RetryRequest {
    RetryRequest { at: at(millis), published_since: at(since) }
}

/// Retries a delivery by hand.
pub(crate) async fn retry_since(
    store: &dyn WebhookStore,
    owner: &OwnerId,
    id: DeliveryId,
    millis: i64,
    since: i64,
) -> RetryByHand {
    let (owner, retry, cause) = (owner.clone(), retry_at(millis, since), unique_cause());
    let answer = store.retry(&RetryDeliveryRequest { owner, id, retry, cause }).await;
    answer.expect("a retry must succeed or be refused as a value")
}

/// Retries a delivery by hand, of an event from the start or later.
pub(crate) async fn retry(store: &dyn WebhookStore, owner: &OwnerId, id: DeliveryId, millis: i64) -> RetryByHand {
    retry_since(store, owner, id, millis, 0).await
}

pub(crate) async fn cancel(store: &dyn WebhookStore, owner: &OwnerId, id: DeliveryId, millis: i64) -> Option<Delivery> {
    let request = CancelDeliveryRequest { owner: owner.clone(), id, at: at(millis), cause: unique_cause() };
    store.cancel(&request).await.expect("a cancellation must succeed")
}

/// The first part of a recovery, which enables the subscription.
pub(crate) fn recovery(
    lane: &Subscription,
    retry: RetryRequest,
    filter: impl Into<RecoveryFilter>,
    max: u32,
) -> RecoverRequest {
    let (owner, subscription, filter, cause) = (lane.owner.clone(), lane.id, filter.into(), unique_cause());
    RecoverRequest { owner, subscription, retry, filter, after: None, max, cause, enables: true }
}

/// The number of deliveries that the recovery retries; `None` without the subscription.
pub(crate) async fn recover_as(store: &dyn WebhookStore, request: &RecoverRequest) -> Option<u32> {
    let recovered = store.recover(request).await.expect("a recovery must succeed");
    recovered.map(|recovered| recovered.deliveries)
}

/// Recovers failed and missed deliveries.
pub(crate) async fn recover(
    store: &dyn WebhookStore,
    lane: &Subscription,
    millis: i64,
    since: i64,
    max: u32,
) -> Option<u32> {
    recover_as(store, &recovery(lane, retry_at(millis, since), Recoverable::All, max)).await
}

/// The number of deliveries that a recovery would retry; `None` without the subscription.
pub(crate) async fn count_recoverable(
    store: &dyn WebhookStore,
    lane: &Subscription,
    retry: RetryRequest,
    filter: impl Into<RecoveryFilter>,
    max: u32,
) -> Option<u32> {
    let (owner, subscription, filter) = (lane.owner.clone(), lane.id, filter.into());
    let answer = store.count_recoverable(&CountRecoverableRequest { owner, subscription, retry, filter, max }).await;
    answer.expect("a count must succeed")
}
