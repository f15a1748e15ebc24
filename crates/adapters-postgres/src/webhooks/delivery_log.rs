use async_trait::async_trait;
use domain::ports::{AttemptCursor, DeliveryLog, DeliveryPage, LoggedAttempt, StoreError};
use domain::webhooks::{DeliveryFilter, DeliveryHistory};
use domain::{DeliveryId, SubscriptionId, UserId};

use super::find_delivery::FindDelivery;
use super::follow_attempts::AttemptsAfter;
use super::list_deliveries::ListDeliveries;
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

    async fn attempts_after(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        after: AttemptCursor,
        max: u32,
    ) -> Result<Vec<LoggedAttempt>, StoreError> {
        self.run(&AttemptsAfter { owner, subscription, after, max }).await
    }
}
