use std::collections::BTreeMap;

use diesel::QueryResult;
use diesel::sql_types::{Array, BigInt, Binary, SmallInt};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::{phase_number, stored_sequence};
use diesel_mapping::{Kept, StoredInstant};
use domain::SubscriptionId;
use domain::webhooks::Phase;
use futures_util::future::join;

use super::publish_events::Due;
use super::publish_questions::LaneRow;

const INSERT: &str =
    "INSERT INTO webhook_due (subscription_id, delivery_id, event_id, phase, due_at, attempts_before_run,
        run_started_at, attempts, sequence)
    SELECT new.subscription_id, new.delivery_id, new.event_id, $6, new.at, 0, new.at, 0, new.sequence
    FROM unnest($1, $2, $3, $4, $5) AS new (subscription_id, delivery_id, event_id, at, sequence)";

/// The lanes are locked.
const COUNT: &str = "UPDATE webhook_lanes AS lane SET last_sequence = counted.last_sequence
    FROM unnest($1, $2) AS counted (subscription_id, last_sequence)
    WHERE lane.subscription_id = counted.subscription_id AND lane.subscription_id = ANY($1)";

/// The last number in each lane with an order. Its lane is locked until the commit, so the order of numbers is the order of
/// commits, and no number is missing.
pub(super) struct Numbers(BTreeMap<SubscriptionId, u64>);

impl Numbers {
    /// The last numbers of these lanes. Lanes without an order have none.
    pub(super) fn of(locked: &[LaneRow]) -> Self {
        Self(locked.iter().filter_map(LaneRow::last_sequence).collect())
    }

    /// The number of the next delivery in the lane; `None` without an order.
    pub(super) fn next(&mut self, lane: SubscriptionId) -> Option<u64> {
        let last = self.0.get_mut(&lane)?;
        *last += 1;
        Some(*last)
    }

    /// Stores the deliveries, all with a number, and the last numbers. `None` without any.
    pub(super) fn store<'a>(
        &self,
        connection: &'a AsyncPgConnection,
        due: &[Due<'_>],
    ) -> Option<impl Future<Output = QueryResult<usize>> + use<'a>> {
        let numbers = due.iter().map(|due| due.queued.sequence.map_or(0, stored_sequence));
        let insertion = diesel::sql_query(INSERT)
            .bind::<Array<Binary>, Vec<Vec<u8>>>(due.iter().map(|due| due.to.as_bytes().to_vec()).collect())
            .bind::<Array<Binary>, Vec<Vec<u8>>>(due.iter().map(|due| due.id.as_bytes().to_vec()).collect())
            .bind::<Array<Binary>, Vec<Vec<u8>>>(due.iter().map(|due| due.event.id.as_bytes().to_vec()).collect())
            .bind::<Array<Instant>, Vec<StoredInstant>>(due.iter().map(|due| due.event.created_at.into()).collect())
            .bind::<Array<BigInt>, Vec<i64>>(numbers.collect())
            .bind::<SmallInt, _>(phase_number(Phase::Numbered));
        let counted = |(lane, last): (&SubscriptionId, &u64)| (lane.as_bytes().to_vec(), stored_sequence(*last));
        let (lanes, last): (Vec<Vec<u8>>, Vec<i64>) = self.0.iter().map(counted).unzip();
        let count = diesel::sql_query(COUNT).bind::<Array<Binary>, _>(lanes).bind::<Array<BigInt>, _>(last);
        let (inserted, counted) = (Kept(insertion).execute(&mut &*connection), Kept(count).execute(&mut &*connection));
        (!due.is_empty()).then_some(async move {
            let (inserted, counted) = join(inserted, counted).await;
            inserted.and(counted)
        })
    }
}
