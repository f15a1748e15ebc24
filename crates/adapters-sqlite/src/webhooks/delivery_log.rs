use async_trait::async_trait;
use diesel::{Connection, SqliteConnection};
use domain::ports::{AttemptCursor, DeliveryLog, DeliveryPage, LoggedAttempt, RetryByHand, RetryRequest, StoreError};
use domain::webhooks::{Delivery, DeliveryFilter, DeliveryHistory};
use domain::{DeliveryId, SubscriptionId, Timestamp, UserId};

use super::attempts::attempts_after;
use super::cancel::cancel;
use super::delivery_page::list;
use super::find_delivery::find_history;
use super::recover::recover;
use super::retry::retry;
use crate::SqliteStore;

#[async_trait]
impl DeliveryLog for SqliteStore {
    async fn list(
        &self,
        owner: &UserId,
        filter: &DeliveryFilter,
        before: Option<DeliveryId>,
        max: u32,
    ) -> Result<DeliveryPage, StoreError> {
        let (owner, filter) = (owner.clone(), filter.clone());
        // One transaction, so that a delivery that ends meanwhile is neither missing nor there twice.
        let read = move |connection: &mut SqliteConnection| {
            connection.transaction(|connection| list(connection, &owner, &filter, before, max))
        };
        self.readers.read(read).await
    }

    async fn find(&self, owner: &UserId, id: DeliveryId) -> Result<Option<DeliveryHistory>, StoreError> {
        let owner = owner.clone();
        let read = move |connection: &mut SqliteConnection| {
            connection.transaction(|connection| find_history(connection, &owner, id))
        };
        self.readers.read(read).await
    }

    async fn retry(&self, owner: &UserId, id: DeliveryId, request: RetryRequest) -> Result<RetryByHand, StoreError> {
        let (owner, wake) = (owner.clone(), self.wake.clone());
        let work = move |connection: &mut SqliteConnection| retry(connection, &owner, id, request);
        self.writer.write_then(work, move |_| wake.up()).await
    }

    async fn cancel(&self, owner: &UserId, id: DeliveryId, at: Timestamp) -> Result<Option<Delivery>, StoreError> {
        let owner = owner.clone();
        self.writer.write(move |connection| cancel(connection, &owner, id, at)).await
    }

    async fn recover(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
    ) -> Result<Option<u32>, StoreError> {
        let (owner, wake) = (owner.clone(), self.wake.clone());
        let work = move |connection: &mut SqliteConnection| recover(connection, &owner, subscription, request, max);
        self.writer.write_then(work, move |_| wake.up()).await
    }

    async fn attempts_after(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        after: AttemptCursor,
        max: u32,
    ) -> Result<Vec<LoggedAttempt>, StoreError> {
        let owner = owner.clone();
        let read =
            move |connection: &mut SqliteConnection| attempts_after(connection, &owner, subscription, after, max);
        self.readers.read(read).await
    }

    async fn purge_history(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.purge(before, max).await
    }
}
