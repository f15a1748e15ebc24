use diesel::prelude::QueryableByName;
use diesel::sql_types::BigInt;
use domain::EventId;
use domain::ports::{EventPage, ListEventsRequest, LoggedEvent, StoreError};
use domain::webhooks::Event;

use super::event_row::EventRow;
use crate::Bind;
use crate::place::Place;

/// How many events a search for a user or a type looks at, at most, for one page. No index has either: publishing would
/// pay for it (decision 78).
const SEARCHED_MAX: u32 = 10_000;

/// A list of events, as SQL text and the values of its placeholders, which differ from call to call.
#[derive(Clone, Debug)]
pub struct EventQuery {
    request: ListEventsRequest,
    below: EventId,
    from: EventId,
}

/// An event without its payload, and the number of its deliveries. The payload is an empty value of each database.
#[derive(Debug, QueryableByName)]
pub struct ListedEventRow {
    #[diesel(embed)]
    event: EventRow,
    #[diesel(sql_type = BigInt)]
    deliveries: i64,
}

impl EventQuery {
    /// The page that the request asks for.
    pub fn new(request: &ListEventsRequest) -> Self {
        let until = request.filter.until.map(EventId::first_at);
        let below = request.before.into_iter().chain(until).min().unwrap_or(EventId::from_bytes([0xFF; 16]));
        let from = request.filter.since.map_or(EventId::from_bytes([0; 16]), EventId::first_at);
        Self { request: request.clone(), below, from }
    }

    /// The statement. `empty` is an empty payload in the database's words.
    pub fn statement(&self, empty: &str) -> (String, Vec<Bind>) {
        let binds = [self.below, self.from].map(|id| Bind::Bytes(id.as_bytes().to_vec())).into();
        let sql = format!(
            "SELECT id, owner_issuer, owner_subject, event_type, {empty} AS payload, created_at, deliveries
            FROM webhook_events WHERE id < $1 AND id >= $2 ORDER BY id DESC LIMIT {}",
            self.read_max() + 1
        );
        (sql, binds)
    }

    /// The page from the rows that the statement found. A damaged row is an error.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] names the first row with a value that the schema does not promise.
    pub fn page(&self, rows: Vec<ListedEventRow>) -> Result<EventPage, StoreError> {
        let (read_max, max) = (self.read_max() as usize, self.request.max as usize);
        let has_more = rows.len() > read_max;
        let mut rows = rows.into_iter().take(read_max);
        let (mut events, mut last) = (Vec::new(), None);
        while events.len() < max
            && let Some(row) = rows.next()
        {
            let logged = LoggedEvent::try_from(row)?;
            last = Some(logged.event.id);
            if self.request.filter.matches(&logged.event) {
                events.push(logged);
            }
        }
        let has_more = has_more || rows.len() > 0;
        Ok(EventPage { events, next: last.filter(|_| has_more) })
    }

    /// How many rows are read for a page.
    fn read_max(&self) -> u32 {
        let is_search = self.request.filter.owner.is_some() || self.request.filter.event_type.is_some();
        if is_search { self.request.max.max(SEARCHED_MAX) } else { self.request.max }
    }
}

impl TryFrom<ListedEventRow> for LoggedEvent {
    type Error = StoreError;

    fn try_from(row: ListedEventRow) -> Result<Self, StoreError> {
        logged_event(row.event, row.deliveries)
    }
}

/// The event of a row, with the number in its column `deliveries`.
///
/// # Errors
///
/// [`StoreError::Corrupt`] names a column with a value that the schema does not promise.
pub fn logged_event(row: EventRow, deliveries: i64) -> Result<LoggedEvent, StoreError> {
    let event = Event::try_from(row)?;
    let place = Place { table: "webhook_events", row: &event.id };
    Ok(LoggedEvent { deliveries: place.number("deliveries", deliveries)?, event })
}
