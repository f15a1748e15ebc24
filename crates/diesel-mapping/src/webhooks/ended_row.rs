use diesel::prelude::{Insertable, Queryable, QueryableByName, Selectable};
use domain::Timestamp;
use domain::ports::StoreError;
use domain::webhooks::{Delivery, DeliveryEnd, DeliveryState, EventType};

use crate::StoredInstant;
use crate::place::{Place, created_at, delivery_id, event_id, subscription_id};
use crate::schema::webhook_deliveries;

/// The type of an event that is damaged.
pub const UNKNOWN_EVENT_TYPE: &str = "unknown";

const TABLE: &str = "webhook_deliveries";

/// A whole row of `webhook_deliveries`, as it is stored, or to copy. Its values are not checked yet.
#[derive(Debug, Insertable, Queryable, QueryableByName, Selectable)]
#[diesel(table_name = webhook_deliveries, treat_none_as_default_value = false)]
pub struct EndedRow {
    subscription_id: Vec<u8>,
    /// Begins with the time of the publication.
    pub id: Vec<u8>,
    event_id: Vec<u8>,
    event_type: String,
    ended: String,
    ended_at: StoredInstant,
    attempts: i64,
}

impl TryFrom<EndedRow> for Delivery {
    type Error = StoreError;

    fn try_from(row: EndedRow) -> Result<Self, StoreError> {
        let id = delivery_id(TABLE, "id", &row.id)?;
        let place = Place { table: TABLE, row: &id };
        Ok(Self {
            id,
            event_id: event_id(TABLE, "event_id", &row.event_id)?,
            event_type: place.value("event_type", EventType::parse(&row.event_type).ok())?,
            subscription_id: subscription_id(TABLE, "subscription_id", &row.subscription_id)?,
            state: DeliveryState::Ended {
                end: place.value("ended", DeliveryEnd::from_code(&row.ended))?,
                at: place.instant("ended_at", row.ended_at)?,
            },
            attempts: place.number("attempts", row.attempts)?,
            created_at: place.value("id", created_at(id))?,
        })
    }
}

/// A row of `webhook_deliveries` to insert.
#[derive(Debug, Insertable)]
#[diesel(table_name = webhook_deliveries, treat_none_as_default_value = false)]
pub struct NewEndedRow<'a> {
    /// The id of the subscription.
    pub subscription_id: &'a [u8],
    /// The id of the delivery.
    pub id: &'a [u8],
    /// The id of the event.
    pub event_id: &'a [u8],
    /// The type of the event.
    pub event_type: &'a str,
    /// How the delivery ended: [`DeliveryEnd::code`].
    pub ended: &'static str,
    /// When the delivery ended.
    pub ended_at: StoredInstant,
    /// How many attempts were counted.
    pub attempts: i64,
}

impl<'a> NewEndedRow<'a> {
    /// The row of `delivery` with this end; ignores [`Delivery::state`].
    pub fn new(delivery: &'a Delivery, end: DeliveryEnd, at: Timestamp) -> Self {
        Self {
            subscription_id: delivery.subscription_id.as_bytes(),
            id: delivery.id.as_bytes(),
            event_id: delivery.event_id.as_bytes(),
            event_type: delivery.event_type.as_str(),
            ended: end.code(),
            ended_at: at.into(),
            attempts: delivery.attempts.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Change = fn(&mut EndedRow);

    fn row() -> EndedRow {
        EndedRow {
            subscription_id: vec![1; 16],
            id: vec![2; 16],
            event_id: vec![3; 16],
            event_type: "order.created".into(),
            ended: "schedule_spent".into(),
            ended_at: Timestamp::MAX.into(),
            attempts: 10,
        }
    }

    #[test]
    fn names_the_column_that_the_schema_does_not_promise() {
        let ended = DeliveryState::Ended { end: DeliveryEnd::ScheduleSpent, at: Timestamp::MAX };
        let mut delivered = row();
        delivered.id[0] = 0;
        assert_eq!(Delivery::try_from(delivered).unwrap().state, ended);
        let cases: [(&str, Change); 7] = [
            ("id", |row| row.id.truncate(15)),
            ("id", |row| row.id = vec![0xFF; 16]), // later than the year 9999
            ("event_id", |row| row.event_id.clear()),
            ("event_type", |row| row.event_type.clear()),
            ("subscription_id", |row| row.subscription_id.push(0)),
            ("ended", |row| row.ended = "lost".into()),
            ("attempts", |row| row.attempts = i64::MAX),
        ];
        for (wrong, change) in cases {
            let mut row = row();
            row.id[0] = 0;
            change(&mut row);
            let corrupt = Delivery::try_from(row);
            assert!(matches!(corrupt, Err(StoreError::Corrupt { column, .. }) if column == wrong), "{corrupt:?}");
        }
    }
}
