use std::collections::BTreeMap;

use super::catalogue_changes::{ArchiveEventTypeError, PutEventType, PutEventTypeError};
use super::entry_text::{EntryDescription, EntryTitle};
use super::event_type_entry::{Deprecation, EventTypeEntry, EventTypeSettings};
use super::json_text::JsonText;
use super::use_cases::Catalogue;
use crate::Timestamp;
use crate::audit::Origin;
use crate::ports::{EVENT_TYPES_MAX, PayloadSchemas, StoreError};
use crate::webhooks::EventType;

/// Event types that the catalogue is to have.
#[derive(Clone, Debug)]
pub struct ImportEventTypes {
    /// The types, each once.
    pub types: Vec<WantedEventType>,
    /// Whether to archive the types that are not here.
    pub prune: bool,
    /// Whether schemas may change so that they break what was good before.
    pub force: bool,
    /// Whether to say what would change, and change nothing.
    pub dry_run: bool,
}

/// An event type that the catalogue is to have.
#[derive(Clone, Debug)]
pub struct WantedEventType {
    /// The type, which [`EventTypeEntry::parse_name`] has accepted.
    pub name: EventType,
    /// What it is to be.
    pub settings: WantedSettings,
}

/// The settings that a type is to have.
#[derive(Clone, Debug)]
pub enum WantedSettings {
    /// All of them.
    All(EventTypeSettings),
    /// Those that an OpenAPI document has. The others stay as they are.
    Described {
        /// [`EventTypeSettings::title`]
        title: EntryTitle,
        /// [`EventTypeSettings::description`]
        description: EntryDescription,
        /// [`EventTypeSettings::schema`]
        schema: Option<JsonText>,
        /// [`EventTypeSettings::examples`]
        examples: Vec<JsonText>,
        /// Whether receivers should stop using the type.
        is_deprecated: bool,
    },
}

/// A change that an import makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedEventType {
    /// The type.
    pub name: EventType,
    /// The change.
    pub change: EntryChange,
}

/// How an import changes an entry. Text forms: `created`, `changed`, `archived`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryChange {
    /// The catalogue had no such type.
    Created,
    /// The entry had other settings, or was archived.
    Changed,
    /// The type is not wanted any more.
    Archived,
}

/// Why an import was refused or ended early.
#[derive(Debug, thiserror::Error)]
pub enum ImportEventTypesError {
    /// The type at this index cannot be stored. If its change is not [`PutEventTypeError::Overtaken`] and the store has not
    /// failed, nothing was changed.
    #[error("an event type cannot be stored")]
    Type {
        /// The index of the type, from 0.
        index: usize,
        /// The reason.
        source: PutEventTypeError,
    },
    /// The types that are not wanted cannot be archived.
    #[error(transparent)]
    Archive(#[from] ArchiveEventTypeError),
    /// The store failed. Some types may be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl EntryChange {
    /// Every change.
    pub const ALL: [Self; 3] = [Self::Created, Self::Changed, Self::Archived];

    /// The text form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Archived => "archived",
        }
    }
}

impl WantedSettings {
    /// The settings of an entry that has `before` now. JSON that is the same value stays as it was written.
    fn over(
        self,
        before: Option<&EventTypeSettings>,
        now: Timestamp,
        schemas: &dyn PayloadSchemas,
    ) -> EventTypeSettings {
        let known = before.cloned().unwrap_or_default();
        let mut settings = match self {
            Self::All(settings) => settings,
            Self::Described { title, description, schema, examples, is_deprecated } => {
                let new = Deprecation { since: now, replacement: None };
                let deprecated = is_deprecated.then(|| known.deprecated.clone().unwrap_or(new));
                EventTypeSettings { title, description, schema, examples, deprecated, ..known.clone() }
            }
        };
        let is_same = |one: &JsonText, other: &JsonText| schemas.are_same(one.as_str(), other.as_str());
        if let (Some(schema), Some(before)) = (&settings.schema, known.schema)
            && is_same(schema, &before)
        {
            settings.schema = Some(before);
        }
        for (example, before) in settings.examples.iter_mut().zip(known.examples) {
            if is_same(example, &before) {
                *example = before;
            }
        }
        settings
    }
}

impl Catalogue {
    /// Makes the catalogue have these types, and returns the changes. Everything is checked before the first change. The same
    /// call twice changes nothing. It is not one transaction: after a failure of the store, it may be repeated.
    ///
    /// # Errors
    ///
    /// See [`ImportEventTypesError`].
    pub async fn import(
        &self,
        import: ImportEventTypes,
        origin: &Origin,
    ) -> Result<Vec<ImportedEventType>, ImportEventTypesError> {
        let ImportEventTypes { types, prune, force, dry_run } = import;
        let known = self.store.list().await?;
        let mut others: BTreeMap<EventType, EventTypeEntry> =
            known.into_iter().map(|entry| (entry.name.clone(), entry)).collect();
        let (mut count, mut puts, mut changes) = (others.len(), Vec::new(), Vec::new());
        for (index, WantedEventType { name, settings }) in types.into_iter().enumerate() {
            let before = others.remove(&name);
            let settings =
                settings.over(before.as_ref().map(|entry| &entry.settings), self.clock.now(), &*self.schemas);
            if before.as_ref().is_some_and(|entry| !entry.archived && entry.settings == settings) {
                continue;
            }
            count += usize::from(before.is_none());
            let put = PutEventType { name: name.clone(), settings, force };
            self.check_put(before.as_ref(), &put, count)
                .await
                .map_err(|source| ImportEventTypesError::Type { index, source })?;
            let change = if before.is_some() { EntryChange::Changed } else { EntryChange::Created };
            changes.push(ImportedEventType { name, change });
            puts.push((index, put));
        }
        let unwanted = others.into_values().filter(|entry| prune && !entry.archived);
        let unwanted: Vec<EventType> = unwanted.map(|entry| entry.name).collect();
        if !dry_run {
            for (index, put) in puts {
                let written = self.put(&put, origin).await;
                written.map_err(|source| ImportEventTypesError::Type { index, source })?;
            }
            for name in &unwanted {
                self.archive(name, origin).await?;
            }
        }
        let archived = unwanted.into_iter().map(|name| ImportedEventType { name, change: EntryChange::Archived });
        Ok(changes.into_iter().chain(archived).collect())
    }

    /// Whether the entry could be stored as one of `count`.
    async fn check_put(
        &self,
        before: Option<&EventTypeEntry>,
        put: &PutEventType,
        count: usize,
    ) -> Result<(), PutEventTypeError> {
        self.check_settings(&put.settings).await?;
        self.entry_after(before, put)?;
        if count > EVENT_TYPES_MAX as usize { Err(PutEventTypeError::Full) } else { Ok(()) }
    }
}
