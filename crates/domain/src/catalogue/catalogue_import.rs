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
    /// The settings to store.
    pub settings: WantedSettings,
}

/// The settings of an imported type.
#[derive(Clone, Debug)]
pub enum WantedSettings {
    /// All settings.
    All(EventTypeSettings),
    /// The settings that an OpenAPI document can describe. The other settings keep their values.
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
    /// The import has no such type, and prunes.
    Archived,
}

/// Why an import was refused or ended early.
#[derive(Debug, thiserror::Error)]
pub enum ImportEventTypesError {
    /// The type at this index cannot be stored. Unless the source is [`PutEventTypeError::Overtaken`] or a failure of the store,
    /// nothing has changed.
    #[error("an event type cannot be stored")]
    Type {
        /// The index of the type, from 0.
        index: usize,
        /// The reason.
        source: PutEventTypeError,
    },
    /// A type that the import prunes cannot be archived.
    #[error(transparent)]
    Archive(#[from] ArchiveEventTypeError),
    /// The store failed. Some types may be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl EntryChange {
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
    /// The new settings of an entry with the settings `before`. Equal JSON keeps its old text.
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

/// The changes of an import, after all checks.
#[derive(Default)]
struct Plan {
    /// Each with the index of its type in the import, and with the present entry.
    puts: Vec<(usize, Option<EventTypeEntry>, PutEventType)>,
    archived: Vec<EventType>,
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
        let (mut count, mut plan, mut changes) = (others.len(), Plan::default(), Vec::new());
        for (index, WantedEventType { name, settings }) in types.into_iter().enumerate() {
            let before = others.remove(&name);
            let known = before.as_ref().map(|entry| &entry.settings);
            let settings = settings.over(known, self.clock.now(), &*self.schemas);
            if before.as_ref().is_some_and(|entry| !entry.archived && entry.settings == settings) {
                continue;
            }
            count += usize::from(before.is_none());
            let put = PutEventType { name: name.clone(), settings, force };
            let checked = self.check_put(before.as_ref(), &put, count).await;
            checked.map_err(|source| ImportEventTypesError::Type { index, source })?;
            let change = if before.is_some() { EntryChange::Changed } else { EntryChange::Created };
            changes.push(ImportedEventType { name, change });
            plan.puts.push((index, before, put));
        }
        let unwanted = others.into_values().filter(|entry| prune && !entry.archived);
        plan.archived = unwanted.map(|entry| entry.name).collect();
        let archived = plan.archived.iter().cloned();
        changes.extend(archived.map(|name| ImportedEventType { name, change: EntryChange::Archived }));
        if !dry_run {
            let stored = self.store_all(plan, origin).await;
            // Once, because each time reads the whole catalogue.
            let followed = self.follow_change(!changes.is_empty()).await;
            stored?;
            followed?;
        }
        Ok(changes)
    }

    async fn store_all(&self, plan: Plan, origin: &Origin) -> Result<(), ImportEventTypesError> {
        for (index, before, put) in plan.puts {
            let written = self.put_over(before, &put, origin).await;
            written.map_err(|source| ImportEventTypesError::Type { index, source })?;
        }
        for name in &plan.archived {
            self.archive_entry(name, origin).await?;
        }
        Ok(())
    }

    /// Checks everything that a put checks. `count` is the number of entries with this one.
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
