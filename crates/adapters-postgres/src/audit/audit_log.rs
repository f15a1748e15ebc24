use std::sync::Arc;

use async_trait::async_trait;
use diesel::OptionalExtension;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::audit::{AuditQuery, AuditRow, audit_id, audit_page};
use diesel_mapping::{IdRow, bound};
use domain::AuditId;
use domain::audit::{AuditEvent, AuditFilter};
use domain::ports::{AuditLog, AuditPage, AuditWatcher, StoreError};

use super::announcements::{ListUnannounced, MarkAnnounced, RecordNew};
use crate::PostgresStore;
use crate::attempt::{Failure, Work};

#[async_trait]
impl AuditLog for PostgresStore {
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

    fn watch(&self, watcher: Arc<dyn AuditWatcher>) {
        self.audit_watchers.add(watcher);
    }
}

/// A page of the audit log. One statement, and a second one for a search.
struct ListEvents {
    query: AuditQuery,
    max: u32,
}

impl Work for ListEvents {
    type Answer = AuditPage;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<AuditPage, Failure> {
        let mut floor = None;
        if self.query.is_search() {
            let row = bound(self.query.floor()).get_result::<IdRow>(&mut &*connection).await.optional()?;
            floor = row.map(|row| audit_id(&row.id)).transpose()?;
        }
        let rows = bound(self.query.page(floor, self.max)).load::<AuditRow>(&mut &*connection).await?;
        Ok(audit_page(rows, floor, self.max)?)
    }
}
