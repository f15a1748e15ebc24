use diesel::prelude::{Insertable, Queryable, QueryableByName, Selectable};
use domain::ports::StoreError;
use domain::webhooks::{Delivery, DeliveryState, EventType};
use domain::{DeliveryId, EventId, SubscriptionId, Timestamp};

use super::place::{Place, created_at, delivery_id, event_id, subscription_id};
use crate::StoredInstant;
use crate::schema::webhook_due;

const TABLE: &str = "webhook_due";

/// In what order the deliveries of a lane leave, as `webhook_due.phase` stores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// The first attempt of the first run.
    First,
    /// A later attempt of the first run.
    Retry,
    /// Any attempt of a later run.
    Replay,
}

impl Phase {
    /// Every phase, in order.
    pub const ALL: [Self; 3] = [Self::First, Self::Retry, Self::Replay];

    /// The number that stands for it.
    pub const fn number(self) -> i16 {
        match self {
            Self::First => 0,
            Self::Retry => 1,
            Self::Replay => 2,
        }
    }
}

/// A delivery that has not ended as it is stored, without its event's type: nothing checked yet. See decision 31.
#[derive(Debug, Queryable, QueryableByName, Selectable)]
#[diesel(table_name = webhook_due)]
pub struct DueRow {
    subscription_id: Vec<u8>,
    delivery_id: Vec<u8>,
    event_id: Vec<u8>,
    due_at: StoredInstant,
    claim: Option<i64>,
    attempts: i64,
}

impl DueRow {
    /// The delivery, whose event has this type: waiting, or being sent while there is a claim.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] names a column with a value that the schema does not promise.
    pub fn delivery(self, event_type: &str) -> Result<Delivery, StoreError> {
        let id = delivery_id(TABLE, "delivery_id", &self.delivery_id)?;
        let place = Place { table: TABLE, row: &id };
        let due_at = place.instant("due_at", self.due_at)?;
        Ok(Delivery {
            id,
            event_id: event_id(TABLE, "event_id", &self.event_id)?,
            event_type: place.value("event_type", EventType::parse(event_type).ok())?,
            subscription_id: subscription_id(TABLE, "subscription_id", &self.subscription_id)?,
            state: if self.claim.is_some() { DeliveryState::Sending(due_at) } else { DeliveryState::Waiting(due_at) },
            attempts: place.number("attempts", self.attempts)?,
            created_at: place.value("delivery_id", created_at(id))?,
        })
    }
}

/// A delivery that waits, to insert or to put in the place of the one that is stored.
#[derive(Clone, Copy, Debug, Insertable)]
#[diesel(table_name = webhook_due, treat_none_as_default_value = false)]
pub struct NewDueRow<'a> {
    subscription_id: &'a [u8],
    delivery_id: &'a [u8],
    event_id: &'a [u8],
    phase: i16,
    due_at: StoredInstant,
    claim: Option<i64>,
    attempts: i64,
    attempts_before_run: i64,
    run_started_at: StoredInstant,
}

impl<'a> NewDueRow<'a> {
    /// The first run of the schedule, which starts when the event is published.
    pub fn first(
        delivery: &'a DeliveryId,
        event: &'a EventId,
        subscription: &'a SubscriptionId,
        published_at: Timestamp,
    ) -> Self {
        Self {
            subscription_id: subscription.as_bytes(),
            delivery_id: delivery.as_bytes(),
            event_id: event.as_bytes(),
            phase: Phase::First.number(),
            due_at: published_at.into(),
            claim: None,
            attempts: 0,
            attempts_before_run: 0,
            run_started_at: published_at.into(),
        }
    }

    /// A new run of an ended delivery's schedule, which starts at `at`.
    pub fn replay(ended: &'a Delivery, at: Timestamp) -> Self {
        let attempts = ended.attempts.into();
        Self {
            phase: Phase::Replay.number(),
            attempts,
            attempts_before_run: attempts,
            ..Self::first(&ended.id, &ended.event_id, &ended.subscription_id, at)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Change = fn(&mut DueRow);

    fn row() -> DueRow {
        DueRow {
            subscription_id: vec![1; 16],
            delivery_id: [&[0, 0, 0, 0, 1, 2][..], &[7; 10]].concat(),
            event_id: vec![3; 16],
            due_at: Timestamp::MAX.into(),
            claim: None,
            attempts: 4,
        }
    }

    #[test]
    fn a_claim_tells_sending_from_waiting() {
        let waiting = row().delivery("a").unwrap();
        assert_eq!(waiting.state, DeliveryState::Waiting(Timestamp::MAX));
        assert_eq!((waiting.attempts, waiting.created_at.unix_millis()), (4, 0x0102));
        let sending = DueRow { claim: Some(-1), ..row() }.delivery("a").unwrap();
        assert_eq!(sending.state, DeliveryState::Sending(Timestamp::MAX));
    }

    #[test]
    fn names_the_column_that_the_schema_does_not_promise() {
        let cases: [(&str, Change); 4] = [
            ("delivery_id", |row| row.delivery_id.truncate(15)),
            ("event_id", |row| row.event_id.clear()),
            ("subscription_id", |row| row.subscription_id.push(0)),
            ("attempts", |row| row.attempts = -1),
        ];
        for (wrong, change) in cases {
            let mut row = row();
            change(&mut row);
            let corrupt = row.delivery("a");
            assert!(matches!(corrupt, Err(StoreError::Corrupt { column, .. }) if column == wrong), "{corrupt:?}");
        }
    }
}
