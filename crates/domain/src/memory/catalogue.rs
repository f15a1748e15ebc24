use std::collections::BTreeMap;
use std::sync::Mutex;

use async_trait::async_trait;

use super::audit::MemoryAuditLog;
use super::lock;
use crate::catalogue::EventTypeEntry;
use crate::ports::{EntryPut, EventTypes, PutEntryRequest, StoreError};
use crate::webhooks::EventType;

/// The catalogue of event types in a map behind one lock. Each method holds the lock, and is therefore atomic.
#[derive(Debug, Default)]
pub struct MemoryEventTypes {
    stored: Mutex<BTreeMap<EventType, EventTypeEntry>>,
    audit: MemoryAuditLog,
}

impl MemoryEventTypes {
    /// The store, which writes to this audit log from now on.
    #[must_use]
    pub fn writing_to(self, audit: MemoryAuditLog) -> Self {
        Self { audit, ..self }
    }
}

fn last_revision_of(stored: &BTreeMap<EventType, EventTypeEntry>) -> u64 {
    stored.values().map(|entry| entry.revision).max().unwrap_or(0)
}

#[async_trait]
impl EventTypes for MemoryEventTypes {
    async fn list(&self) -> Result<Vec<EventTypeEntry>, StoreError> {
        Ok(lock(&self.stored).values().cloned().collect())
    }

    async fn find(&self, name: &EventType) -> Result<Option<EventTypeEntry>, StoreError> {
        Ok(lock(&self.stored).get(name).cloned())
    }

    async fn put(&self, request: &PutEntryRequest) -> Result<EntryPut, StoreError> {
        let mut stored = lock(&self.stored);
        let revision = stored.get(&request.after.name).map(|entry| entry.revision);
        match request.admit(revision, stored.len() as u64, last_revision_of(&stored)) {
            Ok(entry) => {
                self.audit.write([request.cause.event_type_changed(request.before.as_ref(), &entry)]);
                stored.insert(entry.name.clone(), entry.clone());
                Ok(EntryPut::Stored(Box::new(entry)))
            }
            Err(refusal) => Ok(refusal),
        }
    }

    async fn last_revision(&self) -> Result<u64, StoreError> {
        Ok(last_revision_of(&lock(&self.stored)))
    }
}
