use super::event_type_entry::{EventTypeEntry, EventTypeSettings};
use super::use_cases::{Catalogue, FollowError};
use crate::audit::{Cause, Origin};
use crate::ports::{
    EVENT_TYPES_MAX, EntryPut, InvalidPayloadSchema, PutEntryRequest, SchemaBreak, SchemaFault, StoreError,
};
use crate::webhooks::EventType;

/// How often a change is tried again that others have overtaken.
const TRIES_MAX: u32 = 8;

/// What an operator says about a type of events.
#[derive(Clone, Debug)]
pub struct PutEventType {
    /// The type, which [`EventTypeEntry::parse_name`] has accepted.
    pub name: EventType,
    /// All settings of the entry. What it had before is replaced.
    pub settings: EventTypeSettings,
    /// Whether the schema may change so that it breaks what was good before.
    pub force: bool,
}

/// An entry after a call that changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The entry.
    pub entry: EventTypeEntry,
    /// Whether the call has changed it.
    pub changed: bool,
}

/// Why an entry was not stored.
#[derive(Debug, thiserror::Error)]
pub enum PutEventTypeError {
    /// The schema is not one that the catalogue takes.
    #[error(transparent)]
    Schema(#[from] InvalidPayloadSchema),
    /// The example at this index breaks the schema.
    #[error("breaks the schema")]
    Example {
        /// The index of the example, from 0.
        index: usize,
        /// The faults, at least one.
        faults: Vec<SchemaFault>,
    },
    /// The change of the schema breaks what was good before.
    #[error(transparent)]
    Breaks(#[from] SchemaBreak),
    /// The catalogue has [`EVENT_TYPES_MAX`] types.
    #[error("the catalogue has the maximum of {EVENT_TYPES_MAX} event types")]
    Full,
    /// Other calls changed the entry again and again.
    #[error("the event type was changed by other calls at the same time")]
    Overtaken,
    /// The store failed. The entry may be stored all the same.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a type was not archived.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveEventTypeError {
    /// The catalogue has no such type.
    #[error("the catalogue has no such event type")]
    NotFound,
    /// Other calls changed the entry again and again.
    #[error("the event type was changed by other calls at the same time")]
    Overtaken,
    /// The store failed. The type may be archived all the same.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Catalogue {
    /// Stores what an operator says about a type. The same call twice changes nothing. An archived type is used again.
    ///
    /// # Errors
    ///
    /// See [`PutEventTypeError`].
    pub async fn put(&self, put: &PutEventType, origin: &Origin) -> Result<Written, PutEventTypeError> {
        self.check_settings(&put.settings).await?;
        for _ in 0..TRIES_MAX {
            let before = self.store.find(&put.name).await?;
            let after = self.entry_after(before.as_ref(), put)?;
            match self.write(before, after, origin).await? {
                EntryWrite::Written(written) => return Ok(written),
                EntryWrite::Full => return Err(PutEventTypeError::Full),
                EntryWrite::Overtaken => {}
            }
        }
        Err(PutEventTypeError::Overtaken)
    }

    /// Archives a type: its entry stays, and users do not see it. The same call twice changes nothing.
    ///
    /// # Errors
    ///
    /// See [`ArchiveEventTypeError`].
    pub async fn archive(&self, name: &EventType, origin: &Origin) -> Result<Written, ArchiveEventTypeError> {
        for _ in 0..TRIES_MAX {
            let before = self.store.find(name).await?.ok_or(ArchiveEventTypeError::NotFound)?;
            let after = EventTypeEntry { archived: true, ..before.clone() };
            if let EntryWrite::Written(written) = self.write(Some(before), after, origin).await? {
                return Ok(written);
            }
        }
        Err(ArchiveEventTypeError::Overtaken)
    }

    pub(super) async fn check_settings(&self, settings: &EventTypeSettings) -> Result<(), PutEventTypeError> {
        let Some(schema) = &settings.schema else { return Ok(()) };
        let compiled = self.schemas.compile(schema.as_str()).await?;
        for (index, example) in settings.examples.iter().enumerate() {
            let faults = compiled.faults(example.as_str());
            if !faults.is_empty() {
                return Err(PutEventTypeError::Example { index, faults });
            }
        }
        Ok(())
    }

    /// The entry that replaces `before`.
    pub(super) fn entry_after(
        &self,
        before: Option<&EventTypeEntry>,
        put: &PutEventType,
    ) -> Result<EventTypeEntry, PutEventTypeError> {
        let PutEventType { name, settings, force } = put.clone();
        let schema_before = before.and_then(|before| before.settings.schema.as_ref());
        if let (false, Some(before), Some(after)) = (force, schema_before, &settings.schema)
            && let Some(found) = self.schemas.first_break(before.as_str(), after.as_str())
        {
            return Err(found.into());
        }
        let version = before.map_or(1, |before| before.version + u32::from(schema_before != settings.schema.as_ref()));
        Ok(EventTypeEntry { name, settings, archived: false, version, updated_at: self.clock.now(), revision: 0 })
    }

    /// Stores `after` in place of `before`, unless both say the same.
    async fn write(
        &self,
        before: Option<EventTypeEntry>,
        after: EventTypeEntry,
        origin: &Origin,
    ) -> Result<EntryWrite, StoreError> {
        if let Some(before) = &before
            && (&before.settings, before.archived) == (&after.settings, after.archived)
        {
            return Ok(EntryWrite::Written(Written { entry: before.clone(), changed: false }));
        }
        let now = self.clock.now();
        let (after, cause) = (EventTypeEntry { updated_at: now, ..after }, Cause::new(origin, now, &*self.entropy));
        let put = self.store.put(&PutEntryRequest { before, after, max: EVENT_TYPES_MAX, cause }).await?;
        let entry = match put {
            EntryPut::Stored(entry) => *entry,
            EntryPut::Overtaken => return Ok(EntryWrite::Overtaken),
            EntryPut::Full => return Ok(EntryWrite::Full),
        };
        match self.follow().await {
            // Every schema that is stored has compiled; one of a later version does not hold this change up.
            Ok(()) | Err(FollowError::Schema(..)) => Ok(EntryWrite::Written(Written { entry, changed: true })),
            Err(FollowError::Store(error)) => Err(error),
        }
    }
}

enum EntryWrite {
    Written(Written),
    Overtaken,
    Full,
}
