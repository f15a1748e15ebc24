use async_trait::async_trait;
use diesel::SqliteConnection;
use domain::ports::{
    CancelDeliveryRequest, DeliveryCommands, RecoverRequest, Recovered, RetryByHand, RetryDeliveryRequest,
    RetryFailedRequest, RetryOfFailed, StoreError,
};
use domain::webhooks::Delivery;
use domain::{DeliveryId, OwnerId, SubscriptionId};

use super::cancel_delivery::cancel_delivery;
use super::find_delivery::find_delivery;
use super::recover_subscription::recover_subscription;
use super::retry_delivery::retry_delivery;
use super::retry_failures::retry_failures;
use crate::SqliteStore;

#[async_trait]
impl DeliveryCommands for SqliteStore {
    async fn retry(&self, request: &RetryDeliveryRequest) -> Result<RetryByHand, StoreError> {
        let Some(subscription) = self.subscription_of(&request.owner, request.id).await? else {
            return Ok(RetryByHand::NotFound);
        };
        let (request, wake) = (request.clone(), self.wake.clone());
        let work = move |connection: &mut SqliteConnection| retry_delivery(connection, subscription, &request);
        self.writer.write_then(work, move |_| wake.up()).await
    }

    async fn cancel(&self, request: &CancelDeliveryRequest) -> Result<Option<Delivery>, StoreError> {
        let Some(subscription) = self.subscription_of(&request.owner, request.id).await? else { return Ok(None) };
        let (request, wake) = (request.clone(), self.wake.clone());
        let work = move |connection: &mut SqliteConnection| cancel_delivery(connection, subscription, &request);
        self.writer.write_then(work, move |_| wake.up()).await
    }

    async fn retry_failed(&self, request: &RetryFailedRequest) -> Result<RetryOfFailed, StoreError> {
        self.write_and_wake(request, retry_failures).await
    }

    async fn recover(&self, request: &RecoverRequest) -> Result<Option<Recovered>, StoreError> {
        self.write_and_wake(request, recover_subscription).await
    }
}

impl SqliteStore {
    /// The subscription of a delivery, which never changes. A search among all subscriptions of the owner, so it does not
    /// keep the writer busy.
    async fn subscription_of(&self, owner: &OwnerId, id: DeliveryId) -> Result<Option<SubscriptionId>, StoreError> {
        let owner = owner.clone();
        // One transaction: a delivery that is retried during the call moves from one table to another.
        let found = self.readers.read_at_once(move |connection| find_delivery(connection, &owner, id)).await?;
        Ok(found.map(|delivery| delivery.subscription_id))
    }
}
