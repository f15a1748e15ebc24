use std::time::Duration;

use async_trait::async_trait;
use diesel_mapping::SUBSCRIPTION_OUTCOMES;
use domain::audit::Cause;
use domain::ports::{DeliveryCommands, RetryByHand, RetryOfFailed, RetryRequest, StoreError};
use domain::webhooks::Delivery;
use domain::{DeliveryId, Hour, SubscriptionId, Timestamp, UserId};

use super::cancel_delivery::CancelDelivery;
use super::periods::day_of;
use super::prepare_history::PrepareHistory;
use super::purge_history::{PurgeHistory, Purged};
use super::recover_subscription::{Recover, RecoverRest};
use super::retry_delivery::RetryDelivery;
use super::retry_failures::RetryFailures;
use crate::PostgresStore;
use crate::by_hour::PurgeCounts;

/// How far ahead periods are created.
const DAYS_AHEAD: i64 = 3;
/// The waits after a period could not be dropped because a long transaction uses the tables. Each attempt holds
/// publications up for 30 ms at most.
const DROP_PAUSES_MILLIS: [u64; 5] = [100, 200, 400, 800, 0];

#[async_trait]
impl DeliveryCommands for PostgresStore {
    async fn retry(
        &self,
        owner: &UserId,
        id: DeliveryId,
        request: RetryRequest,
        cause: &Cause,
    ) -> Result<RetryByHand, StoreError> {
        let answer = self.run(&RetryDelivery { owner, id, request, cause }).await?;
        if let RetryByHand::Due(_) = answer {
            self.change_signal.notify_of_deliveries();
        }
        Ok(answer)
    }

    async fn cancel(
        &self,
        owner: &UserId,
        id: DeliveryId,
        at: Timestamp,
        cause: &Cause,
    ) -> Result<Option<Delivery>, StoreError> {
        self.run(&CancelDelivery { owner, id, at, cause }).await
    }

    async fn retry_failed(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        ids: &[DeliveryId],
        request: RetryRequest,
        cause: &Cause,
    ) -> Result<RetryOfFailed, StoreError> {
        let answer = self.run(&RetryFailures { owner, subscription, ids, request, cause }).await?;
        if let RetryOfFailed::Due(1..) = answer {
            self.change_signal.notify_of_deliveries();
        }
        Ok(answer)
    }

    async fn recover(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
        cause: &Cause,
    ) -> Result<Option<u32>, StoreError> {
        let recovered = self.run(&Recover { owner, subscription, request, max, cause }).await?;
        if recovered.is_some() {
            self.change_signal.notify_of_deliveries();
        }
        Ok(recovered)
    }

    async fn recover_rest(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
        cause: &Cause,
    ) -> Result<u32, StoreError> {
        let recovered = self.run(&RecoverRest(Recover { owner, subscription, request, max, cause })).await?;
        if recovered > 0 {
            self.change_signal.notify_of_deliveries();
        }
        Ok(recovered)
    }

    async fn prepare_history(&self, at: Timestamp, days: u32) -> Result<(), StoreError> {
        let today = day_of(at);
        let missing = PrepareHistory { first_day: today, last_day: today + DAYS_AHEAD, width: days.max(1).into() };
        while self.run(&missing).await? {}
        Ok(())
    }

    async fn purge_history(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        for pause in DROP_PAUSES_MILLIS {
            if let Purged::Rows(rows) = self.run_on_queue(&PurgeHistory { before, max }).await? {
                return Ok(rows);
            }
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
        Err(StoreError::Unavailable("a long transaction uses the log: its old partitions cannot be dropped".into()))
    }

    async fn purge_outcomes(&self, before: Hour, max: u32) -> Result<u32, StoreError> {
        self.run(&PurgeCounts { table: &SUBSCRIPTION_OUTCOMES, before, max }).await
    }
}
