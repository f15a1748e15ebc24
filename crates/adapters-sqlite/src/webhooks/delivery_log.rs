use std::collections::BTreeMap;

use async_trait::async_trait;
use diesel::{Connection, SqliteConnection};
use diesel_mapping::SUBSCRIPTION_OUTCOMES;
use domain::ports::{AttemptCursor, DeliveryLog, DeliveryPage, LoggedAttempt, RetryRequest, StoreError};
use domain::webhooks::{DeliveryFilter, DeliveryHistory, FailedDelivery, OutcomeCounts};
use domain::{DeliveryId, Hour, HourRange, SubscriptionId, Timestamp, UserId};

use super::find_delivery::find_history;
use super::follow_attempts::follow_attempts;
use super::list_deliveries::list_deliveries;
use super::list_failures::{count_recoverable, list_failed};
use crate::SqliteStore;
use crate::by_hour::read_counts;

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
        // One transaction, so that a delivery that ends meanwhile is listed exactly once.
        let read = move |connection: &mut SqliteConnection| {
            connection.transaction(|connection| list_deliveries(connection, &owner, &filter, before, max))
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

    async fn failed(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        published_since: Timestamp,
        max: u32,
    ) -> Result<Vec<FailedDelivery>, StoreError> {
        let owner = owner.clone();
        // One transaction, so that a delivery that is retried meanwhile is still listed with its attempts.
        let read = move |connection: &mut SqliteConnection| {
            connection.transaction(|connection| list_failed(connection, &owner, subscription, published_since, max))
        };
        self.readers.read(read).await
    }

    async fn count_recoverable(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
    ) -> Result<Option<u32>, StoreError> {
        let owner = owner.clone();
        let read =
            move |connection: &mut SqliteConnection| count_recoverable(connection, &owner, subscription, request, max);
        self.readers.read(read).await
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
            move |connection: &mut SqliteConnection| follow_attempts(connection, &owner, subscription, after, max);
        self.readers.read(read).await
    }

    async fn outcomes(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        hours: HourRange,
    ) -> Result<Option<BTreeMap<Hour, OutcomeCounts>>, StoreError> {
        let owner = owner.clone();
        let read = move |connection: &mut SqliteConnection| {
            let id = subscription.as_ref().map(SubscriptionId::as_bytes);
            read_counts(connection, &SUBSCRIPTION_OUTCOMES, &owner, id, hours)
        };
        let found = self.readers.read(read).await?;
        // An owner may have no subscription.
        Ok(if subscription.is_none() { Some(found.unwrap_or_default()) } else { found })
    }
}
