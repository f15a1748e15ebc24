//! A webhook store that is down.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use domain::memory::MemoryWebhookStore;
use domain::ports::{
    CancelDeliveryRequest, ChangeSubscriptionRequest, CountRecoverableRequest, DeleteSubscriptionRequest,
    DeliveryCommands, DeliveryLog, DeliveryPage, DisableSetByRequest, EventPage, EventStore, FailingPlace,
    FailingSubscription, InsertSubscriptionRequest, ListAttemptsRequest, ListDeliveriesRequest, ListEventsRequest,
    ListFailedRequest, ListSubscriptionsRequest, LoggedAttempt, LoggedEvent, OperatorLog, OutcomesRequest, Publication,
    RecoverRequest, Recovered, RetryByHand, RetryDeliveryRequest, RetryFailedRequest, RetryOfFailed,
    RotateSecretRequest, SecretRotation, StoreError, SubscriptionInsertion, SubscriptionStore, SubscriptionUpdate,
    WebhookStores,
};
use domain::webhooks::{
    Delivery, DeliveryHistory, FailedDelivery, NewEvent, OutcomeCounts, Subscription, SubscriptionHealth,
};
use domain::{DeliveryId, EventId, Hour, OwnerId, SubscriptionId};

/// Every call fails.
pub(crate) struct FailingWebhookStore;

type Outcome<T> = Result<T, StoreError>;

impl FailingWebhookStore {
    /// Ports of this store. No test reads secrets or pulls events from a store that is down.
    pub(crate) fn stores() -> WebhookStores {
        let failing = Arc::new(Self);
        WebhookStores {
            subscriptions: failing.clone(),
            events: failing.clone(),
            log: failing.clone(),
            commands: failing.clone(),
            operator_log: failing,
            ..WebhookStores::of(&Arc::<MemoryWebhookStore>::default())
        }
    }
}

fn down<T>() -> Outcome<T> {
    Err(StoreError::Unavailable("connection refused by 192.0.2.1".into()))
}

#[async_trait]
impl SubscriptionStore for FailingWebhookStore {
    async fn list_with_health(&self, _: &ListSubscriptionsRequest) -> Outcome<Vec<(Subscription, SubscriptionHealth)>> {
        down()
    }

    async fn insert_within(&self, _: &InsertSubscriptionRequest) -> Outcome<SubscriptionInsertion> {
        down()
    }

    async fn list(&self, _: &ListSubscriptionsRequest) -> Outcome<Vec<Subscription>> {
        down()
    }

    async fn find(&self, _: &OwnerId, _: SubscriptionId) -> Outcome<Option<(Subscription, SubscriptionHealth)>> {
        down()
    }

    async fn update(&self, _: &ChangeSubscriptionRequest) -> Outcome<SubscriptionUpdate> {
        down()
    }

    async fn disable_set_by(&self, _: &DisableSetByRequest) -> Outcome<u32> {
        down()
    }

    async fn rotate_secret(&self, _: &RotateSecretRequest) -> Outcome<SecretRotation> {
        down()
    }

    async fn delete(&self, _: &DeleteSubscriptionRequest) -> Outcome<bool> {
        down()
    }
}

#[async_trait]
impl EventStore for FailingWebhookStore {
    async fn publish(&self, _: &[NewEvent]) -> Outcome<Publication> {
        down()
    }
}

#[async_trait]
impl OperatorLog for FailingWebhookStore {
    async fn subscriptions(&self, _: Option<SubscriptionId>, _: u32) -> Outcome<Vec<Subscription>> {
        down()
    }

    async fn failing(&self, _: Option<FailingPlace>, _: u32) -> Outcome<Vec<FailingSubscription>> {
        down()
    }

    async fn list_events(&self, _: &ListEventsRequest) -> Outcome<EventPage> {
        down()
    }

    async fn find_event(&self, _: EventId) -> Outcome<Option<LoggedEvent>> {
        down()
    }
}

#[async_trait]
impl DeliveryLog for FailingWebhookStore {
    async fn list(&self, _: &ListDeliveriesRequest) -> Outcome<DeliveryPage> {
        down()
    }

    async fn find(&self, _: &OwnerId, _: DeliveryId) -> Outcome<Option<DeliveryHistory>> {
        down()
    }

    async fn failed(&self, _: &ListFailedRequest) -> Outcome<Vec<FailedDelivery>> {
        down()
    }

    async fn count_recoverable(&self, _: &CountRecoverableRequest) -> Outcome<Option<u32>> {
        down()
    }

    async fn attempts_after(&self, _: &ListAttemptsRequest) -> Outcome<Vec<LoggedAttempt>> {
        down()
    }

    async fn outcomes(&self, _: &OutcomesRequest) -> Outcome<Option<BTreeMap<Hour, OutcomeCounts>>> {
        down()
    }
}

#[async_trait]
impl DeliveryCommands for FailingWebhookStore {
    async fn retry(&self, _: &RetryDeliveryRequest) -> Outcome<RetryByHand> {
        down()
    }

    async fn cancel(&self, _: &CancelDeliveryRequest) -> Outcome<Option<Delivery>> {
        down()
    }

    async fn retry_failed(&self, _: &RetryFailedRequest) -> Outcome<RetryOfFailed> {
        down()
    }

    async fn recover(&self, _: &RecoverRequest) -> Outcome<Option<Recovered>> {
        down()
    }
}
