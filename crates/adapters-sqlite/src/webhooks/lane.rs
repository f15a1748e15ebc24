use diesel::connection::DefaultLoadingMode;
use diesel::dsl::auto_type;
use diesel::prelude::*;
use diesel_mapping::StoredInstant;
use diesel_mapping::schema::{webhook_due, webhook_lanes};
use diesel_mapping::webhooks::{BreakerRow, phase_number, read_sequence, stored_sequence, subscription_id};
use domain::ports::StoreError;
use domain::webhooks::{Admission, Breaker, OwnerNumber, Phase};
use domain::{SubscriptionId, Timestamp};

use crate::undo::Undo;

/// A lane as it is stored. Its values are not checked yet.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = webhook_lanes, treat_none_as_default_value = false)]
pub(super) struct LaneRow {
    pub(super) subscription_id: Vec<u8>,
    owner: i64,
    is_open: bool,
    ready_at: Option<StoredInstant>,
    #[diesel(embed)]
    breaker: BreakerRow,
    rests_until: Option<StoredInstant>,
    last_sequence: Option<i64>,
    is_pulled: bool,
}

/// The queue of a subscription.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Lane {
    pub(super) id: SubscriptionId,
    pub(super) owner: OwnerNumber,
    pub(super) is_open: bool,
    pub(super) ready_at: Option<Timestamp>,
    pub(super) breaker: Breaker,
    /// Until when the lane rests, because of its rate.
    pub(super) rests_until: Option<Timestamp>,
    /// The number of its last delivery in order, or of the last event in its log; `None` without either.
    pub(super) last_sequence: Option<u64>,
    /// Whether its events are pulled.
    pub(super) is_pulled: bool,
}

impl Lane {
    /// The lane of a subscription; `None` if it has none.
    pub(super) fn find(connection: &mut SqliteConnection, id: SubscriptionId) -> Result<Option<Self>, Undo> {
        let found = webhook_lanes::table.find(id.as_bytes().as_slice()).select(LaneRow::as_select());
        let row: Option<LaneRow> = found.get_result(connection).optional()?;
        Ok(row.map(Self::try_from).transpose()?)
    }

    /// When a claim or [`end_closed`](super::end_closed::end_closed) must check the lane again; `None` if its queue is
    /// empty.
    pub(super) fn next_service(
        &self,
        connection: &mut SqliteConnection,
        at: Timestamp,
    ) -> Result<Option<Timestamp>, Undo> {
        let (waiting, claim_end) = self.queued(connection)?;
        if !self.is_open {
            return Ok(waiting.map(|_| at).or(claim_end).map(|next| next.max(at)));
        }
        let paused_until = self.breaker.pause.map_or(Timestamp::MIN, |pause| pause.until);
        let probes = self.breaker.admission(paused_until.max(at)) == Admission::Probe;
        // A lane that probes waits for claims that hold, but not for claims that have expired.
        let next = match claim_end {
            Some(end) if probes && end > at => Some(end),
            _ => waiting.into_iter().chain(claim_end).min(),
        };
        Ok(next.map(|next| next.max(paused_until).max(self.rests_until.unwrap_or(next))))
    }

    /// Whether its deliveries leave one after the other.
    pub(super) fn is_ordered(&self) -> bool {
        self.last_sequence.is_some()
    }

    /// The number of the next delivery; `None` without an order.
    pub(super) fn next_sequence(&mut self) -> Option<u64> {
        let last = self.last_sequence.as_mut()?;
        *last += 1;
        Some(*last)
    }

    /// Moves the lane's next service forward to `due_at`, or to the end of the breaker's pause or of the lane's rest.
    /// Returns whether the service is earlier now.
    pub(super) fn bring_forward(&mut self, due_at: Timestamp) -> bool {
        let held_until = self.breaker.pause.map(|pause| pause.until).max(self.rests_until);
        let ready_at = held_until.map_or(due_at, |until| until.max(due_at));
        let is_sooner = self.is_open && self.ready_at.is_none_or(|planned| planned > ready_at);
        if is_sooner {
            self.ready_at = Some(ready_at);
        }
        is_sooner
    }

    /// Writes the lane if it differs from `before`, the stored one.
    pub(super) fn write(&self, connection: &mut SqliteConnection, before: &Self) -> Result<(), Undo> {
        if self == before {
            return Ok(());
        }
        // Not an update: diesel would prepare it again each time.
        diesel::replace_into(webhook_lanes::table).values(LaneRow::from(self)).execute(connection)?;
        Ok(())
    }

