use std::collections::HashSet;

use diesel::sql_types::{Array, BigInt, Binary, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::{UNKNOWN_EVENT_TYPE, stored_headers};
use diesel_mapping::{Kept, StoredInstant};
use domain::ports::Completion;
use domain::webhooks::{AttemptRecord, ClaimEnd, DeliveryEnd};

use super::complete::{Held, HeldRow, delivery, subscription};
use super::periods::id_range;
use crate::attempt::{Failure, Work};

/// Finds the rows one by one, locks them, and deletes them by their places: see [`super::claim`]. Ends only rows that it
/// has deleted: a lock also finds a row that another transaction has just moved, and a deletion does not. Changes nothing
/// if a lane has known failures. Fails if a delivery has ended already: `ON CONFLICT` would cost up to 7 % of the throughput of
/// claims and completions. `$11` and `$12` name the partitions: see [`id_range`].
const DELIVER: &str = "WITH held AS MATERIALIZED (
        SELECT DISTINCT ON (done.delivery_id) due.place, done.*
        FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9) AS done
            (subscription_id, delivery_id, claim, number, started_at, ended_at, status, headers, excerpt)
        CROSS JOIN LATERAL (
            SELECT ctid AS place FROM webhook_due
            WHERE subscription_id = done.subscription_id AND delivery_id = done.delivery_id AND claim = done.claim
            FOR UPDATE
        ) AS due
        WHERE NOT EXISTS (
            SELECT FROM webhook_lanes WHERE subscription_id = ANY($1)
                AND (failures_in_a_row <> 0 OR failing_since IS NOT NULL OR paused_until IS NOT NULL)
        )
    ), gone AS (
        DELETE FROM webhook_due AS due USING held WHERE due.ctid = held.place
        RETURNING held.*, due.event_id, due.attempts
    ), ended AS (
        INSERT INTO webhook_deliveries (subscription_id, id, event_id, event_type, ended, ended_at, attempts)
        SELECT subscription_id, delivery_id, event_id, COALESCE((
                SELECT event_type FROM webhook_events WHERE id = gone.event_id AND id >= $11 AND id <= $12
            ), $13), $10, ended_at, attempts
        FROM gone
    ), recorded AS (
        INSERT INTO webhook_attempts
            (subscription_id, delivery_id, number, event_id, started_at, ended_at, status, headers, excerpt)
        SELECT subscription_id, delivery_id, number, event_id, started_at, ended_at, status, headers, excerpt FROM gone
        ON CONFLICT DO NOTHING
    )
    SELECT delivery_id, claim FROM gone";

/// Ends claims whose deliveries have all succeeded, in one statement, as most do. Returns the deliveries that it has
/// ended: [`Complete`](super::complete::Complete) answers for the others.
pub(super) struct Deliver<'a>(Vec<(&'a Completion, &'a AttemptRecord)>);

impl<'a> Deliver<'a> {
    /// `None` if one of the deliveries has not succeeded.
    pub(super) fn of(completions: &'a [Completion]) -> Option<Self> {
        let delivered = completions.iter().map(|done| match &done.end {
            ClaimEnd::Delivered(attempt) => Some((done, attempt)),
            _ => None,
        });
        delivered.collect::<Option<_>>().map(Self)
    }
}

impl Work for Deliver<'_> {
    type Answer = HashSet<Held>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let completions = || self.0.iter().map(|(done, _)| *done);
        let attempts = || self.0.iter().map(|(_, attempt)| *attempt);
        let (first, last) = id_range(completions().map(|done| done.delivery));
        let statement = diesel::sql_query(DELIVER)
            .bind::<Array<Binary>, Vec<&[u8]>>(completions().map(subscription).collect())
            .bind::<Array<Binary>, Vec<&[u8]>>(completions().map(delivery).collect())
            .bind::<Array<BigInt>, Vec<i64>>(completions().map(|done| done.claim.number()).collect())
            .bind::<Array<BigInt>, Vec<i64>>(attempts().map(|attempt| attempt.number.into()).collect())
            .bind::<Array<Instant>, Vec<StoredInstant>>(attempts().map(|attempt| attempt.started_at.into()).collect())
            .bind::<Array<Instant>, Vec<StoredInstant>>(attempts().map(|attempt| attempt.ended_at().into()).collect())
            .bind::<Array<Nullable<BigInt>>, Vec<Option<i64>>>(
                attempts().map(|attempt| attempt.status.map(Into::into)).collect(),
            )
            .bind::<Array<Nullable<Text>>, Vec<Option<&str>>>(attempts().map(stored_headers).collect())
            .bind::<Array<Binary>, Vec<&[u8]>>(attempts().map(|attempt| attempt.excerpt.as_slice()).collect())
            .bind::<Text, _>(DeliveryEnd::Delivered.code())
            .bind::<Binary, _>(first)
            .bind::<Binary, _>(last)
            .bind::<Text, _>(UNKNOWN_EVENT_TYPE);
        let ended: Vec<HeldRow> = Kept(statement).load(&mut &*connection).await.map_err(Failure::of_statement)?;
        Ok(ended.into_iter().map(HeldRow::held).collect())
    }
}
