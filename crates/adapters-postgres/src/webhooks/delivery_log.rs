use async_trait::async_trait;
use domain::ports::{AttemptCursor, DeliveryLog, DeliveryPage, LoggedAttempt, RetryByHand, RetryRequest, StoreError};
use domain::webhooks::{Delivery, DeliveryFilter, DeliveryHistory};
use domain::{DeliveryId, SubscriptionId, Timestamp, UserId};

use super::attempts_after::AttemptsAfter;
use super::cancel_delivery::CancelDelivery;
use super::find_delivery::FindDelivery;
use super::list_deliveries::ListDeliveries;
use super::purge_history::PurgeHistory;
use super::recover::Recover;
use super::retry_delivery::RetryDelivery;
use crate::PostgresStore;

#[async_trait]
impl DeliveryLog for PostgresStore {
    async fn list(
        &self,
        owner: &UserId,
        filter: &DeliveryFilter,
        before: Option<DeliveryId>,
        max: u32,
    ) -> Result<DeliveryPage, StoreError> {
        self.run(&ListDeliveries { owner, filter, before, max }).await
    }

    async fn find(&self, owner: &UserId, id: DeliveryId) -> Result<Option<DeliveryHistory>, StoreError> {
        self.run(&FindDelivery { owner, id }).await
    }

    async fn retry(&self, owner: &UserId, id: DeliveryId, request: RetryRequest) -> Result<RetryByHand, StoreError> {
        let answer = self.run(&RetryDelivery { owner, id, request }).await?;
        if let RetryByHand::Due(_) = answer {
            self.change_signal.tell_of_deliveries();
        }
        Ok(answer)
    }

    async fn cancel(&self, owner: &UserId, id: DeliveryId, at: Timestamp) -> Result<Option<Delivery>, StoreError> {
        self.run(&CancelDelivery { owner, id, at }).await
    }

    async fn recover(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
    ) -> Result<Option<u32>, StoreError> {
        let recovered = self.run(&Recover { owner, subscription, request, max }).await?;
        if recovered.is_some() {
            self.change_signal.tell_of_deliveries();
        }
        Ok(recovered)
    }

    async fn attempts_after(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        after: AttemptCursor,
        max: u32,
    ) -> Result<Vec<LoggedAttempt>, StoreError> {
        self.run(&AttemptsAfter { owner, subscription, after, max }).await
    }

    async fn purge_history(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.run(&PurgeHistory { before, max }).await
    }
}
