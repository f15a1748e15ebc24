use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel_mapping::catalogue::{COUNT_ENTRIES, CountsRow, EventTypeRow, LAST_REVISION, LastRevisionRow, entries_of};
use diesel_mapping::schema::event_types;
use diesel_mapping::statement;
use domain::catalogue::EventTypeEntry;
use domain::ports::{EntryPut, EventTypes, PutEntryRequest, StoreError};
use domain::webhooks::EventType;

use crate::SqliteStore;
use crate::audit::write_events;
use crate::undo::Undo;

#[async_trait]
impl EventTypes for SqliteStore {
    async fn list(&self) -> Result<Vec<EventTypeEntry>, StoreError> {
        let list = |connection: &mut SqliteConnection| {
            let rows = event_types::table.select(EventTypeRow::as_select()).load(connection)?;
            Ok(entries_of(rows)?)
        };
        self.readers.read(list).await
    }

    async fn find(&self, name: &EventType) -> Result<Option<EventTypeEntry>, StoreError> {
        let name = name.clone();
        let find = move |connection: &mut SqliteConnection| {
            let row = event_types::table.find(name.as_str()).select(EventTypeRow::as_select());
            let row = row.first(connection).optional()?;
            Ok(row.map(EventTypeEntry::try_from).transpose()?)
        };
        self.readers.read(find).await
    }

    async fn put(&self, request: &PutEntryRequest) -> Result<EntryPut, StoreError> {
        self.write(request, put).await
    }

    async fn last_revision(&self) -> Result<u64, StoreError> {
        let read = |connection: &mut SqliteConnection| {
            let row: LastRevisionRow = statement(LAST_REVISION).get_result(connection)?;
            Ok(u64::try_from(row.last).unwrap_or_default())
        };
        self.readers.read(read).await
    }
}

/// See [`EventTypes::put`]. No other write comes in between: SQLite has one writer at a time.
fn put(connection: &mut SqliteConnection, request: &PutEntryRequest) -> Result<EntryPut, Undo> {
    let counts = statement(COUNT_ENTRIES).bind::<Text, _>(request.after.name.as_str());
    let (stored, count, last) = counts.get_result::<CountsRow>(connection)?.counts();
    let entry = match request.admit(stored, count, last) {
        Ok(entry) => entry,
        Err(refusal) => return Ok(refusal),
    };
    let row = EventTypeRow::from(&entry);
    let insertion = diesel::insert_into(event_types::table).values(&row);
    insertion.on_conflict(event_types::name).do_update().set(&row).execute(connection)?;
    write_events(connection, [&request.cause.event_type_changed(request.before.as_ref(), &entry)])?;
    Ok(EntryPut::Stored(Box::new(entry)))
}
