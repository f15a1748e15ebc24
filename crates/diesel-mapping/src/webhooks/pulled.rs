//! The rows of pulled events and of their consumers.

use std::collections::HashMap;

use diesel::prelude::{AsChangeset, Insertable, Queryable, QueryableByName, Selectable};
use diesel::sql_types::BigInt;
use domain::ports::{ListedConsumer, Pulled, PulledLog, StoreError};
use domain::webhooks::{Consumer, ConsumerName, Event, Lease, LeaseId};
use domain::{OwnerId, SubscriptionId};

use super::due_row::{read_sequence, stored_sequence};
use super::event_row::EventRow;
use crate::StoredInstant;
use crate::place::{Place, subscription_id};
use crate::schema::webhook_consumers;

const TABLE: &str = "webhook_consumers";

/// At most `$3` numbers of the log `$1` with their events behind the number `$2`, with at most `$4` bytes of payloads after the
/// first.
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
        (read_sequence(row.sequence), event)
    });
    let found: Vec<(u64, Option<Event>)> = found.collect();
    let damaged = found.iter().filter(|(_, event)| event.is_none()).count();
    (Pulled::of(after, last, found), damaged)
}

/// A row of `webhook_consumers` without the log. Its values are not checked yet.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = webhook_consumers, treat_none_as_default_value = false)]
pub struct ConsumerRow {
    name: String,
    #[diesel(embed)]
    place: ConsumerPlace,
}

impl ConsumerRow {
    /// The consumer.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] names a column with a value that the schema does not promise.
    pub fn consumer(&self) -> Result<Consumer, StoreError> {
        let (place, stored) = (Place { table: TABLE, row: &self.name }, &self.place);
        let until = place.optional_instant("leased_until", stored.leased_until)?;
        let through = place.optional("leased_through", stored.leased_through, |through| through.try_into().ok())?;
        let lease = stored.lease.map(LeaseId::from_number).zip(through);
        Ok(Consumer {
            position: place.number("position", stored.position)?,
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
pub type LastNumberRow = (Vec<u8>, Option<i64>, String, String);

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
        let last = last.map_or(0, read_sequence);
        Ok(owners.get(&id).filter(is_theirs).map(|_| (id, last)))
    };
    rows.into_iter().filter_map(|row| number(row).transpose()).collect()
}

/// The place of a consumer and its lease, to read and to write.
#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(table_name = webhook_consumers, treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct ConsumerPlace {
    position: i64,
    lease: Option<i64>,
    leased_through: Option<i64>,
    leased_until: Option<StoredInstant>,
}

impl From<Consumer> for ConsumerPlace {
    fn from(Consumer { position, lease }: Consumer) -> Self {
        Self {
            position: stored_sequence(position),
            lease: lease.map(|lease| lease.id.number()),
            leased_through: lease.map(|lease| stored_sequence(lease.through)),
            leased_until: lease.and_then(|lease| lease.until).map(Into::into),
        }
    }
}

/// A whole row of `webhook_consumers`, to insert or to copy.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = webhook_consumers, treat_none_as_default_value = false)]
pub struct NewConsumerRow {
    subscription_id: Vec<u8>,
    #[diesel(embed)]
    consumer: ConsumerRow,
}

impl NewConsumerRow {
    /// The row of this consumer of the log.
    pub fn new(log: &PulledLog, name: &ConsumerName, consumer: Consumer) -> Self {
        let consumer = ConsumerRow { name: name.as_str().to_owned(), place: consumer.into() };
        Self { subscription_id: log.subscription.as_bytes().to_vec(), consumer }
    }
}
