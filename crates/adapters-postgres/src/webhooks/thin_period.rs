//! A period with queued deliveries stays in the log. Its other rows are deleted one by one: ended deliveries with their
//! attempts, then events without queued deliveries.

use std::collections::HashSet;

use diesel::QueryResult;
use diesel::deserialize::QueryableByName;
use diesel::sql_types::{Array, BigInt, Binary};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::{CountRow, IdRow, Kept, statement};
use futures_util::future::{join, join3};

use super::periods::{Period, id_range};
use crate::attempt::Failure;
use crate::transaction::{Begin, Commit, rolled_back, settle};

/// The most events that one step looks at. Each lane with a queue takes two look-ups for all of them together.
const CHECKED_MAX: usize = 10_000;
/// The number of events that the first step of a period looks at.
const CHECKED_FIRST: usize = 1_000;
/// The most queued deliveries that one step reads: an event may have 10,000.
const QUEUED_MAX: usize = 30_000;

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

/// Locks at most `$5` deliveries of a period, in their order after the delivery `$4` of the subscription `$3`. A delivery that
/// another transaction has locked stays until the next pass.
const LOCK_DELIVERIES: &str = "SELECT subscription_id, id FROM webhook_deliveries
    WHERE id >= $1 AND id < $2 AND (subscription_id, id) > ($3, $4)
    ORDER BY subscription_id, id LIMIT $5 FOR UPDATE SKIP LOCKED";

/// Deletes the deliveries `$7` between the first and the last of them. The bounds keep every plan to these rows. A join
/// with them reads the whole period for each row if the planner last saw an empty table.
const DELETE_DELIVERIES: &str = "DELETE FROM webhook_deliveries
    WHERE id >= $1 AND id < $2 AND (subscription_id, id) >= ($3, $4) AND (subscription_id, id) <= ($5, $6)
        AND id = ANY($7)";

const DELETE_ATTEMPTS: &str = "DELETE FROM webhook_attempts
    WHERE delivery_id >= $1 AND delivery_id < $2
        AND (subscription_id, delivery_id) >= ($3, $4) AND (subscription_id, delivery_id) <= ($5, $6)
        AND delivery_id = ANY($7)";

const EVENTS: &str = "SELECT id FROM webhook_events WHERE id >= $1 AND id < $2 AND id > $3 ORDER BY id LIMIT $4";

const DELETE_PUBLICATIONS: &str = "DELETE FROM webhook_publications WHERE event_id = ANY(ARRAY(
        SELECT event_id FROM webhook_publications WHERE event_id = ANY($1) ORDER BY event_id FOR UPDATE SKIP LOCKED
    ))";

/// An event stays with its publication key, if another transaction has locked that. The count is a look-up for each event, in
/// every plan.
const DELETE_EVENTS: &str = "DELETE FROM webhook_events AS event WHERE id = ANY($1) AND id >= $2 AND id <= $3
    AND (SELECT count(*) FROM webhook_publications WHERE event_id = event.id) = 0";

/// The progress in a period: the last row that was passed.
#[derive(Clone, Debug)]
pub(super) enum Progress {
    Deliveries(DeliveryRow),
    /// The next step looks at `next` events.
    Events {
        id: Vec<u8>,
        next: usize,
    },
}

impl Progress {
    pub(super) const START: Self = Self::Deliveries(DeliveryRow { subscription_id: Vec::new(), id: Vec::new() });
    const EVENTS: Self = Self::Events { id: Vec::new(), next: CHECKED_FIRST };
}

#[derive(Clone, Debug, QueryableByName)]
pub(super) struct DeliveryRow {
    #[diesel(sql_type = Binary)]
    subscription_id: Vec<u8>,
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
        Progress::Deliveries(after) => thin_deliveries(connection, period, &after, max).await,
        Progress::Events { id, next } => thin_events(connection, period, (id, next), max as usize).await,
    }
}

