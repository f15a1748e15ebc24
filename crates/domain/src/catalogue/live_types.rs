use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::event_type_entry::{EventTypeEntry, PayloadValidation};
use crate::ports::{InvalidPayloadSchema, PayloadSchema, PayloadSchemas, SchemaFault, StoreError};
use crate::webhooks::EventType;

/// What happens to events whose type is archived or not in the catalogue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UncataloguedTypes {
    /// They are accepted without a check.
    #[default]
    Open,
    /// They are refused.
    Closed,
}

/// The faults of an event that was accepted all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The index of the event, from 0.
    pub index: usize,
    /// The faults, at least one.
    pub faults: Vec<SchemaFault>,
}

/// Why the catalogue refuses a publication.
#[derive(Debug, thiserror::Error)]
pub enum PublicationRefusal {
    /// The type of the event at this index is archived or not in the catalogue, which is closed.
    #[error("event {index} has a type that is not in the catalogue")]
    UnknownType {
        /// The index of the event, from 0.
        index: usize,
    },
    /// The data of the event at this index breaks the schema of its type.
    #[error("event {index} breaks the schema of its type")]
    Invalid {
        /// The index of the event, from 0.
        index: usize,
        /// The faults, at least one.
        faults: Vec<SchemaFault>,
    },
    /// The catalogue was not read yet, and the store failed.
    #[error("the catalogue of event types could not be read")]
    Store(#[from] StoreError),
}

/// The types of one revision of the catalogue, with their compiled schemas.
#[derive(Default)]
pub(super) struct LiveTypes {
    pub(super) revision: u64,
    types: HashMap<EventType, LiveType>,
}

struct LiveType {
    /// Of the entry.
    revision: u64,
    archived: bool,
    validation: PayloadValidation,
    /// `None` if nothing is checked.
    schema: Option<Arc<dyn PayloadSchema>>,
    invalid: Arc<InvalidEvents>,
}

/// How many events of a type broke its schema.
#[derive(Debug, Default)]
struct InvalidEvents {
    warned: AtomicU64,
    refused: AtomicU64,
}

/// How many events of a type broke its schema since this process started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidEventCounts {
    /// The type.
    pub event_type: EventType,
    /// They were accepted with warnings.
    pub warned: u64,
    /// They were refused.
    pub refused: u64,
}

impl LiveTypes {
    /// Compiles the schemas of these entries. Those of entries that `known` has too are not compiled again.
    ///
    /// # Errors
    ///
    /// The first entry whose schema does not compile.
    pub(super) async fn of(
        entries: Vec<EventTypeEntry>,
        known: &Self,
        schemas: &dyn PayloadSchemas,
    ) -> Result<Self, (EventType, InvalidPayloadSchema)> {
        let revision = entries.iter().map(|entry| entry.revision).max().unwrap_or(0);
        let mut types = HashMap::with_capacity(entries.len());
        for EventTypeEntry { name, settings, archived, revision, .. } in entries {
            let before = known.types.get(&name);
            let invalid = before.map(|before| Arc::clone(&before.invalid)).unwrap_or_default();
            let known = before.filter(|known| known.revision == revision);
            let is_checked = settings.validation != PayloadValidation::Off && !archived;
            let schema = match (known, settings.schema.filter(|_| is_checked)) {
                (Some(known), _) => known.schema.clone(),
                (None, None) => None,
                (None, Some(schema)) => match schemas.compile(schema.as_str()).await {
                    Ok(schema) => Some(schema),
                    Err(error) => return Err((name, error)),
                },
            };
            types.insert(name, LiveType { revision, archived, validation: settings.validation, schema, invalid });
        }
        Ok(Self { revision, types })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// The counts of the types that are checked, or were.
    pub(super) fn invalid_events(&self) -> Vec<InvalidEventCounts> {
        let counts = self.types.iter().map(|(event_type, live)| {
            let [warned, refused] =
                [&live.invalid.warned, &live.invalid.refused].map(|count| count.load(Ordering::Relaxed));
            (live.schema.is_some(), InvalidEventCounts { event_type: event_type.clone(), warned, refused })
        });
        let shown = counts.filter(|(is_checked, counts)| *is_checked || counts.warned + counts.refused > 0);
        let mut shown: Vec<_> = shown.map(|(_, counts)| counts).collect();
        shown.sort_unstable_by(|one, other| one.event_type.cmp(&other.event_type));
        shown
    }

    /// Checks events, each a type and its data. Returns the warnings, by rising index.
    pub(super) fn check<'a>(
        &self,
        events: impl Iterator<Item = (&'a EventType, &'a str)>,
        uncatalogued: UncataloguedTypes,
    ) -> Result<Vec<Warning>, PublicationRefusal> {
        let mut warnings = Vec::new();
        for (index, (event_type, data)) in events.enumerate() {
            let Some(live) = self.types.get(event_type).filter(|live| !live.archived) else {
                match uncatalogued {
                    UncataloguedTypes::Open => continue,
                    UncataloguedTypes::Closed => return Err(PublicationRefusal::UnknownType { index }),
                }
            };
            let faults = live.schema.as_ref().map_or_else(Vec::new, |schema| schema.faults(data));
            match live.validation {
                _ if faults.is_empty() => {}
                PayloadValidation::Enforce => {
                    live.invalid.refused.fetch_add(1, Ordering::Relaxed);
                    return Err(PublicationRefusal::Invalid { index, faults });
                }
                PayloadValidation::Off | PayloadValidation::Warn => {
                    live.invalid.warned.fetch_add(1, Ordering::Relaxed);
                    warnings.push(Warning { index, faults });
                }
            }
        }
        Ok(warnings)
    }
}
