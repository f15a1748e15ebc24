use std::fmt;

use diesel::prelude::{Insertable, Queryable, QueryableByName, Selectable};
use domain::ports::{LoggedAttempt, StoreError};
use domain::webhooks::{AttemptRecord, FailureReason};
use domain::{DeliveryId, EventId, SubscriptionId};

use super::place::{Place, delivery_id, event_id, subscription_id};
use crate::StoredInstant;
use crate::schema::webhook_attempts;

const TABLE: &str = "webhook_attempts";

/// An attempt as it is stored, with the excerpt of its answer: nothing checked yet.
#[derive(Debug, Queryable, QueryableByName, Selectable)]
#[diesel(table_name = webhook_attempts)]
pub struct AttemptRow {
    number: i64,
    started_at: StoredInstant,
    ended_at: StoredInstant,
    failure: Option<String>,
    status: Option<i64>,
    excerpt: Vec<u8>,
}

impl AttemptRow {
    /// The attempt, which was one of `delivery`.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] names a column with a value that the schema does not promise.
    pub fn record(self, delivery: DeliveryId) -> Result<AttemptRecord, StoreError> {
        let place = Place { table: TABLE, row: &AttemptName { delivery, number: self.number } };
        let started_at = place.instant("started_at", self.started_at)?;
        let failure = self.failure.map(|code| place.value("failure", FailureReason::from_code(&code)));
        Ok(AttemptRecord {
            number: place.number("number", self.number)?,
            started_at,
            duration: place.instant("ended_at", self.ended_at)?.since(started_at),
            failure: failure.transpose()?,
            status: self.status.map(|status| place.number("status", status)).transpose()?,
            excerpt: self.excerpt,
        })
    }
}

/// An attempt as it is stored, without the excerpt, and what it was an attempt at: nothing checked yet.
#[derive(Debug, Queryable, QueryableByName, Selectable)]
#[diesel(table_name = webhook_attempts)]
pub struct LoggedAttemptRow {
    subscription_id: Vec<u8>,
    delivery_id: Vec<u8>,
    event_id: Vec<u8>,
    number: i64,
    started_at: StoredInstant,
    ended_at: StoredInstant,
    failure: Option<String>,
    status: Option<i64>,
}

impl TryFrom<LoggedAttemptRow> for LoggedAttempt {
    type Error = StoreError;

    fn try_from(row: LoggedAttemptRow) -> Result<Self, StoreError> {
        let delivery = delivery_id(TABLE, "delivery_id", &row.delivery_id)?;
        let LoggedAttemptRow { number, started_at, ended_at, failure, status, .. } = row;
        let attempt = AttemptRow { number, started_at, ended_at, failure, status, excerpt: Vec::new() };
        Ok(Self {
            subscription: subscription_id(TABLE, "subscription_id", &row.subscription_id)?,
            delivery,
            event: event_id(TABLE, "event_id", &row.event_id)?,
            attempt: attempt.record(delivery)?,
        })
    }
}

/// An attempt to insert.
#[derive(Debug, Insertable)]
#[diesel(table_name = webhook_attempts, treat_none_as_default_value = false)]
pub struct NewAttemptRow<'a> {
    subscription_id: &'a [u8],
    delivery_id: &'a [u8],
    number: i64,
    event_id: &'a [u8],
    started_at: StoredInstant,
    ended_at: StoredInstant,
    failure: Option<String>,
    status: Option<i64>,
    excerpt: &'a [u8],
}

impl<'a> NewAttemptRow<'a> {
    /// The row of `attempt`, an attempt to deliver `event`.
    pub fn new(
        subscription: &'a SubscriptionId,
        delivery: &'a DeliveryId,
        event: &'a EventId,
        attempt: &'a AttemptRecord,
    ) -> Self {
        Self {
            subscription_id: subscription.as_bytes(),
            delivery_id: delivery.as_bytes(),
            number: attempt.number.into(),
            event_id: event.as_bytes(),
            started_at: attempt.started_at.into(),
            ended_at: attempt.ended_at().into(),
            failure: attempt.failure.map(|reason| reason.code().to_owned()),
            status: attempt.status.map(Into::into),
            excerpt: &attempt.excerpt,
        }
    }
}

/// Names the row of an attempt.
struct AttemptName {
    delivery: DeliveryId,
    number: i64,
}

impl fmt::Display for AttemptName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.delivery, self.number)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use domain::Timestamp;

    use super::*;

    type Change = fn(&mut AttemptRow);

    const DELIVERY: DeliveryId = DeliveryId::from_bytes([2; 16]);

    fn row() -> AttemptRow {
        AttemptRow {
            number: 3,
            started_at: Timestamp::MIN.into(),
            ended_at: Timestamp::MIN.plus(Duration::from_secs(15)).into(),
            failure: Some("too_slow".into()),
            status: Some(200),
            excerpt: b"so".to_vec(),
        }
    }

    #[test]
    fn an_attempt_reads_back() {
        let attempt = row().record(DELIVERY).unwrap();
        let (subscription, event) = (SubscriptionId::from_bytes([1; 16]), EventId::from_bytes([3; 16]));
        let written = NewAttemptRow::new(&subscription, &DELIVERY, &event, &attempt);
        assert_eq!((written.number, written.failure.as_deref(), written.status), (3, Some("too_slow"), Some(200)));
        assert_eq!((written.started_at, written.ended_at), (row().started_at, row().ended_at));
        assert_eq!((written.excerpt, attempt.duration), (&b"so"[..], Duration::from_secs(15)));
    }

    #[test]
    fn names_the_column_that_the_schema_does_not_promise() {
        let cases: [(&str, Change); 3] = [
            ("number", |row| row.number = -1),
            ("failure", |row| row.failure = Some("gremlins".into())),
            ("status", |row| row.status = Some(70_000)),
        ];
        for (wrong, change) in cases {
            let mut row = row();
            change(&mut row);
            let corrupt = row.record(DELIVERY);
            let Err(StoreError::Corrupt { table: TABLE, column, row }) = corrupt else { panic!("{corrupt:?}") };
            assert_eq!(column, wrong);
            assert!(row.starts_with(&DELIVERY.to_string()));
        }
    }
}
