use diesel::QueryResult;
use diesel::sql_types::{Array, BigInt, Binary, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::UNKNOWN_EVENT_TYPE;
use diesel_mapping::{Kept, StoredInstant};
use domain::ports::ClaimRequest;
use domain::webhooks::DeliveryEnd;

use super::periods::day_of_id;

/// Ends claimed deliveries, and takes back the attempt that the claim has counted. A row is only deleted if its ids are
/// damaged or its period has left the log: nobody could see how it ended.
const END_UNREADABLE: &str = "WITH gone AS (
        DELETE FROM webhook_due AS due USING unnest($1, $2, $7) AS one (subscription_id, delivery_id, day)
        WHERE due.subscription_id = one.subscription_id AND due.delivery_id = one.delivery_id AND due.claim = $3
        RETURNING due.subscription_id, due.delivery_id, due.event_id, due.attempts, one.day
    )
    INSERT INTO webhook_deliveries (subscription_id, id, event_id, event_type, ended, ended_at, attempts)
    SELECT subscription_id, delivery_id, event_id,
        COALESCE((SELECT event_type FROM webhook_events WHERE id = gone.event_id), $4), $5, $6,
        LEAST(GREATEST(attempts - 1, 0), 4294967295)
    FROM gone
    WHERE octet_length(subscription_id) = 16 AND octet_length(delivery_id) = 16 AND octet_length(event_id) = 16
        AND EXISTS (SELECT FROM webhook_periods WHERE first_day <= gone.day AND gone.day < end_day)
    ON CONFLICT DO NOTHING";

/// Takes the claim and its attempt away.
const PUT_BACK: &str = "UPDATE webhook_due AS due
    SET claim = NULL, claimed_until = NULL, attempts = due.attempts - 1
    FROM unnest($1, $2) AS one (subscription_id, delivery_id)
    WHERE due.subscription_id = one.subscription_id AND due.delivery_id = one.delivery_id AND due.claim = $3";

/// Deletes lanes with the first of their deliveries. Nobody can find what is left of them.
const DELETE_LANES: &str = "WITH gone AS (
        DELETE FROM webhook_due WHERE ctid = ANY(ARRAY(
            SELECT due.place FROM unnest($1) AS lane (subscription_id) CROSS JOIN LATERAL (
                SELECT ctid AS place FROM webhook_due WHERE subscription_id = lane.subscription_id LIMIT 1000
            ) AS due
        ))
    )
    DELETE FROM webhook_lanes WHERE subscription_id = ANY($1)";

/// The stored ids of a row that a claim took and does not hand out.
pub(super) struct LeftOut {
    pub(super) subscription: Vec<u8>,
    pub(super) delivery: Vec<u8>,
}

/// Deletes lanes whose ids, as they are stored, are damaged. See decision 55.
pub(super) async fn delete_lanes(connection: &AsyncPgConnection, ids: &[Vec<u8>]) -> QueryResult<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let deletion = diesel::sql_query(DELETE_LANES).bind::<Array<Binary>, _>(ids);
    let count = Kept(deletion).execute(&mut &*connection).await?;
    tracing::error!(count, "deleted lanes whose ids are damaged, with their deliveries");
    Ok(())
}

/// Ends claimed rows that are damaged, or whose event or subscription is. See decision 55.
pub(super) async fn end_unreadable(
    connection: &AsyncPgConnection,
    request: &ClaimRequest,
    rows: &[LeftOut],
) -> QueryResult<usize> {
    let statement = diesel::sql_query(END_UNREADABLE)
        .bind::<Array<Binary>, Vec<&[u8]>>(rows.iter().map(|row| row.subscription.as_slice()).collect())
        .bind::<Array<Binary>, Vec<&[u8]>>(rows.iter().map(|row| row.delivery.as_slice()).collect())
        .bind::<BigInt, i64>(request.claim.number())
        .bind::<Text, _>(UNKNOWN_EVENT_TYPE)
        .bind::<Text, _>(DeliveryEnd::Unreadable.code())
        .bind::<Instant, StoredInstant>(request.at.into())
        .bind::<Array<BigInt>, Vec<i64>>(rows.iter().map(|row| day_of_id(&row.delivery)).collect());
    Kept(statement).execute(&mut &*connection).await
}

/// Puts back the rows for which the claim has no room, in the transaction of the claim.
pub(super) fn put_back<'a>(
    connection: &'a AsyncPgConnection,
    request: &ClaimRequest,
    rows: &[LeftOut],
) -> Option<impl Future<Output = QueryResult<usize>> + use<'a>> {
    let statement = diesel::sql_query(PUT_BACK)
        .bind::<Array<Binary>, Vec<Vec<u8>>>(rows.iter().map(|row| row.subscription.clone()).collect())
        .bind::<Array<Binary>, Vec<Vec<u8>>>(rows.iter().map(|row| row.delivery.clone()).collect())
        .bind::<BigInt, i64>(request.claim.number());
    (!rows.is_empty()).then(|| Kept(statement).execute(&mut &*connection))
}
