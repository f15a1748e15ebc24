//! The statements about pulled events that both databases run. `$1` is the subscription, unless it says otherwise. SQLite
//! numbers the parameters in the order of the text.

use std::collections::HashMap;

use diesel::prelude::{Queryable, QueryableByName};
use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use domain::ports::{ListedConsumer, Pulled, PulledLog, StoreError};
use domain::webhooks::{Consumer, ConsumerName, Event, Lease, LeaseId};
use domain::{OwnerId, SubscriptionId};

use super::event_row::EventRow;
use super::place::{Place, subscription_id};
use crate::StoredInstant;
use crate::sql_types::Instant;

const TABLE: &str = "webhook_consumers";

/// The number of the last event in the log of a subscription `$3` of the owner `$1`, `$2`. No row if there is no such log.
pub const LAST_PULLED: &str = "SELECT lane.last_sequence AS number FROM webhook_subscriptions AS subscription
    JOIN webhook_lanes AS lane ON lane.subscription_id = subscription.id
    WHERE subscription.owner_issuer = $1 AND subscription.owner_subject = $2 AND subscription.id = $3
        AND subscription.deleted_at IS NULL AND lane.is_pulled";

/// At most `$3` numbers with their events behind the number `$2`, with at most `$4` bytes of payloads after the first.
pub const PULL_EVENTS: &str = "SELECT page.sequence, event.id, event.owner_issuer, event.owner_subject,
        event.event_type, event.payload, event.created_at
    FROM (
        SELECT pulled.sequence, pulled.event_id, COALESCE(length(event.payload), 0) AS own,
            sum(COALESCE(length(event.payload), 0)) OVER (ORDER BY pulled.sequence) AS bytes
        FROM (
            SELECT sequence, event_id FROM webhook_pulled WHERE subscription_id = $1 AND sequence > $2
            ORDER BY sequence LIMIT $3
        ) AS pulled
        LEFT JOIN webhook_events AS event ON event.id = pulled.event_id
    ) AS page
    LEFT JOIN webhook_events AS event ON event.id = page.event_id
    WHERE page.bytes <= $4 OR page.bytes = page.own
    ORDER BY page.sequence";

/// The number of the oldest event that is stored; NULL without any.
pub const OLDEST_PULLED: &str = "SELECT min(sequence) AS number FROM webhook_pulled WHERE subscription_id = $1";

/// The lowest number of the first 1,000 events with the id `$2` or a higher one; NULL without any. Instances whose clocks differ
/// number events in another order than their ids have.
pub const FIRST_PULLED: &str = "SELECT min(sequence) AS number FROM (
        SELECT sequence FROM webhook_pulled WHERE subscription_id = $1 AND event_id >= $2 ORDER BY event_id LIMIT 1000
    ) AS first";

/// The number of the event `$2`; NULL if it is not in the log.
pub const NUMBER_OF_PULLED: &str =
    "SELECT min(sequence) AS number FROM webhook_pulled WHERE subscription_id = $1 AND event_id = $2";

/// The consumer with the name `$2`.
pub const FIND_CONSUMER: &str = "SELECT name, position, lease, leased_through, leased_until FROM webhook_consumers
    WHERE subscription_id = $1 AND name = $2";

/// The consumers, sorted by name.
pub const LIST_CONSUMERS: &str = "SELECT name, position, lease, leased_through, leased_until FROM webhook_consumers
    WHERE subscription_id = $1 ORDER BY name";

/// Adds the consumer with the name `$2` behind the number `$3`, unless there are `$4` consumers.
pub const ADD_CONSUMER: &str = "INSERT INTO webhook_consumers (subscription_id, name, position)
    SELECT $1, $2, $3 WHERE (SELECT count(*) FROM webhook_consumers WHERE subscription_id = $1) < $4
    ON CONFLICT DO NOTHING";

/// Writes the place `$1` and the lease of the consumer with the name `$6` of the subscription `$5`.
pub const WRITE_CONSUMER: &str =
    "UPDATE webhook_consumers SET position = $1, lease = $2, leased_through = $3, leased_until = $4
    WHERE subscription_id = $5 AND name = $6";

/// Deletes the consumer with the name `$2`.
pub const FORGET_CONSUMER: &str = "DELETE FROM webhook_consumers WHERE subscription_id = $1 AND name = $2";

/// The first subscription behind `$1` with a log that has events.
pub const NEXT_PULLED: &str = "SELECT subscription_id AS id FROM webhook_pulled WHERE subscription_id > $1
    ORDER BY subscription_id LIMIT 1";

/// Deletes at most `$3` events with ids below `$2` from the log.
pub const PURGE_PULLED: &str = "DELETE FROM webhook_pulled WHERE subscription_id = $1 AND sequence IN (
        SELECT sequence FROM webhook_pulled WHERE subscription_id = $1 AND event_id < $2 ORDER BY event_id LIMIT $3)";

