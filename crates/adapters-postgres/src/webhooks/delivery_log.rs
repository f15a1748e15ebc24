use std::collections::BTreeMap;

use async_trait::async_trait;
use diesel_mapping::{HourRow, SUBSCRIPTION_OUTCOMES};
use domain::ports::{
    CountRecoverableRequest, DeliveryLog, DeliveryPage, ListAttemptsRequest, ListDeliveriesRequest, ListFailedRequest,
    LoggedAttempt, OutcomesRequest, StoreError,
};
use domain::webhooks::{DeliveryHistory, FailedDelivery, OutcomeCounts};
use domain::{DeliveryId, Hour, OwnerId};

use super::find_delivery::FindDelivery;
use crate::PostgresStore;
use crate::by_hour::ReadCounts;

#[async_trait]
impl DeliveryLog for PostgresStore {
    async fn list(&self, request: &ListDeliveriesRequest) -> Result<DeliveryPage, StoreError> {
        self.run(request).await
    }

    async fn find(&self, owner: &OwnerId, id: DeliveryId) -> Result<Option<DeliveryHistory>, StoreError> {
        self.run(&FindDelivery { owner, id }).await
    }

    async fn failed(&self, request: &ListFailedRequest) -> Result<Vec<FailedDelivery>, StoreError> {
        self.run(request).await
    }

    async fn count_recoverable(&self, request: &CountRecoverableRequest) -> Result<Option<u32>, StoreError> {
        self.run(request).await
    }

    async fn attempts_after(&self, request: &ListAttemptsRequest) -> Result<Vec<LoggedAttempt>, StoreError> {
        self.run(request).await
    }

    async fn outcomes(&self, request: &OutcomesRequest) -> Result<Option<BTreeMap<Hour, OutcomeCounts>>, StoreError> {
        let &OutcomesRequest { ref owner, subscription, hours } = request;
        let id = subscription.map(|id| *id.as_bytes());
        let rows = self.run(&ReadCounts { table: &SUBSCRIPTION_OUTCOMES, owner, id, hours }).await?;
        let found = HourRow::counts_of(&rows);
        // An owner may have no subscription.
        Ok(if subscription.is_none() { Some(found.unwrap_or_default()) } else { found })
    }
}
