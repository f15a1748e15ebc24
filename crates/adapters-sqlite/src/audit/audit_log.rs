use std::cell::RefCell;
use std::mem::take;
use std::sync::Arc;

use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use diesel_mapping::audit::{AuditQuery, AuditRow, NewAuditRow, audit_id, audit_page, list_unannounced};
use diesel_mapping::schema::audit_events;
use diesel_mapping::{IdRow, bound, statement, values_of};
use domain::AuditId;
use domain::audit::{AuditEvent, AuditFilter};
use domain::ports::{AuditLog, AuditPage, AuditWatcher, StoreError};

use crate::SqliteStore;
use crate::undo::Undo;

#[async_trait]
impl AuditLog for SqliteStore {
    async fn list(&self, filter: &AuditFilter, before: Option<AuditId>, max: u32) -> Result<AuditPage, StoreError> {
        let query = AuditQuery::new(filter, before);
        self.readers.read(move |connection| list(connection, &query, max)).await
    }

    async fn record_new(&self, events: &[AuditEvent]) -> Result<u32, StoreError> {
        let events = events.to_vec();
        self.writer.write(move |connection| record_new(connection, &events)).await
    }

    async fn list_unannounced(&self, max: u32) -> Result<Vec<AuditEvent>, StoreError> {
        let list = move |connection: &mut SqliteConnection| {
            let query = statement(list_unannounced()).bind::<BigInt, i64>(max.into());
            Ok(values_of(query.load::<AuditRow>(connection)?)?)
        };
        self.readers.read(list).await
    }

    async fn mark_announced(&self, events: &[AuditEvent]) -> Result<(), StoreError> {
        let ids: Vec<AuditId> = events.iter().map(|event| event.id).collect();
        let mark = move |connection: &mut SqliteConnection| {
            for id in &ids {
                let row = audit_events::table.find(id.as_bytes().as_slice());
                diesel::update(row).set(audit_events::to_announce.eq(false)).execute(connection)?;
            }
            Ok(())
        };
        self.writer.write(mark).await
    }

    fn watch(&self, watcher: Arc<dyn AuditWatcher>) {
        self.writer.watch(watcher);
    }
}

thread_local! {
    /// The events that the current write has stored. One thread writes.
    static STORED: RefCell<Vec<AuditEvent>> = const { RefCell::new(Vec::new()) };
}

/// Takes the events that were stored on this thread since the last call, to show them after the commit.
pub(crate) fn take_stored() -> Vec<AuditEvent> {
    STORED.with(|stored| take(&mut *stored.borrow_mut()))
}

fn note(event: &AuditEvent) {
    STORED.with(|stored| stored.borrow_mut().push(event.clone()));
}

/// Writes the events of a change. The caller calls it in the transaction of the change, and only for a real change.
pub(crate) fn write_events<'a>(
    connection: &mut SqliteConnection,
    events: impl IntoIterator<Item = &'a AuditEvent>,
) -> QueryResult<()> {
    for event in events {
        diesel::insert_into(audit_events::table).values(NewAuditRow::from(event)).execute(connection)?;
        note(event);
    }
    Ok(())
}

fn record_new(connection: &mut SqliteConnection, events: &[AuditEvent]) -> Result<u32, Undo> {
    let mut recorded = 0;
    for event in events {
        let insertion = diesel::insert_or_ignore_into(audit_events::table).values(NewAuditRow::from(event));
        if insertion.execute(connection)? > 0 {
            note(event);
            recorded += 1;
        }
    }
    Ok(recorded)
}

fn list(connection: &mut SqliteConnection, query: &AuditQuery, max: u32) -> Result<AuditPage, Undo> {
    let mut floor = None;
    if query.is_search() {
        let row: Option<IdRow> = bound(query.floor()).get_result(connection).optional()?;
        floor = row.map(|row| audit_id(&row.id)).transpose()?;
    }
    let rows: Vec<AuditRow> = bound(query.page(floor, max)).load(connection)?;
    Ok(audit_page(rows, floor, max)?)
}
