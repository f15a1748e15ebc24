use std::collections::BTreeMap;

use diesel::QueryResult;
use diesel::sql_types::{Array, BigInt, Binary, SmallInt};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::{phase_number, stored_sequence};
use diesel_mapping::{Kept, StoredInstant, statement};
use domain::SubscriptionId;
use domain::webhooks::Phase;
use futures_util::future::{OptionFuture, join3};

use super::publish_events::Due;
use super::publish_questions::LaneRow;
use crate::transaction::on_its_node;

const INSERT: &str = on_its_node!(
    "INSERT INTO webhook_due (subscription_id, delivery_id, event_id, phase, due_at, attempts_before_run,
        run_started_at, attempts, sequence)
    SELECT new.subscription_id, new.delivery_id, new.event_id, $6, new.at, 0, new.at, 0, new.sequence
    FROM unnest($1, $2, $3, $4, $5) AS new (subscription_id, delivery_id, event_id, at, sequence)"
);

const LOG: &str =
    on_its_node!("INSERT INTO webhook_pulled (subscription_id, sequence, event_id) SELECT * FROM unnest($1, $2, $3)");

/// The lanes are locked.
const COUNT: &str = "UPDATE webhook_lanes AS lane SET last_sequence = counted.last_sequence
    FROM unnest($1, $2) AS counted (subscription_id, last_sequence)
    WHERE lane.subscription_id = counted.subscription_id AND lane.subscription_id = ANY($1)";

/// The last number in each lane with an order. Its lane is locked until the commit, so the order of numbers is the order of
/// commits, and no number is missing.
pub(super) struct Numbers(BTreeMap<SubscriptionId, LastNumber>);

/// The last number in a lane.
pub(super) struct LastNumber {
    pub(super) last: u64,
    /// Whether it is of an event in a log, and not of a delivery.
    pub(super) is_pulled: bool,
}

impl Numbers {
    /// The last numbers of these lanes. Lanes without an order have none.
    pub(super) fn of(locked: &[LaneRow]) -> Self {
        Self(locked.iter().filter_map(LaneRow::last_number).collect())
    }

    /// The number of the next delivery in the lane, or of the next event in its log; `None` without numbers.
    pub(super) fn next(&mut self, lane: SubscriptionId) -> Option<u64> {
        let number = self.0.get_mut(&lane)?;
        number.last += 1;
        Some(number.last)
    }

    /// Whether the events of the lane are pulled.
    pub(super) fn is_pulled(&self, lane: SubscriptionId) -> bool {
        self.0.get(&lane).is_some_and(|number| number.is_pulled)
    }

    /// Stores the deliveries and the events of logs, all with a number, and the last numbers. `None` without any.
    pub(super) fn store<'a>(
        &self,
        connection: &'a AsyncPgConnection,
        numbered: &[Due<'_>],
    ) -> Option<impl Future<Output = QueryResult<usize>> + use<'a>> {
        let (logged, due): (Vec<&Due<'_>>, Vec<&Due<'_>>) = numbered.iter().partition(|due| self.is_pulled(due.to));
        let (due, logged) = (insert_due(connection, &due), insert_logged(connection, &logged));
        let counted =
            |(lane, number): (&SubscriptionId, &LastNumber)| (lane.as_bytes().to_vec(), stored_sequence(number.last));
        let (lanes, last): (Vec<Vec<u8>>, Vec<i64>) = self.0.iter().map(counted).unzip();
        let count = statement(COUNT).bind::<Array<Binary>, _>(lanes).bind::<Array<BigInt>, _>(last);
        let counted = Kept(count).execute(&mut &*connection);
        (!numbered.is_empty()).then_some(async move {
            let (due, logged, counted) = join3(OptionFuture::from(due), OptionFuture::from(logged), counted).await;
            due.transpose().and(logged.transpose()).and(counted)
        })
    }
}

/// Bytes of the ids of receivers and of what `id` gives, and the numbers.
fn columns(due: &[&Due<'_>], id: impl Fn(&Due<'_>) -> Vec<u8>) -> (Vec<Vec<u8>>, Vec<Vec<u8>>, Vec<i64>) {
    let number = |due: &Due<'_>| due.queued.sequence.map_or(0, stored_sequence);
    due.iter().map(|due| (due.to.as_bytes().to_vec(), id(due), number(due))).collect()
}

fn insert_due<'a>(
    connection: &'a AsyncPgConnection,
    due: &[&Due<'_>],
) -> Option<impl Future<Output = QueryResult<usize>> + use<'a>> {
    let (lanes, ids, numbers) = columns(due, |due| due.id.as_bytes().to_vec());
    let insertion = statement(INSERT)
        .bind::<Array<Binary>, _>(lanes)
        .bind::<Array<Binary>, _>(ids)
        .bind::<Array<Binary>, Vec<Vec<u8>>>(due.iter().map(|due| due.event.id.as_bytes().to_vec()).collect())
        .bind::<Array<Instant>, Vec<StoredInstant>>(due.iter().map(|due| due.event.created_at.into()).collect())
        .bind::<Array<BigInt>, _>(numbers)
        .bind::<SmallInt, _>(phase_number(Phase::Numbered));
    (!due.is_empty()).then(|| Kept(insertion).execute(&mut &*connection))
}

fn insert_logged<'a>(
    connection: &'a AsyncPgConnection,
    logged: &[&Due<'_>],
) -> Option<impl Future<Output = QueryResult<usize>> + use<'a>> {
    let (lanes, events, numbers) = columns(logged, |due| due.event.id.as_bytes().to_vec());
    let insertion = statement(LOG)
        .bind::<Array<Binary>, _>(lanes)
        .bind::<Array<BigInt>, _>(numbers)
        .bind::<Array<Binary>, _>(events);
    (!logged.is_empty()).then(|| Kept(insertion).execute(&mut &*connection))
}
