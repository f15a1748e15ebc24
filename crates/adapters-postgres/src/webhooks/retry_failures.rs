use diesel::QueryResult;
use diesel::sql_types::{Array, Binary};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::webhooks::delivery_id;
use diesel_mapping::{IdRow, Kept, statement};
use domain::DeliveryId;
use domain::ports::{RetryFailedRequest, RetryOfFailed, StoreError};
use domain::webhooks::Subscription;

use super::change_subscription::lock_subscription;
use super::list_deliveries::first_id_at;
use super::retry_delivery::{replay_ended, wake_lane};
use crate::attempt::{Failure, Work};
use crate::audit::write_events;
use crate::transaction::{Commit, rolled_back, settle};

/// The failed deliveries. Skips a delivery that another call has locked and waits for the lane to retry.
const FAILED: &str = "SELECT id FROM webhook_deliveries
    WHERE subscription_id = $1 AND id = ANY($2) AND id >= $3
        AND ended IN ('schedule_spent', 'subscription_disabled', 'unreadable')
    FOR UPDATE SKIP LOCKED";

/// Makes failed deliveries of one subscription due now.
impl Work for RetryFailedRequest {
    type Answer = RetryOfFailed;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<RetryOfFailed, Failure> {
        let found = lock_subscription(connection, &self.owner, self.subscription).await?;
        if !found.as_ref().is_some_and(is_open) {
            return rolled_back(connection, found.map_or(RetryOfFailed::NotFound, |_| RetryOfFailed::LaneClosed)).await;
        }
        let failed = failed(self, connection).await?;
        let ids: Vec<(&[u8], Option<i64>)> = failed.iter().map(|row| (row.id.as_slice(), None)).collect();
        replay_ended(connection, self.subscription, &ids, self.retry.at).await?;
        let retried = failed.iter().map(|row| delivery_id("webhook_deliveries", "id", &row.id));
        let retried: Vec<DeliveryId> = retried.collect::<Result<_, StoreError>>()?;
        let due = u32::try_from(retried.len()).unwrap_or(u32::MAX);
        if due > 0 {
            wake_lane(connection, self.subscription, self.retry.at).await?;
        }
        write_events(connection, &self.cause.deliveries_retried(&self.owner, retried)).await?;
        settle(Ok(RetryOfFailed::Due(due)), Commit.execute(&mut &*connection).await)
    }
}

async fn failed(request: &RetryFailedRequest, connection: &AsyncPgConnection) -> QueryResult<Vec<IdRow>> {
    let ids: Vec<&[u8]> = request.ids.iter().map(|id| id.as_bytes().as_slice()).collect();
    let query = statement(FAILED)
        .bind::<Binary, _>(request.subscription.as_bytes().as_slice())
        .bind::<Array<Binary>, _>(ids)
        .bind::<Binary, _>(first_id_at(request.retry.published_since));
    Kept(query).load(&mut &*connection).await
}

fn is_open(subscription: &Subscription) -> bool {
    subscription.status.is_enabled()
}
