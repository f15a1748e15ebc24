//! A period with queued deliveries stays in the log. Its other rows are deleted one by one: ended deliveries with their
//! attempts, then events without queued deliveries.

use std::collections::HashSet;

use diesel::QueryResult;
use diesel::deserialize::QueryableByName;
use diesel::sql_types::{Array, BigInt, Binary};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::{Kept, statement};
use futures_util::future::{join, join3};

use super::periods::{Period, id_range};
use crate::attempt::{CountRow, Failure};
use crate::transaction::{Begin, Commit, settle};

/// The most events that one step looks at. Each lane with a queue takes two look-ups for all of them together.
const CHECKED_MAX: i64 = 10_000;
/// The most queued deliveries that one step reads, about 0.1 s: an event may have 10,000.
const QUEUED_MAX: usize = 100_000;

/// Names each subscription with rows in the table. Each takes one look-up in the index of subscriptions.
macro_rules! lanes_of {
    ($table:literal) => {
        concat!(
            "WITH RECURSIVE lanes AS (
                SELECT * FROM (SELECT subscription_id FROM ",
            $table,
            " ORDER BY subscription_id LIMIT 1) AS first
                UNION ALL
                SELECT next.* FROM lanes CROSS JOIN LATERAL (
                    SELECT subscription_id FROM ",
            $table,
            " WHERE subscription_id > lanes.subscription_id ORDER BY subscription_id LIMIT 1
                ) AS next
            )"
        )
    };
}
pub(super) use lanes_of;

/// Whether deliveries of the period are queued. Each lane with a queue takes two look-ups.
const QUEUED: &str = concat!(
    lanes_of!("webhook_due"),
    " SELECT count(*) AS count FROM (
        SELECT FROM lanes CROSS JOIN LATERAL (
            SELECT FROM webhook_due WHERE subscription_id = lanes.subscription_id
                AND delivery_id >= $1 AND delivery_id < $2 LIMIT 1
        ) AS due LIMIT 1
    ) AS queued"
);

/// The events of at most `$3` queued deliveries from `$1` to `$2`.
const QUEUED_EVENTS: &str = concat!(
    lanes_of!("webhook_due"),
    " SELECT due.event_id AS id FROM lanes CROSS JOIN LATERAL (
        SELECT event_id FROM webhook_due
        WHERE subscription_id = lanes.subscription_id AND delivery_id >= $1 AND delivery_id <= $2 LIMIT $3
    ) AS due LIMIT $3"
);

/// Deletes at most `$5` deliveries of a period, in their order after the delivery `$4` of the subscription `$3`. A delivery
/// that another transaction has locked stays until the next pass.
const DELETE_DELIVERIES: &str = "WITH ended AS MATERIALIZED (
        SELECT subscription_id, id FROM webhook_deliveries
        WHERE id >= $1 AND id < $2 AND (subscription_id, id) > ($3, $4)
        ORDER BY subscription_id, id LIMIT $5 FOR UPDATE SKIP LOCKED
    )
    DELETE FROM webhook_deliveries AS gone USING ended
    WHERE gone.subscription_id = ANY(ARRAY[ended.subscription_id]) AND gone.id = ended.id
        AND gone.id >= $1 AND gone.id < $2
    RETURNING gone.subscription_id, gone.id";

const DELETE_ATTEMPTS: &str = "DELETE FROM webhook_attempts AS gone
    USING unnest($3, $4) AS ended (subscription_id, id)
    WHERE gone.subscription_id = ANY(ARRAY[ended.subscription_id]) AND gone.delivery_id = ended.id
        AND gone.delivery_id >= $1 AND gone.delivery_id < $2";

const EVENTS: &str = "SELECT id FROM webhook_events WHERE id >= $1 AND id < $2 AND id > $3 ORDER BY id LIMIT $4";

const DELETE_PUBLICATIONS: &str = "DELETE FROM webhook_publications WHERE event_id = ANY(ARRAY(
        SELECT event_id FROM webhook_publications WHERE event_id = ANY($1) ORDER BY event_id FOR UPDATE SKIP LOCKED
    ))";

const DELETE_EVENTS: &str = "DELETE FROM webhook_events WHERE id = ANY($1) AND id >= $2 AND id <= $3";

/// The progress in a period: the last row that was passed.
#[derive(Clone, Debug)]
pub(super) enum Progress {
    Deliveries { subscription: Vec<u8>, id: Vec<u8> },
    Events { id: Vec<u8> },
}

impl Progress {
    pub(super) const START: Self = Self::Deliveries { subscription: Vec::new(), id: Vec::new() };
}

#[derive(QueryableByName, PartialEq, Eq, PartialOrd, Ord)]
struct DeliveryRow {
    #[diesel(sql_type = Binary)]
    subscription_id: Vec<u8>,
    #[diesel(sql_type = Binary)]
    id: Vec<u8>,
}

#[derive(QueryableByName)]
struct EventRow {
    #[diesel(sql_type = Binary)]
    id: Vec<u8>,
}

pub(super) async fn is_queued(connection: &AsyncPgConnection, period: Period) -> QueryResult<bool> {
    let query = statement(QUEUED).bind::<Binary, _>(period.first_id()).bind::<Binary, _>(period.end_id());
    Kept(query).get_result::<CountRow>(&mut &*connection).await.map(|row| row.count > 0)
}

