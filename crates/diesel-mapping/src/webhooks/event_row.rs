use diesel::prelude::{Queryable, QueryableByName, Selectable};
use domain::OwnerId;
use domain::ports::StoreError;
use domain::webhooks::{Event, EventType, Payload};

use crate::StoredInstant;
use crate::place::{Place, event_id};
use crate::schema::webhook_events;

const TABLE: &str = "webhook_events";

/// A row of `webhook_events` as it is stored. Its values are not checked yet.
#[derive(Debug, Queryable, QueryableByName, Selectable)]
#[diesel(table_name = webhook_events)]
pub struct EventRow {
    id: Vec<u8>,
    owner_issuer: String,
    owner_subject: String,
    event_type: String,
    payload: Vec<u8>,
    created_at: StoredInstant,
}

impl TryFrom<EventRow> for Event {
    type Error = StoreError;

    fn try_from(row: EventRow) -> Result<Self, StoreError> {
        let id = event_id(TABLE, "id", &row.id)?;
        let place = Place { table: TABLE, row: &id };
        Ok(Self {
            id,
            owner: place.value("owner_subject", OwnerId::new(row.owner_issuer, row.owner_subject).ok())?,
            event_type: place.value("event_type", EventType::parse(&row.event_type).ok())?,
            payload: Payload::from_bytes(row.payload),
            created_at: place.instant("created_at", row.created_at)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;

    use super::*;

    type Change = fn(&mut EventRow);

    fn row() -> EventRow {
        EventRow {
            id: vec![7; 16],
            owner_issuer: "https://id.example".into(),
            owner_subject: "alice".into(),
            event_type: "order.created".into(),
            payload: b"{}".to_vec(),
            created_at: Timestamp::MIN.into(),
        }
    }

    #[test]
    fn names_the_column_that_the_schema_does_not_promise() {
        assert!(Event::try_from(row()).is_ok());
        let cases: [(&str, Change); 3] = [
            ("id", |row| row.id.truncate(15)),
            ("owner_subject", |row| row.owner_subject.clear()),
            ("event_type", |row| row.event_type = "order.*".into()),
        ];
        for (wrong, change) in cases {
            let mut row = row();
            change(&mut row);
            let corrupt = Event::try_from(row);
            assert!(matches!(corrupt, Err(StoreError::Corrupt { column, .. }) if column == wrong), "{corrupt:?}");
        }
    }
}
