use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use domain::catalogue::{EntryDescription, EventTypeEntry, JsonText};
use domain::memory::MemoryAuditLog;
use domain::ports::{AuditLog, EntryPut, EventTypes, PutEntryRequest, StoreError};
use domain::webhooks::EventType;
use tokio::task::yield_now;

/// What is wrong with a catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    ForgetsDescriptions,
    DropsSpacesOfJson,
    KeepsOldExamples,
    FoldsCase,
    ListsAsInserted,
    IgnoresBefore,
    ChecksThenWrites,
    CountsByEntry,
    IgnoresTheMaximum,
    RefusesChangesWhenFull,
    WritesNoEvent,
    WritesEventsOfRefusals,
}

/// A catalogue in a list, with a fault.
pub(crate) struct Saboteur {
    fault: Fault,
    stored: Mutex<Vec<EventTypeEntry>>,
    audit: MemoryAuditLog,
}

impl Saboteur {
    pub(crate) fn new(fault: Fault, audit: MemoryAuditLog) -> Self {
        Self { fault, stored: Mutex::default(), audit }
    }

    fn stored(&self) -> MutexGuard<'_, Vec<EventTypeEntry>> {
        self.stored.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_same(&self, one: &EventType, other: &EventType) -> bool {
        one == other || (self.fault == Fault::FoldsCase && one.as_str().eq_ignore_ascii_case(other.as_str()))
    }

    fn found(&self, stored: &[EventTypeEntry], name: &EventType) -> Option<EventTypeEntry> {
        stored.iter().find(|entry| self.is_same(&entry.name, name)).cloned()
    }

    fn admit(&self, stored: &[EventTypeEntry], request: &PutEntryRequest) -> Result<EventTypeEntry, EntryPut> {
        let found = self.found(stored, &request.after.name);
        let last = stored.iter().map(|entry| entry.revision).max().unwrap_or(0);
        let mut request = request.clone();
        match self.fault {
            Fault::IgnoresBefore => request.before.clone_from(&found),
            Fault::FoldsCase if request.before.is_none() => request.before.clone_from(&found),
            Fault::IgnoresTheMaximum => request.max = u32::MAX,
            Fault::RefusesChangesWhenFull if stored.len() as u64 >= request.max.into() => return Err(EntryPut::Full),
            _ => {}
        }
        let last = match self.fault {
            Fault::CountsByEntry => found.as_ref().map_or(0, |found| found.revision),
            _ => last,
        };
        request.admit(found.as_ref().map(|found| found.revision), stored.len() as u64, last)
    }

    fn write(&self, stored: &mut Vec<EventTypeEntry>, mut entry: EventTypeEntry) {
        let settings = &mut entry.settings;
        match self.fault {
            Fault::ForgetsDescriptions => settings.description = EntryDescription::default(),
            Fault::DropsSpacesOfJson => {
                let dropped = |json: &JsonText| JsonText::of_stored(json.as_str().replace(' ', ""));
                settings.schema = settings.schema.as_ref().map(dropped);
            }
            Fault::KeepsOldExamples => {
                let old = self.found(stored, &entry.name);
                settings.examples = old.map_or_else(|| settings.examples.clone(), |old| old.settings.examples);
            }
            _ => {}
        }
        stored.retain(|other| !self.is_same(&other.name, &entry.name));
        stored.push(entry);
    }
}

#[async_trait]
impl EventTypes for Saboteur {
    async fn list(&self) -> Result<Vec<EventTypeEntry>, StoreError> {
        let mut entries = self.stored().clone();
        if self.fault != Fault::ListsAsInserted {
            entries.sort_by(|one, other| one.name.cmp(&other.name));
        }
        Ok(entries)
    }

    async fn find(&self, name: &EventType) -> Result<Option<EventTypeEntry>, StoreError> {
        Ok(self.found(&self.stored(), name))
    }

    async fn put(&self, request: &PutEntryRequest) -> Result<EntryPut, StoreError> {
        let admitted = {
            let mut stored = self.stored();
            let admitted = self.admit(&stored, request);
            if self.fault != Fault::ChecksThenWrites
                && let Ok(entry) = &admitted
            {
                self.write(&mut stored, entry.clone());
            }
            admitted
        };
        if self.fault == Fault::ChecksThenWrites
            && let Ok(entry) = &admitted
        {
            yield_now().await;
            self.write(&mut self.stored(), entry.clone());
        }
        let event = match &admitted {
            Ok(entry) if self.fault != Fault::WritesNoEvent => Some(entry),
            Err(_) if self.fault == Fault::WritesEventsOfRefusals => Some(&request.after),
            _ => None,
        };
        if let Some(entry) = event {
            let event = request.cause.event_type_changed(request.before.as_ref(), entry);
            self.audit.record_new(&[event]).await?;
        }
        Ok(admitted.map_or_else(|refusal| refusal, |entry| EntryPut::Stored(Box::new(entry))))
    }

    async fn last_revision(&self) -> Result<u64, StoreError> {
        Ok(self.stored().iter().map(|entry| entry.revision).max().unwrap_or(0))
    }
}