/// Deletes about `max` rows of the period. Returns their number, and the progress; `None` at the end of the period.
pub(super) async fn thin(
    connection: &AsyncPgConnection,
    period: Period,
    progress: Progress,
    max: u32,
) -> Result<(usize, Option<Progress>), Failure> {
    match progress {
        Progress::Deliveries { subscription, id } => {
            delete_deliveries(connection, period, (&subscription, &id), max.into()).await
        }
        Progress::Events { id } => {
            let query = statement(EVENTS)
                .bind::<Binary, _>(period.first_id())
                .bind::<Binary, _>(period.end_id())
                .bind::<Binary, _>(id)
                .bind::<BigInt, _>(CHECKED_MAX);
            let mut page = ids_of(Kept(query).load(&mut &*connection).await?);
            let queued = queued_among(connection, &mut page).await?;
            let Some(last) = page.last() else { return Ok((0, None)) };
            let over: Vec<&[u8]> =
                page.iter().filter(|id| !queued.contains(*id)).take(max as usize).map(Vec::as_slice).collect();
            let deleted = delete_events(connection, &over).await?;
            let id = if over.len() == max as usize { over.last().map(|id| id.to_vec()) } else { None };
            Ok((deleted, Some(Progress::Events { id: id.unwrap_or_else(|| last.clone()) })))
        }
    }
}

/// A delivery goes with all its attempts. Two round trips.
async fn delete_deliveries(
    connection: &AsyncPgConnection,
    period: Period,
    (subscription, id): (&[u8], &[u8]),
    max: i64,
) -> Result<(usize, Option<Progress>), Failure> {
    let deletion = statement(DELETE_DELIVERIES)
        .bind::<Binary, _>(period.first_id())
        .bind::<Binary, _>(period.end_id())
        .bind::<Binary, _>(subscription)
        .bind::<Binary, _>(id)
        .bind::<BigInt, _>(max);
    let (begun, gone) =
        join(Begin.execute(&mut &*connection), Kept(deletion).load::<DeliveryRow>(&mut &*connection)).await;
    let gone = begun.and(gone)?;
    let attempts = statement(DELETE_ATTEMPTS)
        .bind::<Binary, _>(period.first_id())
        .bind::<Binary, _>(period.end_id())
        .bind::<Array<Binary>, Vec<&[u8]>>(gone.iter().map(|row| row.subscription_id.as_slice()).collect())
        .bind::<Array<Binary>, Vec<&[u8]>>(gone.iter().map(|row| row.id.as_slice()).collect());
    let (attempts, committed) =
        join(Kept(attempts).execute(&mut &*connection), Commit.execute(&mut &*connection)).await;
    let deleted = gone.len() + settle(attempts, committed)?;
    let last = gone.into_iter().max();
    let next = last.map(|row| Progress::Deliveries { subscription: row.subscription_id, id: row.id });
    Ok((deleted, Some(next.unwrap_or(Progress::Events { id: Vec::new() }))))
}

/// The events among these that have queued deliveries. Leaves out the last events if there are too many deliveries. None
/// gets any more: see [`published_since`](domain::ports::RetryRequest::published_since).
async fn queued_among(connection: &AsyncPgConnection, events: &mut Vec<Vec<u8>>) -> QueryResult<HashSet<Vec<u8>>> {
    loop {
        let (first, last) = id_range(events.iter().map(Vec::as_slice));
        let query = statement(QUEUED_EVENTS)
            .bind::<Binary, _>(first)
            .bind::<Binary, _>(last)
            .bind::<BigInt, _>(i64::try_from(QUEUED_MAX).unwrap_or(i64::MAX));
        let queued = ids_of(Kept(query).load(&mut &*connection).await?);
        if queued.len() < QUEUED_MAX {
            return Ok(queued.into_iter().collect());
        }
        if let [only] = &events[..] {
            // Its deliveries may be among those that were not read.
            return Ok(HashSet::from([only.clone()]));
        }
        events.truncate(events.len() / 10 + 1);
    }
}

/// Deletes events with the ids of their publishers, and returns the number of rows.
async fn delete_events(connection: &AsyncPgConnection, events: &[&[u8]]) -> Result<usize, Failure> {
    if events.is_empty() {
        return Ok(0);
    }
    let (first, last) = id_range(events.iter().copied());
    let publications = statement(DELETE_PUBLICATIONS).bind::<Array<Binary>, _>(events);
    let deletion =
        statement(DELETE_EVENTS).bind::<Array<Binary>, _>(events).bind::<Binary, _>(first).bind::<Binary, _>(last);
    let (begun, (publications, deleted), committed) = join3(
        Begin.execute(&mut &*connection),
        join(Kept(publications).execute(&mut &*connection), Kept(deletion).execute(&mut &*connection)),
        Commit.execute(&mut &*connection),
    )
    .await;
    begun?;
    settle(publications.and_then(|publications| Ok(publications + deleted?)), committed)
}

fn ids_of(rows: Vec<EventRow>) -> Vec<Vec<u8>> {
    rows.into_iter().map(|row| row.id).collect()
}
