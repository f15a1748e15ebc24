use std::fmt;

use diesel::prelude::{Insertable, Queryable, QueryableByName, Selectable};
use domain::ports::{LoggedAttempt, StoreError};
use domain::webhooks::{AnswerHeaders, AttemptRecord, FailureReason};
use domain::{DeliveryId, EventId, SubscriptionId};

use crate::StoredInstant;
use crate::place::{Place, delivery_id, event_id, subscription_id};
use crate::schema::webhook_attempts;

const TABLE: &str = "webhook_attempts";

/// A row of `webhook_attempts` as it is stored, with the headers and the excerpt of the answer. Its values are not
/// checked yet.
#[derive(Debug, Queryable, QueryableByName, Selectable)]
#[diesel(table_name = webhook_attempts)]
pub struct AttemptRow {
    number: i64,
    started_at: StoredInstant,
    ended_at: StoredInstant,
    failure: Option<String>,
    status: Option<i64>,
    headers: Option<String>,
    excerpt: Vec<u8>,
}

impl AttemptRow {
    /// The attempt to send `delivery`.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] names a column with a value that the schema does not promise.
    pub fn record(self, delivery: DeliveryId) -> Result<AttemptRecord, StoreError> {
        let place = Place { table: TABLE, row: &AttemptName { delivery, number: self.number } };
        let started_at = place.instant("started_at", self.started_at)?;
        Ok(AttemptRecord {
            number: place.number("number", self.number)?,
            started_at,
            duration: place.instant("ended_at", self.ended_at)?.since(started_at),
            failure: place.optional("failure", self.failure, |code| FailureReason::from_code(&code))?,
            status: place.optional("status", self.status, |status| status.try_into().ok())?,
            headers: self.headers.map(AnswerHeaders::from_stored).unwrap_or_default(),
            excerpt: self.excerpt,
        })
    }
}

/// The headers of an answer as they are stored: `None` if there are none.
pub fn stored_headers(attempt: &AttemptRecord) -> Option<&str> {
    Some(attempt.headers.as_str()).filter(|headers| !headers.is_empty())
}

/// A whole row of `webhook_attempts`, to insert or to copy.
#[derive(Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = webhook_attempts, treat_none_as_default_value = false)]
pub struct NewAttemptRow {
    subscription_id: Vec<u8>,
    /// Begins with the time of the publication.
    pub delivery_id: Vec<u8>,
    number: i64,
    event_id: Vec<u8>,
    started_at: StoredInstant,
    ended_at: StoredInstant,
    failure: Option<String>,
    status: Option<i64>,
    pub(crate) headers: Option<String>,
    pub(crate) excerpt: Vec<u8>,
}

impl NewAttemptRow {
    /// The row of `attempt`, an attempt to deliver `event`.
    pub fn new(subscription: &SubscriptionId, delivery: &DeliveryId, event: &EventId, attempt: &AttemptRecord) -> Self {
        Self {
            subscription_id: subscription.as_bytes().to_vec(),
            delivery_id: delivery.as_bytes().to_vec(),
            number: attempt.number.into(),
            event_id: event.as_bytes().to_vec(),
            started_at: attempt.started_at.into(),
            ended_at: attempt.ended_at().into(),
            failure: attempt.failure.map(|reason| reason.code().to_owned()),
            status: attempt.status.map(Into::into),
            headers: stored_headers(attempt).map(str::to_owned),
            excerpt: attempt.excerpt.clone(),
        }
    }
}

/// A row of `webhook_attempts` as it is stored, with its ids and without the headers and the excerpt. Its values are not
/// checked yet.
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
        let attempt = AttemptRow { number, started_at, ended_at, failure, status, headers: None, excerpt: Vec::new() };
        Ok(Self {
            subscription: subscription_id(TABLE, "subscription_id", &row.subscription_id)?,
            delivery,
            event: event_id(TABLE, "event_id", &row.event_id)?,
            attempt: attempt.record(delivery)?,
        })
    }
}

/// The name of an attempt's row, for errors.
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
            headers: Some("server: caddy\n".into()),
            excerpt: b"so".to_vec(),
        }
    }

    #[test]
    fn an_attempt_reads_back() {
        let attempt = row().record(DELIVERY).unwrap();
        assert_eq!((attempt.number, attempt.failure, attempt.status), (3, Some(FailureReason::TooSlow), Some(200)));
        assert_eq!((attempt.started_at, attempt.duration), (Timestamp::MIN, Duration::from_secs(15)));
        assert_eq!((attempt.headers.as_str(), &attempt.excerpt[..]), ("server: caddy\n", &b"so"[..]));
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
