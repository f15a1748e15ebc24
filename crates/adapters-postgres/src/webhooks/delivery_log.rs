use std::collections::BTreeMap;

use async_trait::async_trait;
use diesel_mapping::{HourRow, SUBSCRIPTION_OUTCOMES};
use domain::ports::{AttemptCursor, DeliveryLog, DeliveryPage, LoggedAttempt, RetryRequest, StoreError};
use domain::webhooks::{DeliveryFilter, DeliveryHistory, FailedDelivery, OutcomeCounts};
use domain::{DeliveryId, Hour, HourRange, SubscriptionId, Timestamp, UserId};

use super::find_delivery::FindDelivery;
use super::follow_attempts::AttemptsAfter;
use super::list_deliveries::ListDeliveries;
use super::list_failures::{CountRecoverable, ListFailed};
use crate::PostgresStore;
use crate::by_hour::ReadCounts;

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

    async fn failed(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        published_since: Timestamp,
        max: u32,
    ) -> Result<Vec<FailedDelivery>, StoreError> {
        self.run(&ListFailed { owner, subscription, published_since, max }).await
    }

    async fn count_recoverable(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
    ) -> Result<Option<u32>, StoreError> {
        self.run(&CountRecoverable { owner, subscription, request, max }).await
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

    async fn outcomes(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        hours: HourRange,
    ) -> Result<Option<BTreeMap<Hour, OutcomeCounts>>, StoreError> {
        let id = subscription.map(|id| *id.as_bytes());
        let found =
            HourRow::counts_of(&self.run(&ReadCounts { table: &SUBSCRIPTION_OUTCOMES, owner, id, hours }).await?);
        // An owner may have no subscription.
        Ok(if subscription.is_none() { Some(found.unwrap_or_default()) } else { found })
    }
}
