use diesel::prelude::{Queryable, QueryableByName, Selectable};
use domain::ports::StoreError;
use domain::webhooks::{Delivery, DeliveryState, EventType, Phase};

use crate::StoredInstant;
use crate::place::{Place, created_at, delivery_id, event_id, subscription_id};
use crate::schema::webhook_due;

const TABLE: &str = "webhook_due";

/// The number that `webhook_due.phase` stores for the phase.
pub const fn phase_number(phase: Phase) -> i16 {
    match phase {
        Phase::First => 0,
        Phase::Retry => 1,
        Phase::Replay => 2,
        Phase::Numbered => 3,
    }
}

/// The number that `webhook_due.sequence` and `webhook_lanes.last_sequence` store. No subscription has more deliveries.
pub fn stored_sequence(sequence: u64) -> i64 {
    i64::try_from(sequence).unwrap_or(i64::MAX)
}

/// The number that a column has. A damaged one counts as 0, which no delivery has.
pub fn read_sequence(stored: i64) -> u64 {
    u64::try_from(stored).unwrap_or_default()
}

/// The columns of `webhook_due` that the owner of a delivery sees. Their values are not checked yet. See decision 31.
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
    /// The delivery: waiting, or being sent while there is a claim. `event_type` is the type of its event.
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

#[cfg(test)]
mod tests {
    use domain::Timestamp;

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
