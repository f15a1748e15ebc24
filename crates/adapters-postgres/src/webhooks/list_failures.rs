use diesel::sql_types::{BigInt, Binary, Bool, Nullable};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::{FailedRow, LostCountRow, counted};
use diesel_mapping::{Kept, StoredInstant, owner_statement, values_of};
use domain::ports::{CountRecoverableRequest, ListFailedRequest};
use domain::webhooks::FailedDelivery;

use super::list_deliveries::first_id_at;
use crate::attempt::{Failure, Work};

/// The newest failed deliveries, each with its last attempt. Looks up only the attempts of the deliveries that it answers.
const NEWEST_FAILED: &str = "WITH failed AS MATERIALIZED (
        SELECT ended.subscription_id, ended.id
        FROM webhook_subscriptions AS subscription
        CROSS JOIN LATERAL (
            SELECT subscription_id, id FROM webhook_deliveries
            WHERE subscription_id = subscription.id AND id >= $4
                AND ended IN ('schedule_spent', 'subscription_disabled', 'unreadable')
            ORDER BY id DESC LIMIT $5
        ) AS ended
        WHERE subscription.owner_issuer = $1 AND subscription.owner_subject = $2 AND subscription.deleted_at IS NULL
            AND (subscription.id = $3 OR $3 IS NULL)
        ORDER BY ended.id DESC LIMIT $5
    ), shown AS MATERIALIZED (
        SELECT failed.subscription_id, failed.id AS delivery_id, last.failure, last.status
        FROM failed LEFT JOIN LATERAL (
            SELECT failure, status FROM webhook_attempts
            WHERE subscription_id = failed.subscription_id AND delivery_id = failed.id
            ORDER BY number DESC LIMIT 1
        ) AS last ON true
    )
    SELECT * FROM shown ORDER BY delivery_id DESC";

/// Counts, by event type, the deliveries that a recovery would read. Names every phase, so that the order of the
/// lane finds the deliveries with a later due time behind all due ones. Without deliveries, one row without a type.
const COUNT_LOST: &str = "SELECT lost.event_type, count(lost.event_type) AS count
    FROM webhook_subscriptions AS subscription
    LEFT JOIN LATERAL (
        SELECT * FROM (
            SELECT event_type FROM webhook_deliveries
            WHERE subscription_id = $3 AND id >= $4
                AND ended IN ('schedule_spent', 'subscription_disabled', 'unreadable') AND $7
            LIMIT $6
        ) AS failed
        UNION ALL SELECT * FROM (
            SELECT event_type FROM webhook_deliveries
            WHERE subscription_id = $3 AND id >= $4 AND ended = 'missed' AND $8
            LIMIT $6
        ) AS missed
        UNION ALL SELECT * FROM (
            SELECT event_type FROM webhook_due AS due JOIN webhook_events AS event ON event.id = due.event_id
            WHERE subscription_id = $3 AND phase IN (0, 1, 2, 3) AND due_at > $5 AND claim IS NULL AND delivery_id >= $4
                AND $7
            LIMIT $6
        ) AS waiting
    ) AS lost ON TRUE
    WHERE owner_issuer = $1 AND owner_subject = $2 AND id = $3 AND deleted_at IS NULL
    GROUP BY lost.event_type";

/// The newest failed deliveries of an owner. One round trip.
impl Work for ListFailedRequest {
    type Answer = Vec<FailedDelivery>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Vec<FailedDelivery>, Failure> {
        let query = owner_statement(NEWEST_FAILED, &self.owner)
            .bind::<Nullable<Binary>, _>(self.subscription.map(|id| id.as_bytes().to_vec()))
            .bind::<Binary, _>(first_id_at(self.published_since))
            .bind::<BigInt, i64>(self.max.into());
        let rows: Vec<FailedRow> = Kept(query).load(&mut &*connection).await?;
        Ok(values_of(rows)?)
    }
}

/// How many deliveries a recovery would retry. One round trip.
impl Work for CountRecoverableRequest {
    type Answer = Option<u32>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Option<u32>, Failure> {
        let query = owner_statement(COUNT_LOST, &self.owner)
            .bind::<Binary, _>(self.subscription.as_bytes().as_slice())
            .bind::<Binary, _>(first_id_at(self.retry.published_since))
            .bind::<Instant, StoredInstant>(self.retry.at.into())
            .bind::<BigInt, i64>(self.read_max().into())
            .bind::<Bool, _>(self.filter.what.has_failed())
            .bind::<Bool, _>(self.filter.what.has_missed());
        let rows: Vec<LostCountRow> = Kept(query).load(&mut &*connection).await?;
        Ok((!rows.is_empty()).then(|| counted(self, &rows)))
    }
}
