use diesel::QueryResult;
use diesel::sql_types::{BigInt, Binary};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{Kept, StoredInstant};
use domain::audit::Cause;
use domain::ports::RetryRequest;
use domain::webhooks::SubscriptionChange;
use domain::{SubscriptionId, UserId};

use super::change_subscription::{lock_subscription, open_lane, write_change};
use super::list_deliveries::first_id_at;
use super::retry_delivery::wake_lane;
use crate::attempt::{CountRow, Failure, Work};
use crate::audit::write_events;
use crate::transaction::{Commit, Rollback, settle};

/// Makes the oldest of these deliveries due now, from either table.
const BRING_BACK: &str = "WITH lost AS MATERIALIZED (
        SELECT delivery_id FROM (
            SELECT * FROM (
                SELECT id AS delivery_id FROM webhook_deliveries
                WHERE subscription_id = $1 AND id >= $2 AND ended IN ('schedule_spent', 'subscription_disabled', 'unreadable')
                ORDER BY id LIMIT $4 FOR UPDATE SKIP LOCKED
            ) AS failed
            UNION ALL SELECT * FROM (
                SELECT delivery_id FROM webhook_due
                WHERE subscription_id = $1 AND delivery_id >= $2 AND claim IS NULL AND due_at > $3
                ORDER BY delivery_id LIMIT $4 FOR UPDATE SKIP LOCKED
            ) AS waiting
        ) AS lost ORDER BY delivery_id LIMIT $4
    ), failed AS (
        DELETE FROM webhook_deliveries AS ended USING lost
        WHERE ended.subscription_id = $1 AND ended.id = lost.delivery_id
        RETURNING ended.id, ended.event_id, ended.attempts
    ), replayed AS (
        INSERT INTO webhook_due (subscription_id, delivery_id, event_id, phase, due_at, attempts, attempts_before_run,
            run_started_at)
        SELECT $1, id, event_id, 2, $3, attempts, attempts, $3 FROM failed
        ON CONFLICT DO NOTHING
        RETURNING delivery_id
    ), waiting AS (
        UPDATE webhook_due AS due SET phase = 2, due_at = $3, attempts_before_run = due.attempts, run_started_at = $3
        FROM lost WHERE due.subscription_id = $1 AND due.delivery_id = lost.delivery_id
        RETURNING due.delivery_id
    )
    SELECT (SELECT count(*) FROM replayed) + (SELECT count(*) FROM waiting) AS count";

/// Enables a subscription, and makes its failed deliveries, and its deliveries that wait for a retry, due now.
pub(super) struct Recover<'a> {
    pub(super) owner: &'a UserId,
    pub(super) subscription: SubscriptionId,
    pub(super) request: RetryRequest,
    pub(super) max: u32,
    pub(super) cause: &'a Cause,
}

impl Work for Recover<'_> {
    type Answer = Option<u32>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Option<u32>, Failure> {
        let Some(before) = lock_subscription(connection, self.owner, self.subscription).await? else {
            Rollback.execute(&mut &*connection).await?;
            return Ok(None);
        };
        let at = self.request.at;
        let enable = SubscriptionChange { enabled: Some(true), ..SubscriptionChange::default() };
        let after = enable.applied_to(&before, at);
        write_change(connection, &before, &after, at).await?;
        open_lane(connection, self.subscription, at).await?;
        let count = self.bring_back(connection).await?;
        wake_lane(connection, self.subscription, at).await?;
        write_events(connection, &[self.cause.subscription_recovered(&before, &after, count)]).await?;
        settle(Ok(()), Commit.execute(&mut &*connection).await)?;
        Ok(Some(count))
    }
}

/// Makes further deliveries due now, if the subscription is enabled.
pub(super) struct RecoverRest<'a>(pub(super) Recover<'a>);

impl Work for RecoverRest<'_> {
    type Answer = u32;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<u32, Failure> {
        let Recover { owner, subscription, request, cause, .. } = self.0;
        let found = lock_subscription(connection, owner, subscription).await?;
        let Some(unchanged) = found.filter(|found| found.status.is_enabled()) else {
            Rollback.execute(&mut &*connection).await?;
            return Ok(0);
        };
        let count = self.0.bring_back(connection).await?;
        if count > 0 {
            wake_lane(connection, subscription, request.at).await?;
            write_events(connection, &[cause.subscription_recovered(&unchanged, &unchanged, count)]).await?;
        }
        settle(Ok(()), Commit.execute(&mut &*connection).await)?;
        Ok(count)
    }
}

impl Recover<'_> {
    async fn bring_back(&self, connection: &AsyncPgConnection) -> QueryResult<u32> {
        let statement = diesel::sql_query(BRING_BACK)
            .bind::<Binary, _>(self.subscription.as_bytes().as_slice())
            .bind::<Binary, _>(first_id_at(self.request.published_since))
            .bind::<Instant, StoredInstant>(self.request.at.into())
            .bind::<BigInt, i64>(self.max.into());
        let row: CountRow = Kept(statement).get_result(&mut &*connection).await?;
        Ok(u32::try_from(row.count).unwrap_or(self.max))
    }
}
