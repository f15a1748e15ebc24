use std::collections::BTreeMap;

use async_trait::async_trait;
use diesel::SqliteConnection;
use diesel_mapping::SUBSCRIPTION_OUTCOMES;
use domain::ports::{
    CountRecoverableRequest, DeliveryLog, DeliveryPage, ListAttemptsRequest, ListDeliveriesRequest, ListFailedRequest,
    LoggedAttempt, OutcomesRequest, StoreError,
};
use domain::webhooks::{DeliveryHistory, FailedDelivery, OutcomeCounts};
use domain::{DeliveryId, Hour, OwnerId, SubscriptionId};

use super::find_delivery::find_history;
use super::follow_attempts::follow_attempts;
use super::list_deliveries::list_deliveries;
use super::list_failures::{count_recoverable, list_failed};
use crate::SqliteStore;
use crate::by_hour::read_counts;

#[async_trait]
impl DeliveryLog for SqliteStore {
    async fn list(&self, request: &ListDeliveriesRequest) -> Result<DeliveryPage, StoreError> {
        let request = request.clone();
        // One transaction, so that a delivery that ends during the call is listed exactly once.
        self.readers.read_at_once(move |connection| list_deliveries(connection, &request)).await
    }

    async fn find(&self, owner: &OwnerId, id: DeliveryId) -> Result<Option<DeliveryHistory>, StoreError> {
        let owner = owner.clone();
        self.readers.read_at_once(move |connection| find_history(connection, &owner, id)).await
    }

    async fn failed(&self, request: &ListFailedRequest) -> Result<Vec<FailedDelivery>, StoreError> {
        let request = request.clone();
        // One transaction, so that a delivery that is retried during the call is still listed with its attempts.
        self.readers.read_at_once(move |connection| list_failed(connection, &request)).await
    }

    async fn count_recoverable(&self, request: &CountRecoverableRequest) -> Result<Option<u32>, StoreError> {
        let request = request.clone();
        self.readers.read(move |connection| count_recoverable(connection, &request)).await
    }

    async fn attempts_after(&self, request: &ListAttemptsRequest) -> Result<Vec<LoggedAttempt>, StoreError> {
        let request = request.clone();
        self.readers.read(move |connection| follow_attempts(connection, &request)).await
    }

    async fn outcomes(&self, request: &OutcomesRequest) -> Result<Option<BTreeMap<Hour, OutcomeCounts>>, StoreError> {
        let OutcomesRequest { owner, subscription, hours } = request.clone();
        let read = move |connection: &mut SqliteConnection| {
            let id = subscription.as_ref().map(SubscriptionId::as_bytes);
            read_counts(connection, &SUBSCRIPTION_OUTCOMES, &owner, id, hours)
        };
        let found = self.readers.read(read).await?;
        // An owner may have no subscription.
        Ok(if subscription.is_none() { Some(found.unwrap_or_default()) } else { found })
    }
}