    /// When the first waiting delivery is due, and when the first claim ends. Reads only the first entries of the
    /// indexes, however long the queue is. Of the deliveries with a number, only the lowest counts.
    fn queued(&self, connection: &mut SqliteConnection) -> Result<(Option<Timestamp>, Option<Timestamp>), Undo> {
        let mut waiting: Option<Timestamp> = None;
        if self.is_ordered() {
            let head = in_order(&self.id).select((webhook_due::due_at, webhook_due::claim));
            let head = head.load_iter::<(StoredInstant, Option<i64>), DefaultLoadingMode>(connection)?.next();
            let head = head.transpose()?.filter(|(_, claim)| claim.is_none());
            waiting = due_at(head.map(|(stored, _)| Ok(stored)))?;
        }
        for phase in Phase::WITHOUT_NUMBER {
            let first =
                first_waiting(&self.id, phase).load_iter::<StoredInstant, DefaultLoadingMode>(connection)?.next();
            waiting = waiting.into_iter().chain(due_at(first)?).min();
        }
        let first = first_claim_end(&self.id).load_iter::<StoredInstant, DefaultLoadingMode>(connection)?.next();
        Ok((waiting, due_at(first)?))
    }
}

/// An unreadable time counts as the last one, so that the other deliveries of the lane do not wait for it.
fn due_at(stored: Option<QueryResult<StoredInstant>>) -> QueryResult<Option<Timestamp>> {
    Ok(stored.transpose()?.map(|stored| stored.timestamp().unwrap_or(Timestamp::MAX)))
}

/// The deliveries with numbers, in their order.
#[auto_type]
pub(super) fn in_order<'a>(lane: &'a SubscriptionId) -> _ {
    let lane: &'a [u8] = lane.as_bytes();
    webhook_due::table
        .filter(webhook_due::subscription_id.eq(lane))
        .filter(webhook_due::sequence.is_not_null())
        .order(webhook_due::sequence)
}

#[auto_type]
fn first_waiting<'a>(lane: &'a SubscriptionId, phase: Phase) -> _ {
    let lane: &'a [u8] = lane.as_bytes();
    let phase: i16 = phase_number(phase);
    webhook_due::table
        .filter(webhook_due::subscription_id.eq(lane))
        .filter(webhook_due::claim.is_null())
        .filter(webhook_due::phase.eq(phase))
        .order(webhook_due::due_at)
        .select(webhook_due::due_at)
}

#[auto_type]
fn first_claim_end<'a>(lane: &'a SubscriptionId) -> _ {
    let lane: &'a [u8] = lane.as_bytes();
    webhook_due::table
        .filter(webhook_due::subscription_id.eq(lane))
        .filter(webhook_due::claim.is_not_null())
        .order(webhook_due::due_at)
        .select(webhook_due::due_at)
}

impl From<&Lane> for LaneRow {
    fn from(lane: &Lane) -> Self {
        Self {
            subscription_id: lane.id.as_bytes().to_vec(),
            owner: lane.owner.number(),
            is_open: lane.is_open,
            ready_at: lane.ready_at.map(Into::into),
            breaker: BreakerRow::from(&lane.breaker),
            rests_until: lane.rests_until.map(Into::into),
            last_sequence: lane.last_sequence.map(stored_sequence),
            is_pulled: lane.is_pulled,
        }
    }
}

impl TryFrom<LaneRow> for Lane {
    type Error = StoreError;

    fn try_from(row: LaneRow) -> Result<Self, StoreError> {
        let id = subscription_id("webhook_lanes", "subscription_id", &row.subscription_id)?;
        // An unreadable time counts as the earliest one: the lane is served at once, which writes the time again.
        let ready_at = row.ready_at.map(|stored| stored.timestamp().unwrap_or(Timestamp::MIN));
        let (owner, breaker) = (OwnerNumber::from_number(row.owner), row.breaker.breaker());
        let rests_until = row.rests_until.and_then(StoredInstant::timestamp);
        let last_sequence = row.last_sequence.map(read_sequence);
        let (is_open, is_pulled) = (row.is_open, row.is_pulled);
        Ok(Self { id, owner, is_open, ready_at, breaker, rests_until, last_sequence, is_pulled })
    }
}