/// A number, or none.
#[derive(QueryableByName)]
pub struct NumberRow {
    #[diesel(sql_type = Nullable<BigInt>)]
    number: Option<i64>,
}

impl NumberRow {
    /// The number; `None` for NULL.
    pub fn number(&self) -> Option<u64> {
        self.number.map(|number| u64::try_from(number).unwrap_or_default())
    }
}

/// A subscription.
#[derive(QueryableByName)]
pub struct PulledLogRow {
    /// Its id.
    #[diesel(sql_type = Binary)]
    pub id: Vec<u8>,
}

/// A row of [`PULL_EVENTS`].
#[derive(QueryableByName)]
pub struct PulledRow {
    #[diesel(sql_type = BigInt)]
    sequence: i64,
    /// `None` if it is not stored.
    #[diesel(embed)]
    event: Option<EventRow>,
}

/// The answer of a log that ends with `last`, to a read behind `after`, and how many damaged events it passes over. If all are
/// damaged, the number of the last one, behind which to read again.
pub fn pulled((after, last): (u64, u64), rows: Vec<PulledRow>) -> (Result<Pulled, u64>, usize) {
    let found = rows.into_iter().map(|row| {
        let event = row.event.and_then(|event| Event::try_from(event).ok());
        (u64::try_from(row.sequence).unwrap_or_default(), event)
    });
    let found: Vec<(u64, Option<Event>)> = found.collect();
    let damaged = found.iter().filter(|(_, event)| event.is_none()).count();
    (Pulled::of(after, last, found), damaged)
}

/// A row of [`FIND_CONSUMER`]. Its values are not checked yet.
#[derive(Queryable, QueryableByName)]
pub struct ConsumerRow {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = BigInt)]
    position: i64,
    #[diesel(sql_type = Nullable<BigInt>)]
    lease: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    leased_through: Option<i64>,
    #[diesel(sql_type = Nullable<Instant>)]
    leased_until: Option<StoredInstant>,
}

impl ConsumerRow {
    /// The consumer.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] names a column with a value that the schema does not promise.
    pub fn consumer(&self) -> Result<Consumer, StoreError> {
        let place = Place { table: TABLE, row: &self.name };
        let until = place.optional_instant("leased_until", self.leased_until)?;
        let through = self.leased_through.map(|through| place.number("leased_through", through)).transpose()?;
        let lease = self.lease.map(LeaseId::from_number).zip(through);
        Ok(Consumer {
            position: place.number("position", self.position)?,
            lease: lease.map(|(id, through)| Lease { id, through, until }),
        })
    }

    /// The consumer in a log that ends with `last`.
    ///
    /// # Errors
    ///
    /// As [`ConsumerRow::consumer`].
    pub fn listed(self, last: u64) -> Result<ListedConsumer, StoreError> {
        let place = Place { table: TABLE, row: &self.name };
        let name = place.value("name", ConsumerName::parse(&self.name).ok())?;
        Ok(ListedConsumer { name, consumer: self.consumer()?, last })
    }
}

/// A log: its subscription, its last number, and the owner of the subscription.
type LastNumberRow = (Vec<u8>, Option<i64>, String, String);

/// The last numbers in these rows, of logs that have the given owner.
///
/// # Errors
///
/// [`StoreError::Corrupt`] if an id has not 16 bytes.
pub fn last_numbers(logs: &[PulledLog], rows: Vec<LastNumberRow>) -> Result<Vec<(SubscriptionId, u64)>, StoreError> {
    let owners: HashMap<SubscriptionId, &OwnerId> = logs.iter().map(|log| (log.subscription, &log.owner)).collect();
    let number = |(id, last, issuer, subject): LastNumberRow| {
        let id = subscription_id("webhook_lanes", "subscription_id", &id)?;
        let is_theirs = |owner: &&&OwnerId| owner.issuer() == issuer && owner.subject() == subject;
        let last = last.and_then(|last| u64::try_from(last).ok()).unwrap_or_default();
        Ok(owners.get(&id).filter(is_theirs).map(|_| (id, last)))
    };
    rows.into_iter().filter_map(|row| number(row).transpose()).collect()
}

/// The values of [`WRITE_CONSUMER`].
pub type ConsumerValues = (i64, Option<i64>, Option<i64>, Option<StoredInstant>);

/// The place, and the lease.
pub fn consumer_values(consumer: &Consumer) -> ConsumerValues {
    let lease = consumer.lease;
    (
        super::stored_sequence(consumer.position),
        lease.map(|lease| lease.id.number()),
        lease.map(|lease| super::stored_sequence(lease.through)),
        lease.and_then(|lease| lease.until).map(Into::into),
    )
}
