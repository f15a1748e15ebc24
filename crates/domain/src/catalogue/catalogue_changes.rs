use super::event_type_entry::{EventTypeEntry, EventTypeSettings, PayloadValidation};
use super::json_text::JsonText;
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
    /// The validation needs a schema.
    #[error("is needed for the validation `{}`", .0.as_str())]
    SchemaMissing(PayloadValidation),
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
        let before = self.store.find(&put.name).await?;
        let written = self.put_over(before, put, origin).await?;
        self.follow_change(written.changed).await?;
        Ok(written)
    }

    /// Stores checked settings in place of `before`, or of a newer entry. This process does not follow the change yet.
    pub(super) async fn put_over(
        &self,
        mut before: Option<EventTypeEntry>,
        put: &PutEventType,
        origin: &Origin,
    ) -> Result<Written, PutEventTypeError> {
        for _ in 0..TRIES_MAX {
            let after = self.entry_after(before.as_ref(), put)?;
            match self.write(before, after, origin).await? {
                (EntryPut::Stored(entry), changed) => return Ok(Written { entry: *entry, changed }),
                (EntryPut::Full, _) => return Err(PutEventTypeError::Full),
                (EntryPut::Overtaken, _) => before = self.store.find(&put.name).await?,
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
        let written = self.archive_entry(name, origin).await?;
        self.follow_change(written.changed).await?;
        Ok(written)
    }

    /// [`Catalogue::archive`], which this process does not follow yet.
    pub(super) async fn archive_entry(
        &self,
        name: &EventType,
        origin: &Origin,
    ) -> Result<Written, ArchiveEventTypeError> {
        for _ in 0..TRIES_MAX {
            let before = self.store.find(name).await?.ok_or(ArchiveEventTypeError::NotFound)?;
            let after = EventTypeEntry { archived: true, ..before.clone() };
            if let (EntryPut::Stored(entry), changed) = self.write(Some(before), after, origin).await? {
                return Ok(Written { entry: *entry, changed });
            }
        }
        Err(ArchiveEventTypeError::Overtaken)
    }

    /// Reads the catalogue again after a change of this process.
    pub(super) async fn follow_change(&self, has_changed: bool) -> Result<(), StoreError> {
        if !has_changed {
            return Ok(());
        }
        match self.follow().await {
            // Every schema that is stored has compiled; one of a later version does not hold this change up.
            Ok(()) | Err(FollowError::Schema(..)) => Ok(()),
            Err(FollowError::Store(error)) => Err(error),
        }
    }

    pub(super) async fn check_settings(&self, settings: &EventTypeSettings) -> Result<(), PutEventTypeError> {
        let Some(schema) = &settings.schema else {
            return match settings.validation {
                PayloadValidation::Off => Ok(()),
                validation => Err(PutEventTypeError::SchemaMissing(validation)),
            };
        };
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
        if let (false, Some(before)) = (force, schema_before)
            && let Some(found) = self.first_break(before, settings.schema.as_ref())
        {
            return Err(found.into());
        }
        let version = before.map_or(1, |before| before.version + u32::from(schema_before != settings.schema.as_ref()));
        Ok(EventTypeEntry { name, settings, archived: false, version, updated_at: self.clock.now(), revision: 0 })
    }

    /// The first change of the schema that breaks what was good before.
    fn first_break(&self, before: &JsonText, after: Option<&JsonText>) -> Option<SchemaBreak> {
        match after {
            Some(after) => self.schemas.first_break(before.as_str(), after.as_str()),
            None => Some(SchemaBreak { pointer: "#".to_owned(), change: "the schema is removed".to_owned() }),
        }
    }

    /// Stores `after` in place of `before`, unless both say the same. Also returns whether it called the store.
    async fn write(
        &self,
        before: Option<EventTypeEntry>,
        after: EventTypeEntry,
        origin: &Origin,
    ) -> Result<(EntryPut, bool), StoreError> {
        if let Some(before) = &before
            && (&before.settings, before.archived) == (&after.settings, after.archived)
        {
            return Ok((EntryPut::Stored(Box::new(before.clone())), false));
        }
        let now = self.clock.now();
        let (after, cause) = (EventTypeEntry { updated_at: now, ..after }, Cause::new(origin, now, &*self.entropy));
        let request = PutEntryRequest { before, after, max: EVENT_TYPES_MAX, cause };
        Ok((self.store.put(&request).await?, true))
    }
}
