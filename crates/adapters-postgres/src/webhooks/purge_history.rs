use diesel::QueryResult;
use diesel::sql_types::{BigInt, Binary};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::Kept;
use domain::Timestamp;

use super::CountRow;
use super::list_deliveries::first_id_at;
use crate::attempt::{Failure, Work};

/// Ended deliveries below the id, with their attempts.
const PURGE_DELIVERIES: &str = "WITH past AS MATERIALIZED (
        SELECT ended.* FROM webhook_subscriptions AS subscription
        CROSS JOIN LATERAL (
            SELECT subscription_id, id FROM webhook_deliveries
            WHERE subscription_id = subscription.id AND id < $1 ORDER BY id LIMIT 1000 FOR UPDATE SKIP LOCKED
        ) AS ended
        LIMIT $2
    ), purged AS (
        DELETE FROM webhook_deliveries AS ended USING past
        WHERE ended.subscription_id = past.subscription_id AND ended.id = past.id
        RETURNING ended.subscription_id, ended.id
    ), attempts AS (
        DELETE FROM webhook_attempts AS attempt USING past
        WHERE attempt.subscription_id = past.subscription_id AND attempt.delivery_id = past.id
    )
    SELECT count(*) AS count FROM purged";

/// Events below the id without deliveries, and their publications. The ids of an event's deliveries begin with the same
/// six bytes, and belong to the owner's subscriptions.
const PURGE_EVENTS: &str = "WITH past AS MATERIALIZED (
        SELECT event.id FROM webhook_events AS event
        WHERE event.id < $1 AND NOT EXISTS (
            SELECT FROM webhook_subscriptions AS subscription
            JOIN webhook_due AS due ON due.subscription_id = subscription.id
                AND due.delivery_id >= substring(event.id FOR 6)
                AND due.delivery_id <= substring(event.id FOR 6) || '\\xFFFFFFFFFFFFFFFFFFFF'::bytea
                AND due.event_id = event.id
            WHERE subscription.owner_issuer = event.owner_issuer AND subscription.owner_subject = event.owner_subject
        ) AND NOT EXISTS (
            SELECT FROM webhook_subscriptions AS subscription
            JOIN webhook_deliveries AS ended ON ended.subscription_id = subscription.id
                AND ended.id >= substring(event.id FOR 6)
                AND ended.id <= substring(event.id FOR 6) || '\\xFFFFFFFFFFFFFFFFFFFF'::bytea
                AND ended.event_id = event.id
            WHERE subscription.owner_issuer = event.owner_issuer AND subscription.owner_subject = event.owner_subject
        )
        ORDER BY event.id LIMIT $2 FOR UPDATE OF event SKIP LOCKED
    ), forgotten AS (
        DELETE FROM webhook_publications AS publication USING past WHERE publication.event_id = past.id
    ), purged AS (
        DELETE FROM webhook_events AS event USING past WHERE event.id = past.id RETURNING event.id
    )
    SELECT count(*) AS count FROM purged";

/// Deleted subscriptions without deliveries, and their lanes.
const PURGE_SUBSCRIPTIONS: &str = "WITH past AS MATERIALIZED (
        SELECT subscription.id FROM webhook_subscriptions AS subscription
        WHERE subscription.deleted_at IS NOT NULL
            AND NOT EXISTS (SELECT FROM webhook_due WHERE subscription_id = subscription.id)
            AND NOT EXISTS (SELECT FROM webhook_deliveries WHERE subscription_id = subscription.id)
        LIMIT $1 FOR UPDATE OF subscription SKIP LOCKED
    ), lanes AS (
        DELETE FROM webhook_lanes AS lane USING past WHERE lane.subscription_id = past.id
    ), purged AS (
        DELETE FROM webhook_subscriptions AS subscription USING past WHERE subscription.id = past.id
        RETURNING subscription.id
    )
    SELECT count(*) AS count FROM purged";

/// Deletes expired rows. Three statements, each in its own transaction: the next call deletes the rest. Instances that
/// purge at the same time skip each other's rows.
pub(super) struct PurgeHistory {
    pub(super) before: Timestamp,
    pub(super) max: u32,
}

impl Work for PurgeHistory {
    type Answer = u32;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<u32, Failure> {
        let deliveries = self.purge(connection, PURGE_DELIVERIES).await.map_err(Failure::of_statement)?;
        let events = self.purge(connection, PURGE_EVENTS).await.map_err(Failure::of_statement)?;
        let subscriptions = diesel::sql_query(PURGE_SUBSCRIPTIONS).bind::<BigInt, i64>(self.max.into());
        let subscriptions = Kept(subscriptions).get_result::<CountRow>(&mut &*connection).await;
        let purged = deliveries + events + subscriptions.map_err(Failure::of_statement)?.count;
        Ok(u32::try_from(purged).unwrap_or(u32::MAX))
    }
}

impl PurgeHistory {
    async fn purge(&self, connection: &AsyncPgConnection, sql: &'static str) -> QueryResult<i64> {
        let statement =
            diesel::sql_query(sql).bind::<Binary, _>(first_id_at(self.before)).bind::<BigInt, i64>(self.max.into());
        Kept(statement).get_result::<CountRow>(&mut &*connection).await.map(|row| row.count)
    }
}
