use async_trait::async_trait;
use diesel::{Connection, SqliteConnection};
use domain::ports::{AttemptCursor, DeliveryLog, DeliveryPage, LoggedAttempt, StoreError};
use domain::webhooks::{DeliveryFilter, DeliveryHistory};
use domain::{DeliveryId, SubscriptionId, UserId};

use super::find_delivery::find_history;
use super::follow_attempts::follow_attempts;
use super::list_deliveries::list_deliveries;
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
}
