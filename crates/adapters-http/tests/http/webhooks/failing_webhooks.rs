//! A webhook store that is down.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use domain::audit::Cause;
use domain::ports::{
    AttemptCursor, DeliveryCommands, DeliveryLog, DeliveryPage, EventPage, EventStore, FailingPlace,
    FailingSubscription, LoggedAttempt, LoggedEvent, OperatorLog, Publication, RetryByHand, RetryOfFailed,
    RetryRequest, SealedSecretStore, SecretRotation, StoreError, SubscriptionInsertion, SubscriptionStore,
    WebhookStores,
};
use domain::webhooks::{
    Delivery, DeliveryFilter, DeliveryHistory, DisableReason, EventFilter, FailedDelivery, NewEvent, OutcomeCounts,
    SealedSecret, SealedSecrets, Subscription, SubscriptionChange, SubscriptionHealth,
};
use domain::{DeliveryId, EventId, Hour, HourRange, KeyId, SubscriptionId, Timestamp, UserId};

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
        _: &UserId,
        _: Option<SubscriptionId>,
        _: u32,
    ) -> Result<Vec<(Subscription, SubscriptionHealth)>, StoreError> {
        down()
    }

    async fn insert_within(
        &self,
        _: &Subscription,
        _: &SealedSecret,
        _: u32,
        _cause: &Cause,
    ) -> Result<SubscriptionInsertion, StoreError> {
        down()
    }

    async fn list(&self, _: &UserId, _: Option<SubscriptionId>, _: u32) -> Result<Vec<Subscription>, StoreError> {
        down()
    }

    async fn find(
        &self,
        _: &UserId,
        _: SubscriptionId,
    ) -> Result<Option<(Subscription, SubscriptionHealth)>, StoreError> {
        down()
    }

    async fn update(
        &self,
        _: &UserId,
        _: SubscriptionId,
        _: &SubscriptionChange,
        _: Timestamp,
        _cause: &Cause,
    ) -> Result<Option<Subscription>, StoreError> {
        down()
    }

    async fn disable_set_by(
        &self,
        _: &[KeyId],
        _: DisableReason,
        _: Timestamp,
        _: u32,
        _cause: &Cause,
    ) -> Result<u32, StoreError> {
        down()
    }

    async fn rotate_secret(
        &self,
        _: &UserId,
        _: SubscriptionId,
        _: &SealedSecret,
        _: Timestamp,
        _: Timestamp,
        _cause: &Cause,
    ) -> Result<SecretRotation, StoreError> {
        down()
    }

    async fn delete(&self, _: &UserId, _: SubscriptionId, _: Timestamp, _cause: &Cause) -> Result<bool, StoreError> {
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

    async fn replace_secrets(
        &self,
        _: SubscriptionId,
        _: &SealedSecrets,
        _: &SealedSecrets,
    ) -> Result<bool, StoreError> {
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
    async fn failing(&self, _: Option<FailingPlace>, _: u32) -> Result<Vec<FailingSubscription>, StoreError> {
        down()
    }

    async fn list_events(&self, _: &EventFilter, _: Option<EventId>, _: u32) -> Result<EventPage, StoreError> {
        down()
    }

    async fn find_event(&self, _: EventId) -> Result<Option<LoggedEvent>, StoreError> {
        down()
    }
}

#[async_trait]
impl DeliveryLog for FailingWebhookStore {
    async fn list(
        &self,
        _: &UserId,
        _: &DeliveryFilter,
        _: Option<DeliveryId>,
        _: u32,
    ) -> Result<DeliveryPage, StoreError> {
        down()
    }

    async fn find(&self, _: &UserId, _: DeliveryId) -> Result<Option<DeliveryHistory>, StoreError> {
        down()
    }

    async fn failed(
        &self,
        _: &UserId,
        _: Option<SubscriptionId>,
        _: Timestamp,
        _: u32,
    ) -> Result<Vec<FailedDelivery>, StoreError> {
        down()
    }

    async fn count_recoverable(
        &self,
        _: &UserId,
        _: SubscriptionId,
        _: RetryRequest,
        _: u32,
    ) -> Result<Option<u32>, StoreError> {
        down()
    }

    async fn attempts_after(
        &self,
        _: &UserId,
        _: Option<SubscriptionId>,
        _: AttemptCursor,
        _: u32,
    ) -> Result<Vec<LoggedAttempt>, StoreError> {
        down()
    }

    async fn outcomes(
        &self,
        _: &UserId,
        _: Option<SubscriptionId>,
        _: HourRange,
    ) -> Result<Option<BTreeMap<Hour, OutcomeCounts>>, StoreError> {
        down()
    }
}

#[async_trait]
impl DeliveryCommands for FailingWebhookStore {
    async fn retry(
        &self,
        _: &UserId,
        _: DeliveryId,
        _: RetryRequest,
        _cause: &Cause,
    ) -> Result<RetryByHand, StoreError> {
        down()
    }

    async fn cancel(
        &self,
        _: &UserId,
        _: DeliveryId,
        _: Timestamp,
        _cause: &Cause,
    ) -> Result<Option<Delivery>, StoreError> {
        down()
    }

    async fn retry_failed(
        &self,
        _: &UserId,
        _: SubscriptionId,
        _: &[DeliveryId],
        _: RetryRequest,
        _cause: &Cause,
    ) -> Result<RetryOfFailed, StoreError> {
        down()
    }

    async fn recover(
        &self,
        _: &UserId,
        _: SubscriptionId,
        _: RetryRequest,
        _: u32,
        _cause: &Cause,
    ) -> Result<Option<u32>, StoreError> {
        down()
    }

    async fn recover_rest(
        &self,
        _: &UserId,
        _: SubscriptionId,
        _: RetryRequest,
        _: u32,
        _cause: &Cause,
    ) -> Result<u32, StoreError> {
        down()
    }

    async fn purge_history(&self, _: Timestamp, _: u32) -> Result<u32, StoreError> {
        down()
    }

    async fn purge_outcomes(&self, _: Hour, _: u32) -> Result<u32, StoreError> {
        down()
    }
}
