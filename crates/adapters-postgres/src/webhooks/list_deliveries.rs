use std::collections::{BTreeMap, HashMap};

use diesel::deserialize::QueryableByName;
use diesel::sql_types::{Array, BigInt, Binary, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::webhooks::{DueRow, EndedRow, LoggedAttemptRow};
use diesel_mapping::{Kept, owner_statement, statement, values_of};
use domain::ports::{DeliveryPage, ListDeliveriesRequest, LoggedAttempt, StoreError};
use domain::webhooks::{AttemptRecord, Delivery, DeliveryFilter, DeliveryStateKind, ListedDelivery};
use domain::{DeliveryId, Timestamp};
use futures_util::future::{join, join3};

use crate::attempt::{Failure, Work};
use crate::transaction::{BeginSnapshot, Commit};

/// The newest deliveries of each subscription that have not ended, with ids from `$4` to below `$5`.
const DUE: &str = "SELECT due.subscription_id, due.delivery_id, due.event_id, due.due_at, due.claim, due.attempts,
        event.event_type
    FROM webhook_subscriptions AS subscription
    CROSS JOIN LATERAL (
        SELECT subscription_id, delivery_id, event_id, COALESCE(claimed_until, due_at) AS due_at, claim, attempts
        FROM webhook_due
        WHERE subscription_id = subscription.id AND delivery_id >= $4 AND delivery_id < $5
        ORDER BY delivery_id DESC LIMIT $6
    ) AS due
    JOIN webhook_events AS event ON event.id = due.event_id
    WHERE subscription.owner_issuer = $1 AND subscription.owner_subject = $2
        AND (subscription.id = $3 OR $3 IS NULL)";

/// The newest deliveries of each subscription that have ended.
const ENDED: &str = "SELECT ended.*
    FROM webhook_subscriptions AS subscription
    CROSS JOIN LATERAL (
        SELECT subscription_id, id, event_id, event_type, ended, ended_at, attempts FROM webhook_deliveries
        WHERE subscription_id = subscription.id AND id >= $4 AND id < $5
        ORDER BY id DESC LIMIT $6
    ) AS ended
    WHERE subscription.owner_issuer = $1 AND subscription.owner_subject = $2
        AND (subscription.id = $3 OR $3 IS NULL)";

/// The last attempt at each of the deliveries `$2`, which go to the subscriptions `$1`.
const LAST_ATTEMPTS: &str = "SELECT attempt.* FROM unnest($1, $2) AS listed (subscription_id, id)
    CROSS JOIN LATERAL (
        SELECT subscription_id, delivery_id, event_id, number, started_at, ended_at, failure, status
        FROM webhook_attempts WHERE subscription_id = listed.subscription_id AND delivery_id = listed.id
        ORDER BY number DESC LIMIT 1
    ) AS attempt";

/// How many deliveries of each subscription are read when the filter may drop most of them.
const READ_MAX: i64 = 500;

/// A page of an owner's deliveries. Reads the tables at one instant, so that a delivery that ends during the call is in
/// one of them. Two round trips.
impl Work for ListDeliveriesRequest {
    type Answer = DeliveryPage;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<DeliveryPage, Failure> {
        let query = |sql, limit: i64| {
            let wanted = self.filter.subscription.map(|id| id.as_bytes().to_vec());
            let query = owner_statement(sql, &self.owner)
                .bind::<Nullable<Binary>, _>(wanted)
                .bind::<Binary, _>(first_id(self))
                .bind::<Binary, _>(end_of_ids(self))
                .bind::<BigInt, _>(limit);
            Kept(query)
        };
        let (due_limit, ended_limit) = limits(self);
        let (begun, ended, due) = join3(
            BeginSnapshot.execute(&mut &*connection),
            query(ENDED, ended_limit).load::<EndedRow>(&mut &*connection),
            query(DUE, due_limit).load::<DueWithTypeRow>(&mut &*connection),
        )
        .await;
        begun?;
        let (due, ended) = (due?, ended?);
        let (deliveries, next) = page(self, vec![(values_of(due)?, due_limit), (values_of(ended)?, ended_limit)]);
        let (attempts, committed) =
            join(last_attempts(connection, &deliveries), Commit.execute(&mut &*connection)).await;
        let mut attempts = attempts?;
        committed?;
        let listed = |delivery: Delivery| ListedDelivery { last_attempt: attempts.remove(&delivery.id), delivery };
        Ok(DeliveryPage { deliveries: deliveries.into_iter().map(listed).collect(), next })
    }
}

/// How many deliveries of each subscription are read that have not ended, and that have ended: none if the filter
/// excludes them, and one more than a page if it includes them all.
fn limits(request: &ListDeliveriesRequest) -> (i64, i64) {
    let DeliveryFilter { event_type, state, .. } = &request.filter;
    let page = i64::from(request.max) + 1;
    let all = if event_type.is_none() && state.is_none() { page } else { page.max(READ_MAX) };
    match state {
        None => (all, all),
        Some(DeliveryStateKind::Waiting | DeliveryStateKind::Sending) => (all, 0),
        Some(_) => (0, all),
    }
}

fn first_id(request: &ListDeliveriesRequest) -> Vec<u8> {
    request.filter.since.map(first_id_at).unwrap_or_default()
}

/// The first id after the range.
fn end_of_ids(request: &ListDeliveriesRequest) -> Vec<u8> {
    let until = request.filter.until.map(first_id_at);
    let before = request.before.map(|id| id.as_bytes().to_vec());
    until.into_iter().chain(before).min().unwrap_or_else(|| vec![0xFF; 17])
}

/// The page from the rows that were read, and where the next one begins. If a list was cut at its limit, there may be more below its last row:
/// rows below the highest such row are left for the next page.
fn page(request: &ListDeliveriesRequest, tables: Vec<(Vec<Delivery>, i64)>) -> (Vec<Delivery>, Option<DeliveryId>) {
    let read_down_to = tables.iter().filter_map(|(rows, limit)| read_down_to(rows, *limit)).max();
    let rows = tables.into_iter().flat_map(|(rows, _)| rows);
    let mut read: Vec<Delivery> = rows.filter(|row| read_down_to.is_none_or(|end| row.id >= end)).collect();
    read.retain(|delivery| request.filter.matches(delivery));
    read.sort_unstable_by_key(|delivery| std::cmp::Reverse(delivery.id));
    let is_cut = read.len() > request.max as usize;
    read.truncate(request.max as usize);
    let next = if is_cut { read.last().map(|last| last.id) } else { read_down_to };
    (read, next)
}

/// The last attempt at each of the deliveries that has one.
async fn last_attempts(
    connection: &AsyncPgConnection,
    deliveries: &[Delivery],
) -> Result<HashMap<DeliveryId, AttemptRecord>, Failure> {
    let lanes: Vec<&[u8]> = deliveries.iter().map(|one| one.subscription_id.as_bytes().as_slice()).collect();
    let ids: Vec<&[u8]> = deliveries.iter().map(|one| one.id.as_bytes().as_slice()).collect();
    let query = statement(LAST_ATTEMPTS).bind::<Array<Binary>, _>(lanes).bind::<Array<Binary>, _>(ids);
    let rows: Vec<LoggedAttemptRow> = Kept(query).load(&mut &*connection).await?;
    let logged: Vec<LoggedAttempt> = values_of(rows)?;
    Ok(logged.into_iter().map(|one| (one.delivery, one.attempt)).collect())
}

/// The id down to which the table was read for all subscriptions; `None` for the whole table.
fn read_down_to(rows: &[Delivery], limit: i64) -> Option<DeliveryId> {
    let mut counts: BTreeMap<_, (i64, DeliveryId)> = BTreeMap::new();
    for row in rows {
        let (count, last) = counts.entry(row.subscription_id).or_insert((0, row.id));
        *count += 1;
        *last = row.id.min(*last);
    }
    counts.into_values().filter(|(count, _)| *count >= limit).map(|(_, last)| last).max()
}

/// The first bytes of ids that were minted at `at` or later.
pub(super) fn first_id_at(at: Timestamp) -> Vec<u8> {
    DeliveryId::first_at(at).as_bytes()[..6].to_vec()
}

#[derive(QueryableByName)]
pub(super) struct DueWithTypeRow {
    #[diesel(embed)]
    due: DueRow,
    #[diesel(sql_type = Text)]
    event_type: String,
}

impl TryFrom<DueWithTypeRow> for Delivery {
    type Error = StoreError;

    fn try_from(row: DueWithTypeRow) -> Result<Self, StoreError> {
        row.due.delivery(&row.event_type)
    }
}
