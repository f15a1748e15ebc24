use diesel::QueryResult;
use diesel::sql_types::{Array, Binary};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::Kept;
use diesel_mapping::webhooks::delivery_id;
use domain::audit::Cause;
use domain::ports::{RetryOfFailed, RetryRequest, StoreError};
use domain::webhooks::Subscription;
use domain::{DeliveryId, SubscriptionId, UserId};

use super::change_subscription::lock_subscription;
use super::list_deliveries::first_id_at;
use super::retry_delivery::{replay_ended, wake_lane};
use crate::attempt::{Failure, Work};
use crate::audit::write_events;
use crate::transaction::{Commit, Rollback, settle};

/// The deliveries that have failed. Skips a delivery that another call has locked and waits for the lane to retry.
const FAILED: &str = "SELECT id FROM webhook_deliveries
    WHERE subscription_id = $1 AND id = ANY($2) AND id >= $3
        AND ended IN ('schedule_spent', 'subscription_disabled', 'unreadable')
    FOR UPDATE SKIP LOCKED";

/// Makes failed deliveries of one subscription due now.
pub(super) struct RetryFailures<'a> {
    pub(super) owner: &'a UserId,
    pub(super) subscription: SubscriptionId,
    pub(super) ids: &'a [DeliveryId],
    pub(super) request: RetryRequest,
    pub(super) cause: &'a Cause,
}

impl Work for RetryFailures<'_> {
    type Answer = RetryOfFailed;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<RetryOfFailed, Failure> {
        let found = lock_subscription(connection, self.owner, self.subscription).await?;
        if !found.as_ref().is_some_and(is_open) {
            Rollback.execute(&mut &*connection).await?;
            return Ok(found.map_or(RetryOfFailed::NotFound, |_| RetryOfFailed::LaneClosed));
        }
        let failed = self.failed(connection).await?;
        let ids: Vec<&[u8]> = failed.iter().map(|row| row.id.as_slice()).collect();
        replay_ended(connection, self.subscription, &ids, self.request.at).await?;
        let retried = failed.iter().map(|row| delivery_id("webhook_deliveries", "id", &row.id));
        let retried: Vec<DeliveryId> = retried.collect::<Result<_, StoreError>>()?;
        let due = u32::try_from(retried.len()).unwrap_or(u32::MAX);
        if due > 0 {
            wake_lane(connection, self.subscription, self.request.at).await?;
        }
        write_events(connection, &self.cause.deliveries_retried(self.owner, retried)).await?;
        settle(Ok(()), Commit.execute(&mut &*connection).await)?;
        Ok(RetryOfFailed::Due(due))
    }
}

impl RetryFailures<'_> {
    async fn failed(&self, connection: &AsyncPgConnection) -> QueryResult<Vec<FailedRow>> {
        let ids: Vec<&[u8]> = self.ids.iter().map(|id| id.as_bytes().as_slice()).collect();
        let statement = diesel::sql_query(FAILED)
            .bind::<Binary, _>(self.subscription.as_bytes().as_slice())
            .bind::<Array<Binary>, _>(ids)
            .bind::<Binary, _>(first_id_at(self.request.published_since));
        Kept(statement).load(&mut &*connection).await
    }
}

fn is_open(subscription: &Subscription) -> bool {
    subscription.status.is_enabled()
}

#[derive(diesel::deserialize::QueryableByName)]
struct FailedRow {
    #[diesel(sql_type = Binary)]
    id: Vec<u8>,
}
