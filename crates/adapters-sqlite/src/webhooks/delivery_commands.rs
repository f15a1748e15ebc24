use async_trait::async_trait;
use diesel::{Connection, SqliteConnection};
use diesel_mapping::SUBSCRIPTION_OUTCOMES;
use domain::audit::Cause;
use domain::ports::{DeliveryCommands, RetryByHand, RetryOfFailed, RetryRequest, StoreError};
use domain::webhooks::Delivery;
use domain::{DeliveryId, Hour, SubscriptionId, Timestamp, UserId};

use super::cancel_delivery::cancel_delivery;
use super::find_delivery::find_delivery;
use super::recover_subscription::{recover_rest, recover_subscription};
use super::retry_delivery::retry_delivery;
use super::retry_failures::retry_failures;
use crate::SqliteStore;
use crate::by_hour::purge_counts;

#[async_trait]
impl DeliveryCommands for SqliteStore {
    async fn retry(
        &self,
        owner: &UserId,
        id: DeliveryId,
        request: RetryRequest,
        cause: &Cause,
    ) -> Result<RetryByHand, StoreError> {
        let Some(subscription) = self.subscription_of(owner, id).await? else { return Ok(RetryByHand::NotFound) };
        let (owner, wake, cause) = (owner.clone(), self.wake.clone(), cause.clone());
        let work = move |connection: &mut SqliteConnection| {
            retry_delivery(connection, &owner, (subscription, id), request, &cause)
        };
        self.writer.write_then(work, move |_| wake.up()).await
    }

    async fn cancel(
        &self,
        owner: &UserId,
        id: DeliveryId,
        at: Timestamp,
        cause: &Cause,
    ) -> Result<Option<Delivery>, StoreError> {
        let Some(subscription) = self.subscription_of(owner, id).await? else { return Ok(None) };
        let (owner, cause) = (owner.clone(), cause.clone());
        let cancel = move |connection: &mut SqliteConnection| {
            cancel_delivery(connection, &owner, (subscription, id), at, &cause)
        };
        self.writer.write(cancel).await
    }

    async fn retry_failed(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        ids: &[DeliveryId],
        request: RetryRequest,
        cause: &Cause,
    ) -> Result<RetryOfFailed, StoreError> {
        let (owner, wake, ids, cause) = (owner.clone(), self.wake.clone(), ids.to_vec(), cause.clone());
        let work = move |connection: &mut SqliteConnection| {
            retry_failures(connection, &owner, subscription, &ids, request, &cause)
        };
        self.writer.write_then(work, move |_| wake.up()).await
    }

    async fn recover(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
        cause: &Cause,
    ) -> Result<Option<u32>, StoreError> {
        let (owner, wake, cause) = (owner.clone(), self.wake.clone(), cause.clone());
        let work = move |connection: &mut SqliteConnection| {
            recover_subscription(connection, &owner, subscription, request, max, &cause)
        };
        self.writer.write_then(work, move |_| wake.up()).await
    }

    async fn recover_rest(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
        cause: &Cause,
    ) -> Result<u32, StoreError> {
        let (owner, wake, cause) = (owner.clone(), self.wake.clone(), cause.clone());
        let work = move |connection: &mut SqliteConnection| {
            recover_rest(connection, &owner, subscription, request, max, &cause)
        };
        self.writer.write_then(work, move |_| wake.up()).await
    }

    async fn purge_history(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.purge(before, max).await
    }

    async fn purge_outcomes(&self, before: Hour, max: u32) -> Result<u32, StoreError> {
        self.writer.write(move |connection| purge_counts(connection, &SUBSCRIPTION_OUTCOMES, before, max)).await
    }
}

impl SqliteStore {
    /// The subscription of a delivery, which never changes. A search among all subscriptions of the owner, so it does not
    /// keep the writer busy.
    async fn subscription_of(&self, owner: &UserId, id: DeliveryId) -> Result<Option<SubscriptionId>, StoreError> {
        let owner = owner.clone();
        // One transaction: a delivery that is retried meanwhile moves from one table to another.
        let search = move |connection: &mut SqliteConnection| {
            connection.transaction(|connection| find_delivery(connection, &owner, id))
        };
        Ok(self.readers.read(search).await?.map(|delivery| delivery.subscription_id))
    }
}
