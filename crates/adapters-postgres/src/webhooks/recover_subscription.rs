use std::collections::HashSet;

use diesel::QueryResult;
use diesel::deserialize::QueryableByName;
use diesel::sql_types::{Array, BigInt, Binary, Bool};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{Kept, StoredInstant};
use domain::audit::Cause;
use domain::ports::RetryRequest;
use domain::webhooks::SubscriptionChange;
use domain::{SubscriptionId, UserId};
use futures_util::future::join;

use super::change_subscription::{lock_subscription, open_lane, write_change};
use super::list_deliveries::first_id_at;
use super::retry_delivery::{replay_ended, wake_lane};
use crate::attempt::{Failure, Work};
use crate::audit::write_events;
use crate::transaction::{Commit, Rollback, settle};

/// The oldest of these deliveries, in either table.
const LOST: &str = "SELECT * FROM (
        SELECT * FROM (
            SELECT id AS delivery_id, TRUE AS has_failed FROM webhook_deliveries
            WHERE subscription_id = $1 AND id >= $2 AND ended IN ('schedule_spent', 'subscription_disabled', 'unreadable')
            ORDER BY id LIMIT $4 FOR UPDATE SKIP LOCKED
        ) AS failed
        UNION ALL SELECT * FROM (
            SELECT delivery_id, FALSE FROM webhook_due
            WHERE subscription_id = $1 AND delivery_id >= $2 AND claim IS NULL AND due_at > $3
            ORDER BY delivery_id LIMIT $4 FOR UPDATE SKIP LOCKED
        ) AS waiting
    ) AS lost ORDER BY delivery_id LIMIT $4";

/// Makes deliveries that wait for a retry due now. Finds each row by its key: see [the module](super) about the array of one
/// id.
const HURRY: &str = "UPDATE webhook_due AS due
    SET phase = 2, due_at = $3, attempts_before_run = due.attempts, run_started_at = $3
    FROM unnest($1, $2) AS waiting (subscription_id, delivery_id)
    WHERE due.subscription_id = ANY(ARRAY[waiting.subscription_id]) AND due.delivery_id = waiting.delivery_id";

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
        let (lane, at) = (self.subscription.as_bytes().as_slice(), self.request.at);
        let lost = diesel::sql_query(LOST)
            .bind::<Binary, _>(lane)
            .bind::<Binary, _>(first_id_at(self.request.published_since))
            .bind::<Instant, StoredInstant>(at.into())
            .bind::<BigInt, i64>(self.max.into());
        let lost: Vec<LostRow> = Kept(lost).load(&mut &*connection).await?;
        let (failed, waiting): (Vec<&LostRow>, Vec<&LostRow>) = lost.iter().partition(|row| row.has_failed);
        let [failed, waiting] =
            [failed, waiting].map(|rows| rows.into_iter().map(|row| row.delivery_id.as_slice()).collect::<Vec<_>>());
        let hurry = diesel::sql_query(HURRY)
            .bind::<Array<Binary>, _>(vec![lane; waiting.len()])
            .bind::<Array<Binary>, _>(waiting)
            .bind::<Instant, StoredInstant>(at.into());
        let (replayed, hurried) =
            join(replay_ended(connection, self.subscription, &failed, at), Kept(hurry).execute(&mut &*connection))
                .await;
        replayed.and(hurried)?;
        // A delivery that an older version has stored twice counts once.
        let lost: HashSet<Vec<u8>> = lost.into_iter().map(|row| row.delivery_id).collect();
        Ok(u32::try_from(lost.len()).unwrap_or(self.max))
    }
}

#[derive(QueryableByName)]
struct LostRow {
    #[diesel(sql_type = Binary)]
    delivery_id: Vec<u8>,
    #[diesel(sql_type = Bool)]
    has_failed: bool,
}
