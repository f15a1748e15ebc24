//! A webhook store that is down.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use domain::ports::{
    CancelDeliveryRequest, ChangeSubscriptionRequest, CommitRequest, Committed, CountRecoverableRequest,
    DeleteSubscriptionRequest, DeliveryCommands, DeliveryLog, DeliveryPage, DisableSetByRequest, EventPage, EventStore,
    FailingPlace, FailingSubscription, ForgetRequest, InsertSubscriptionRequest, ListAttemptsRequest,
    ListDeliveriesRequest, ListEventsRequest, ListFailedRequest, ListSubscriptionsRequest, ListedConsumer,
    LoggedAttempt, LoggedEvent, OperatorLog, OutcomesRequest, Publication, Pulled, PulledEvents, PulledLog, PulledMax,
    ReceiveRequest, RecoverRequest, Recovered, ReplaceSecretsRequest, RetryByHand, RetryDeliveryRequest,
    RetryFailedRequest, RetryOfFailed, RotateSecretRequest, SealedSecretStore, SecretRotation, SeekRequest, Sought,
    StoreError, SubscriptionInsertion, SubscriptionStore, SubscriptionUpdate, WebhookStores,
};
use domain::webhooks::{
    Delivery, DeliveryHistory, FailedDelivery, NewEvent, OutcomeCounts, SealedSecret, SealedSecrets, Subscription,
    SubscriptionHealth,
};
use domain::{DeliveryId, EventId, Hour, OwnerId, SubscriptionId};

/// Every call fails.
pub(crate) struct FailingWebhookStore;

impl FailingWebhookStore {
    pub(crate) fn stores() -> WebhookStores {
        WebhookStores::of(&Arc::new(Self))
    }
}

fn down<T>() -> Result<T, StoreError> {
    Err(StoreError::Unavailable("connection refused by 192.0.2.1".into()))
}

#[async_trait]
impl SubscriptionStore for FailingWebhookStore {
    async fn list_with_health(
        &self,
        _: &ListSubscriptionsRequest,
    ) -> Result<Vec<(Subscription, SubscriptionHealth)>, StoreError> {
        down()
    }

    async fn insert_within(&self, _: &InsertSubscriptionRequest) -> Result<SubscriptionInsertion, StoreError> {
        down()
    }

    async fn list(&self, _: &ListSubscriptionsRequest) -> Result<Vec<Subscription>, StoreError> {
        down()
    }

    async fn find(
        &self,
        _: &OwnerId,
        _: SubscriptionId,
    ) -> Result<Option<(Subscription, SubscriptionHealth)>, StoreError> {
        down()
    }

    async fn update(&self, _: &ChangeSubscriptionRequest) -> Result<SubscriptionUpdate, StoreError> {
        down()
    }

    async fn disable_set_by(&self, _: &DisableSetByRequest) -> Result<u32, StoreError> {
        down()
    }

    async fn rotate_secret(&self, _: &RotateSecretRequest) -> Result<SecretRotation, StoreError> {
        down()
    }

    async fn delete(&self, _: &DeleteSubscriptionRequest) -> Result<bool, StoreError> {
        down()
    }
}

#[async_trait]
impl SealedSecretStore for FailingWebhookStore {
    async fn list_secrets(
        &self,
        _: Option<SubscriptionId>,
        _: u32,
    ) -> Result<Vec<(SubscriptionId, SealedSecrets)>, StoreError> {
        down()
    }

    async fn find_secrets(&self, _: SubscriptionId) -> Result<Option<SealedSecrets>, StoreError> {
        down()
    }

    async fn replace_secrets(&self, _: &ReplaceSecretsRequest) -> Result<bool, StoreError> {
        down()
    }

    async fn find_check(&self) -> Result<Option<SealedSecret>, StoreError> {
        down()
    }

    async fn keep_check(&self, _: Option<&SealedSecret>, _: &SealedSecret) -> Result<SealedSecret, StoreError> {
        down()
    }
}

#[async_trait]
impl EventStore for FailingWebhookStore {
    async fn publish(&self, _: &[NewEvent]) -> Result<Publication, StoreError> {
        down()
    }
}

#[async_trait]
impl OperatorLog for FailingWebhookStore {
    async fn subscriptions(&self, _: Option<SubscriptionId>, _: u32) -> Result<Vec<Subscription>, StoreError> {
        down()
    }

    async fn failing(&self, _: Option<FailingPlace>, _: u32) -> Result<Vec<FailingSubscription>, StoreError> {
        down()
    }

    async fn list_events(&self, _: &ListEventsRequest) -> Result<EventPage, StoreError> {
        down()
    }

    async fn find_event(&self, _: EventId) -> Result<Option<LoggedEvent>, StoreError> {
        down()
    }
}

#[async_trait]
impl DeliveryLog for FailingWebhookStore {
    async fn list(&self, _: &ListDeliveriesRequest) -> Result<DeliveryPage, StoreError> {
        down()
    }

    async fn find(&self, _: &OwnerId, _: DeliveryId) -> Result<Option<DeliveryHistory>, StoreError> {
        down()
    }

    async fn failed(&self, _: &ListFailedRequest) -> Result<Vec<FailedDelivery>, StoreError> {
        down()
    }

    async fn count_recoverable(&self, _: &CountRecoverableRequest) -> Result<Option<u32>, StoreError> {
        down()
    }

    async fn attempts_after(&self, _: &ListAttemptsRequest) -> Result<Vec<LoggedAttempt>, StoreError> {
        down()
    }

    async fn outcomes(&self, _: &OutcomesRequest) -> Result<Option<BTreeMap<Hour, OutcomeCounts>>, StoreError> {
        down()
    }
}

#[async_trait]
impl DeliveryCommands for FailingWebhookStore {
    async fn retry(&self, _: &RetryDeliveryRequest) -> Result<RetryByHand, StoreError> {
        down()
    }

    async fn cancel(&self, _: &CancelDeliveryRequest) -> Result<Option<Delivery>, StoreError> {
        down()
    }

    async fn retry_failed(&self, _: &RetryFailedRequest) -> Result<RetryOfFailed, StoreError> {
        down()
    }

    async fn recover(&self, _: &RecoverRequest) -> Result<Option<Recovered>, StoreError> {
        down()
    }
}

#[async_trait]
impl PulledEvents for FailingWebhookStore {
    async fn receive(&self, _: &ReceiveRequest) -> Result<Pulled, StoreError> {
        down()
    }

    async fn commit(&self, _: &CommitRequest) -> Result<Committed, StoreError> {
        down()
    }

    async fn seek(&self, _: &SeekRequest) -> Result<Sought, StoreError> {
        down()
    }

    async fn read(&self, _: &PulledLog, _: Option<u64>, _: PulledMax) -> Result<Pulled, StoreError> {
        down()
    }

    async fn consumers(&self, _: &PulledLog) -> Result<Option<Vec<ListedConsumer>>, StoreError> {
        down()
    }

    async fn forget(&self, _: &ForgetRequest) -> Result<bool, StoreError> {
        down()
    }

    async fn last_numbers(&self, _: &[PulledLog]) -> Result<Vec<(SubscriptionId, u64)>, StoreError> {
        down()
    }
}
