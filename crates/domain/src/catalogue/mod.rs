//! The catalogue of event types: what operators say about the types of events, and the check of payloads against it. See
//! decision 134.

mod catalogue_changes;
mod catalogue_import;
mod entry_text;
mod event_type_entry;
mod json_text;
mod live_types;
mod use_cases;

pub use catalogue_changes::{ArchiveEventTypeError, PutEventType, PutEventTypeError, Written};
pub use catalogue_import::{
    EntryChange, ImportEventTypes, ImportEventTypesError, ImportedEventType, WantedEventType, WantedSettings,
};
pub use entry_text::{EntryDescription, EntryTitle, InvalidEntryText};
pub use event_type_entry::{
    Deprecation, EXAMPLES_MAX, EventTypeEntry, EventTypeSettings, InvalidEntryName, PayloadValidation, Visibility,
};
pub use json_text::{JsonText, JsonTooLarge};
pub use live_types::{InvalidEventCounts, PublicationRefusal, UncataloguedTypes, Warning};
pub use use_cases::{Catalogue, FollowError};
