use std::collections::BTreeMap;

use diesel::deserialize::QueryableByName;
use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::Kept;
use diesel_mapping::webhooks::{DueRow, EndedRow, first_delivery_at};
use domain::ports::{DeliveryPage, StoreError};
use domain::webhooks::{Delivery, DeliveryFilter, DeliveryStateKind};
use domain::{DeliveryId, Timestamp, UserId};
use futures_util::future::join4;

use crate::attempt::{Failure, Work};
use crate::transaction::{BeginSnapshot, Commit};

/// The newest of each subscription's deliveries that have not ended, with ids from `$4` to below `$5`.
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

/// The newest of those that have.
const ENDED: &str = "SELECT ended.*
    FROM webhook_subscriptions AS subscription
    CROSS JOIN LATERAL (
        SELECT subscription_id, id, event_id, event_type, ended, ended_at, attempts FROM webhook_deliveries
        WHERE subscription_id = subscription.id AND id >= $4 AND id < $5
        ORDER BY id DESC LIMIT $6
    ) AS ended
    WHERE subscription.owner_issuer = $1 AND subscription.owner_subject = $2
        AND (subscription.id = $3 OR $3 IS NULL)";

/// Deliveries that are read of each subscription when most may not be wanted.
const READ_MAX: i64 = 500;

/// A page of an owner's deliveries. Both tables as they are at one instant, so that a delivery that ends meanwhile is in
/// one of them. One round trip.
pub(super) struct ListDeliveries<'a> {
    pub(super) owner: &'a UserId,
    pub(super) filter: &'a DeliveryFilter,
    pub(super) before: Option<DeliveryId>,
    pub(super) max: u32,
}

impl Work for ListDeliveries<'_> {
    type Answer = DeliveryPage;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<DeliveryPage, Failure> {
        let query = |sql, limit: i64| {
            let wanted = self.filter.subscription.map(|id| id.as_bytes().to_vec());
            let query = diesel::sql_query(sql)
                .bind::<Text, _>(self.owner.issuer())
                .bind::<Text, _>(self.owner.subject())
                .bind::<Nullable<Binary>, _>(wanted)
                .bind::<Binary, _>(self.first_id())
                .bind::<Binary, _>(self.end_of_ids())
                .bind::<BigInt, _>(limit);
            Kept(query)
        };
        let (due_limit, ended_limit) = self.limits();
        let (begun, due, ended, committed) = join4(
            BeginSnapshot.execute(&mut &*connection),
            query(DUE, due_limit).load::<DueWithTypeRow>(&mut &*connection),
            query(ENDED, ended_limit).load::<EndedRow>(&mut &*connection),
            Commit.execute(&mut &*connection),
        )
        .await;
        begun?;
        let (due, ended) = (due?, ended?);
        committed?;
        let due: Result<Vec<Delivery>, StoreError> = due.into_iter().map(Delivery::try_from).collect();
        let ended: Result<Vec<Delivery>, StoreError> = ended.into_iter().map(Delivery::try_from).collect();
        Ok(self.page(vec![(due?, due_limit), (ended?, ended_limit)]))
    }
}

impl ListDeliveries<'_> {
    /// How many of each subscription's deliveries are read that have not ended, and that have: none that cannot be wanted,
    /// and one more than a page where all are.
    fn limits(&self) -> (i64, i64) {
        let DeliveryFilter { event_type, state, .. } = self.filter;
        let page = i64::from(self.max) + 1;
        let all = if event_type.is_none() && state.is_none() { page } else { page.max(READ_MAX) };
        match state {
            None => (all, all),
            Some(DeliveryStateKind::Waiting | DeliveryStateKind::Sending) => (all, 0),
            Some(DeliveryStateKind::Delivered | DeliveryStateKind::Failed | DeliveryStateKind::Cancelled) => (0, all),
        }
    }

    fn first_id(&self) -> Vec<u8> {
        self.filter.since.map(first_id_at).unwrap_or_default()
    }

    /// The first id that is not wanted any more.
    fn end_of_ids(&self) -> Vec<u8> {
        let until = self.filter.until.map(first_id_at);
        let before = self.before.map(|id| id.as_bytes().to_vec());
        until.into_iter().chain(before).min().unwrap_or_else(|| vec![0xFF; 17])
    }

    /// The page of what was read. Where a list was cut at its limit there may be more below its last entry: what lies
    /// below the highest of these is left for the next page.
    fn page(&self, tables: Vec<(Vec<Delivery>, i64)>) -> DeliveryPage {
        let read_down_to = tables.iter().filter_map(|(rows, limit)| read_down_to(rows, *limit)).max();
        let rows = tables.into_iter().flat_map(|(rows, _)| rows);
        let mut read: Vec<Delivery> = rows.filter(|row| read_down_to.is_none_or(|end| row.id >= end)).collect();
        read.retain(|delivery| self.filter.matches(delivery));
        read.sort_unstable_by_key(|delivery| std::cmp::Reverse(delivery.id));
        let is_cut = read.len() > self.max as usize;
        read.truncate(self.max as usize);
        let next = if is_cut { read.last().map(|last| last.id) } else { read_down_to };
        DeliveryPage { deliveries: read, next }
    }
}

/// Down to which id the table was read of all subscriptions; `None`: to the end.
fn read_down_to(rows: &[Delivery], limit: i64) -> Option<DeliveryId> {
    let mut counts: BTreeMap<_, (i64, DeliveryId)> = BTreeMap::new();
    for row in rows {
        let (count, last) = counts.entry(row.subscription_id).or_insert((0, row.id));
        *count += 1;
        *last = row.id.min(*last);
    }
    counts.into_values().filter(|(count, _)| *count >= limit).map(|(_, last)| last).max()
}

/// The bytes from which ids begin that were minted at `at`, or later.
pub(super) fn first_id_at(at: Timestamp) -> Vec<u8> {
    first_delivery_at(at).as_bytes()[..6].to_vec()
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
