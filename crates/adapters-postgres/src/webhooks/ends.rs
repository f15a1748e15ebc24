//! Deliveries leave the queue and enter the log: their rows in the queue are deleted, and the ends of the deleted rows are
//! inserted, in one transaction. See decisions 105 and 115.

use diesel::QueryResult;
use diesel::deserialize::QueryableByName;
use diesel::sql_types::{Array, BigInt, Binary, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::UNKNOWN_EVENT_TYPE;
use diesel_mapping::{Kept, StoredInstant, statement};
use domain::Timestamp;
use domain::webhooks::DeliveryEnd;

use super::periods::{Period, day_of_id, id_range};

/// A row is compared again after a wait for its lock, with its newest claim. Finds each row by its key: see [the
/// module](super) about the array of one id.
const TAKE_OUT: &str = "DELETE FROM webhook_due AS due
    USING unnest($1, $2, $3) AS held (subscription_id, delivery_id, claim)
    WHERE due.subscription_id = ANY(ARRAY[held.subscription_id]) AND due.delivery_id = held.delivery_id
        AND due.claim IS NOT DISTINCT FROM held.claim
    RETURNING due.subscription_id, due.delivery_id, due.claim, due.event_id, due.attempts";

/// `$7` and `$8` name the partitions: see [`id_range`].
const INSERT: &str =
    "INSERT INTO webhook_deliveries (subscription_id, id, event_id, event_type, ended, ended_at, attempts)
    SELECT ended.subscription_id, ended.id, ended.event_id, COALESCE((
            SELECT event_type FROM webhook_events WHERE id = ended.event_id AND id >= $7 AND id <= $8
        ), $9), ended.ended, ended.ended_at, ended.attempts
    FROM unnest($1, $2, $3, $4, $5, $6) AS ended (subscription_id, id, event_id, ended, ended_at, attempts)";

/// A delivery in the queue, and the claim that holds it. Ids are as they are stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Held<'a> {
    pub(super) subscription: &'a [u8],
    pub(super) delivery: &'a [u8],
    pub(super) claim: Option<i64>,
}

/// A delivery that has left the queue.
#[derive(QueryableByName)]
pub(super) struct OutRow {
    #[diesel(sql_type = Binary)]
    pub(super) subscription_id: Vec<u8>,
    #[diesel(sql_type = Binary)]
    pub(super) delivery_id: Vec<u8>,
    #[diesel(sql_type = Nullable<BigInt>)]
    pub(super) claim: Option<i64>,
    #[diesel(sql_type = Binary)]
    pub(super) event_id: Vec<u8>,
    #[diesel(sql_type = BigInt)]
    pub(super) attempts: i64,
}

/// The treatment of an end or an attempt that the log has already. See decision 105.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Duplicate {
    /// The statement fails, which costs less.
    Refused,
    /// The row that is stored stays.
    Kept,
}

/// How a delivery has ended, and when.
pub(super) type Ended<'a> = (&'a OutRow, DeliveryEnd, Timestamp);

impl OutRow {
    pub(super) fn held(&self) -> Held<'_> {
        Held { subscription: &self.subscription_id, delivery: &self.delivery_id, claim: self.claim }
    }

    /// Whether the log has a place for the end. Otherwise it could not be read: an id is damaged, or the period has
    /// left the log. See decision 55.
    pub(super) fn has_place(&self, periods: &[Period]) -> bool {
        let day = day_of_id(&self.delivery_id);
        [&self.subscription_id, &self.delivery_id, &self.event_id].iter().all(|id| id.len() == 16)
            && periods.iter().any(|period| (period.first_day..period.end_day).contains(&day))
    }
}

/// Deletes these deliveries from the queue, in this order, if the claim still holds them.
pub(super) async fn take_out(connection: &AsyncPgConnection, held: &[Held<'_>]) -> QueryResult<Vec<OutRow>> {
    let deletion = statement(TAKE_OUT)
        .bind::<Array<Binary>, Vec<&[u8]>>(held.iter().map(|one| one.subscription).collect())
        .bind::<Array<Binary>, Vec<&[u8]>>(held.iter().map(|one| one.delivery).collect())
        .bind::<Array<Nullable<BigInt>>, Vec<Option<i64>>>(held.iter().map(|one| one.claim).collect());
    Kept(deletion).load(&mut &*connection).await
}

/// Inserts the ends of deliveries that have left the queue.
pub(super) async fn insert(
    connection: &AsyncPgConnection,
    ended: &[Ended<'_>],
    duplicate: Duplicate,
) -> QueryResult<usize> {
    let rows = || ended.iter().map(|(row, ..)| *row);
    let (first, last) = id_range(rows().map(|row| row.delivery_id.as_slice()));
    let on_conflict = if duplicate == Duplicate::Kept { " ON CONFLICT DO NOTHING" } else { "" };
    let insertion = statement([INSERT, on_conflict].concat())
        .bind::<Array<Binary>, Vec<&[u8]>>(rows().map(|row| row.subscription_id.as_slice()).collect())
        .bind::<Array<Binary>, Vec<&[u8]>>(rows().map(|row| row.delivery_id.as_slice()).collect())
        .bind::<Array<Binary>, Vec<&[u8]>>(rows().map(|row| row.event_id.as_slice()).collect())
        .bind::<Array<Text>, Vec<&str>>(ended.iter().map(|(_, end, _)| end.code()).collect())
        .bind::<Array<Instant>, Vec<StoredInstant>>(ended.iter().map(|(.., at)| (*at).into()).collect())
        .bind::<Array<BigInt>, Vec<i64>>(rows().map(|row| row.attempts.clamp(0, u32::MAX.into())).collect())
        .bind::<Binary, _>(first)
        .bind::<Binary, _>(last)
        .bind::<Text, _>(UNKNOWN_EVENT_TYPE);
    Kept(insertion).execute(&mut &*connection).await
}