/// Deletes deliveries, each with all its attempts. Two round trips.
async fn thin_deliveries(
    connection: &AsyncPgConnection,
    period: Period,
    after: &DeliveryRow,
    max: u32,
) -> Result<(usize, Option<Progress>), Failure> {
    let lock = statement(LOCK_DELIVERIES)
        .bind::<Binary, _>(period.first_id())
        .bind::<Binary, _>(period.end_id())
        .bind::<Binary, _>(&after.subscription_id)
        .bind::<Binary, _>(&after.id)
        .bind::<BigInt, i64>(max.into());
    let (begun, locked) =
        join(Begin.execute(&mut &*connection), Kept(lock).load::<DeliveryRow>(&mut &*connection)).await;
    let locked = begun.and(locked)?;
    let (Some(first), Some(last)) = (locked.as_slice().first(), locked.as_slice().last()) else {
        return rolled_back(connection, (0, Some(Progress::EVENTS))).await;
    };
    let ids: Vec<&[u8]> = locked.iter().map(|row| row.id.as_slice()).collect();
    let [deliveries, attempts] = [DELETE_DELIVERIES, DELETE_ATTEMPTS].map(|sql| {
        statement(sql)
            .bind::<Binary, _>(period.first_id())
            .bind::<Binary, _>(period.end_id())
            .bind::<Binary, _>(&first.subscription_id)
            .bind::<Binary, _>(&first.id)
            .bind::<Binary, _>(&last.subscription_id)
            .bind::<Binary, _>(&last.id)
            .bind::<Array<Binary>, _>(&ids)
    });
    let (deliveries, attempts, committed) = join3(
        Kept(deliveries).execute(&mut &*connection),
        Kept(attempts).execute(&mut &*connection),
        Commit.execute(&mut &*connection),
    )
    .await;
    let deleted = settle(deliveries.and_then(|deliveries| Ok(deliveries + attempts?)), committed)?;
    Ok((deleted, locked.into_iter().next_back().map(Progress::Deliveries)))
}

/// Deletes at most `max` of the next events, or passes them. If too many deliveries of them are queued, the next step looks at
/// half of them. An event that alone has too many stays.
async fn thin_events(
    connection: &AsyncPgConnection,
    period: Period,
    (after, next): (Vec<u8>, usize),
    max: usize,
) -> Result<(usize, Option<Progress>), Failure> {
    let query = statement(EVENTS)
        .bind::<Binary, _>(period.first_id())
        .bind::<Binary, _>(period.end_id())
        .bind::<Binary, _>(&after)
        .bind::<BigInt, _>(limit(next));
    let page = IdRow::ids(Kept(query).load(&mut &*connection).await?);
    let Some(last) = page.last() else { return Ok((0, None)) };
    let queued = queued_events(connection, &page).await?;
    if queued.len() == QUEUED_MAX {
        let id = if page.len() == 1 { last.clone() } else { after };
        return Ok((0, Some(Progress::Events { id, next: page.len().div_ceil(2) })));
    }
    let queued_count = queued.len();
    let queued: HashSet<Vec<u8>> = queued.into_iter().collect();
    let mut over: Vec<&[u8]> = page.iter().filter(|id| !queued.contains(*id)).map(Vec::as_slice).collect();
    let is_last = over.len() <= max;
    let next = if is_last && queued_count < QUEUED_MAX / 4 { CHECKED_MAX.min(next * 2) } else { next };
    over.truncate(max);
    let deleted = delete_events(connection, &over).await?;
    let id = if is_last { last } else { over.last().copied().unwrap_or(last) };
    Ok((deleted, Some(Progress::Events { id: id.to_vec(), next })))
}

/// The events of queued deliveries among these events, at most [`QUEUED_MAX`]: one for each delivery. No event gets another one
/// where all instances have one retention: see [`published_since`](domain::ports::RetryRequest::published_since).
async fn queued_events(connection: &AsyncPgConnection, events: &[Vec<u8>]) -> QueryResult<Vec<Vec<u8>>> {
    let (first, last) = id_range(events.iter().map(Vec::as_slice));
    let query =
        statement(QUEUED_EVENTS).bind::<Binary, _>(first).bind::<Binary, _>(last).bind::<BigInt, _>(limit(QUEUED_MAX));
    Ok(IdRow::ids(Kept(query).load(&mut &*connection).await?))
}

fn limit(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
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
