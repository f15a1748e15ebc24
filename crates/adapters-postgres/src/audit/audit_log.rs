use std::sync::Arc;

use async_trait::async_trait;
use diesel_mapping::audit::AuditQuery;
use domain::AuditId;
use domain::audit::{AuditEvent, AuditFilter};
use domain::ports::{AuditLog, AuditPage, AuditWatcher, StoreError};

use super::announcements::{ListUnannounced, MarkAnnounced, RecordNew};
use super::list_events::ListEvents;
use crate::PostgresStore;

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
