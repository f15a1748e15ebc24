use std::sync::Arc;

use async_trait::async_trait;
use diesel::sql_types::{BigInt, Binary};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::Kept;
use diesel_mapping::audit::{AuditQuery, DELETE_BEFORE};
use domain::audit::{AuditEvent, AuditFilter};
use domain::ports::{AuditLog, AuditPage, AuditWatcher, StoreError};
use domain::{AuditId, Timestamp};

use super::announcements::{ListUnannounced, MarkAnnounced, RecordNew};
use super::list_events::ListEvents;
use super::write_events;
use crate::PostgresStore;
use crate::attempt::{Failure, Work};

#[async_trait]
impl AuditLog for PostgresStore {
    async fn record(&self, event: &AuditEvent) -> Result<(), StoreError> {
        self.run(&Record(event)).await
    }

    async fn list(&self, filter: &AuditFilter, before: Option<AuditId>, max: u32) -> Result<AuditPage, StoreError> {
        self.run(&ListEvents { query: AuditQuery::new(filter, before), max }).await
    }

    async fn record_new(&self, events: &[AuditEvent]) -> Result<u32, StoreError> {
        self.run(&RecordNew(events)).await
    }

    async fn list_unannounced(&self, max: u32) -> Result<Vec<AuditEvent>, StoreError> {
        self.run(&ListUnannounced { max }).await
    }

    async fn mark_announced(&self, events: &[AuditEvent]) -> Result<(), StoreError> {
        self.run(&MarkAnnounced(events)).await
    }

    async fn purge(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.run(&Purge { before, max }).await
    }

    fn watch(&self, watcher: Arc<dyn AuditWatcher>) {
        self.audit_watchers.add(watcher);
    }
}

/// Writes one event. One statement.
struct Record<'a>(&'a AuditEvent);

impl Work for Record<'_> {
    type Answer = ();

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<(), Failure> {
        // The statement may have run: a second attempt would report a duplicate.
        write_events(connection, std::slice::from_ref(self.0)).await.map_err(Failure::of_statement)
    }
}

/// Deletes old events. One statement.
struct Purge {
    before: Timestamp,
    max: u32,
}

impl Work for Purge {
    type Answer = u32;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<u32, Failure> {
        let deletion = diesel::sql_query(DELETE_BEFORE)
            .bind::<Binary, _>(AuditId::first_at(self.before).as_bytes().to_vec())
            .bind::<BigInt, i64>(self.max.into());
        match Kept(deletion).execute(&mut &*connection).await {
            Ok(purged) => Ok(u32::try_from(purged).unwrap_or(self.max)),
            // The statement may have run: a second attempt would return another number.
            Err(error) => Err(Failure::of_statement(error)),
        }
    }
}
