use std::collections::{BTreeMap, BTreeSet};
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;

use super::lock;
use crate::audit::{AuditEvent, AuditFilter, Cause, Origin};
use crate::ports::{AuditLog, AuditPage, AuditWatcher, AuditWatchers, Retained, Retention, StoreError};
use crate::{AuditId, OwnerId, Timestamp};

/// The audit log of the stores in memory. All clones are one log, which several stores can write to.
#[derive(Clone, Debug, Default)]
pub struct MemoryAuditLog(Arc<Mutex<Table>>);

#[derive(Debug, Default)]
struct Table {
    events: BTreeMap<AuditId, AuditEvent>,
    unannounced: BTreeSet<AuditId>,
    watchers: AuditWatchers,
}

impl Table {
    fn insert(&mut self, event: AuditEvent) {
        if event.is_announced() {
            self.unannounced.insert(event.id);
        }
        self.watchers.show(slice::from_ref(&event));
        self.events.insert(event.id, event);
    }
}

impl MemoryAuditLog {
    /// Adds events. Stores call this while they hold the lock on the changed data.
    pub(super) fn write(&self, events: impl IntoIterator<Item = AuditEvent>) {
        let mut stored = lock(&self.0);
        events.into_iter().for_each(|event| stored.insert(event));
    }

    /// Removes the changes and the addresses from the owner's events that are not to be announced. Returns how many events
    /// had any.
    pub(super) fn erase(&self, owner: &OwnerId) -> usize {
        let mut stored = lock(&self.0);
        let Table { events, unannounced, .. } = &mut *stored;
        let theirs = events.values_mut().filter(|event| event.owner == *owner && !unannounced.contains(&event.id));
        let whole = theirs.filter(|event| !event.changes.is_empty() || event.origin.address.is_some());
        whole.map(|event| (event.changes, event.origin.address) = (Vec::new(), None)).count()
    }

    /// Whether the log has events of the owner that are to be announced.
    pub(super) fn announces(&self, owner: &OwnerId) -> bool {
        let stored = lock(&self.0);
        stored.unannounced.iter().filter_map(|id| stored.events.get(id)).any(|event| event.owner == *owner)
    }
}

#[async_trait]
impl AuditLog for MemoryAuditLog {
    async fn list(&self, filter: &AuditFilter, before: Option<AuditId>, max: u32) -> Result<AuditPage, StoreError> {
        let stored = lock(&self.0);
        let newest_first = stored.events.range(..before.unwrap_or(AuditId::MAX)).rev().map(|(_, event)| event);
        let mut shown = newest_first.filter(|event| filter.matches(event)).cloned();
        let events: Vec<AuditEvent> = shown.by_ref().take(max as usize).collect();
        let next = events.last().map(|event| event.id).filter(|_| shown.next().is_some());
        Ok(AuditPage { events, next })
    }

    async fn record_new(&self, events: &[AuditEvent]) -> Result<u32, StoreError> {
        let mut stored = lock(&self.0);
        let mut recorded = 0;
        for event in events {
            if !stored.events.contains_key(&event.id) {
                stored.insert(event.clone());
                recorded += 1;
            }
        }
        Ok(recorded)
    }

    async fn list_unannounced(&self, max: u32) -> Result<Vec<AuditEvent>, StoreError> {
        let stored = lock(&self.0);
        let unannounced = stored.unannounced.iter().filter_map(|id| stored.events.get(id)).cloned();
        Ok(unannounced.take(max as usize).collect())
    }

    async fn mark_announced(&self, events: &[AuditEvent]) -> Result<(), StoreError> {
        let mut stored = lock(&self.0);
        stored.unannounced.retain(|id| events.iter().all(|event| event.id != *id));
        Ok(())
    }

    fn watch(&self, watcher: Arc<dyn AuditWatcher>) {
        lock(&self.0).watchers.add(watcher);
    }
}

#[async_trait]
impl Retention for MemoryAuditLog {
    async fn purge(&self, what: Retained, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        if what != Retained::AuditEvents {
            return Ok(0);
        }
        let mut stored = lock(&self.0);
        let Table { events, unannounced, .. } = &mut *stored;
        let purged = events.extract_if(..AuditId::first_at(before), |_, _| true).take(max as usize).count();
        unannounced.retain(|id| events.contains_key(id));
        Ok(u32::try_from(purged).unwrap_or(max))
    }
}

/// A cause of the service with a unique id. For tests that do not look at the audit log.
pub fn unique_cause() -> Cause {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let mut bytes = [0; 16];
    // The last four bytes number the events of a cause.
    bytes[4..12].copy_from_slice(&NEXT.fetch_add(1, Ordering::Relaxed).to_be_bytes());
    Cause { id: AuditId::from_bytes(bytes), origin: Origin::SERVICE }
}
