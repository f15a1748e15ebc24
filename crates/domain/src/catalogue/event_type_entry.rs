use super::entry_text::{EntryDescription, EntryTitle};
use super::json_text::JsonText;
use crate::Timestamp;
use crate::named::named;
use crate::webhooks::{EventType, InvalidEventType};

/// The most examples of an event type.
pub const EXAMPLES_MAX: usize = 5;

/// What the catalogue has about one type of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventTypeEntry {
    /// The type.
    pub name: EventType,
    /// What an operator says about it.
    pub settings: EventTypeSettings,
    /// Whether the type is not to be published any more.
    pub archived: bool,
    /// The number of the schema, from 1. Each change of the schema adds 1.
    pub version: u32,
    /// When the entry was changed last.
    pub updated_at: Timestamp,
    /// The number of the entry's last change among all changes of the catalogue. The store counts it.
    pub revision: u64,
}

/// What an operator says about a type of events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventTypeSettings {
    /// A short name for people; often empty.
    pub title: EntryTitle,
    /// When the event happens and what it means.
    pub description: EntryDescription,
    /// The JSON Schema of `data`; `None` if any data is good.
    pub schema: Option<JsonText>,
    /// Examples of `data`, at most [`EXAMPLES_MAX`].
    pub examples: Vec<JsonText>,
    /// The treatment of events whose data breaks the schema.
    pub validation: PayloadValidation,
    /// Who sees the entry.
    pub visibility: Visibility,
    /// `None` unless receivers should stop using the type.
    pub deprecated: Option<Deprecation>,
}

named! {
    /// The treatment of events whose data breaks the schema of their type. Text forms: `off`, `warn`, `enforce`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum PayloadValidation: as_str, parse {
        /// It is accepted without a check.
        #[default]
        Off = "off",
        /// It is accepted, and the answer to its publisher has the faults.
        Warn = "warn",
        /// It is refused.
        Enforce = "enforce",
    }
}

named! {
    /// The visibility of an entry.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Visibility: as_str, parse {
        /// Everybody with a credential.
        #[default]
        Public = "public",
        /// Operators.
        Hidden = "hidden",
    }
}

/// Receivers should stop using a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deprecation {
    /// From when on.
    pub since: Timestamp,
    /// The type to use in its place, if there is one.
    pub replacement: Option<EventType>,
}

/// Why a string is not the name of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidEntryName {
    /// It is not the type of a published event.
    #[error(transparent)]
    EventType(#[from] InvalidEventType),
    /// The API has this name for something else.
    #[error("must not be `{DOCUMENT}` or `{IMPORT}`")]
    Taken,
}

/// The names that no entry has: the document of the catalogue, and the import.
const DOCUMENT: &str = "openapi.json";
const IMPORT: &str = "import";

impl EventTypeEntry {
    /// The strings that [`EventTypeEntry::parse_name`] accepts, apart from their length.
    pub const NAME_PATTERN: &str = r"^(?!gatepost\.|openapi\.json$|import$)[A-Za-z0-9]([A-Za-z0-9_.:/-]*[A-Za-z0-9])?$";

    /// Parses the name of an entry.
    ///
    /// # Errors
    ///
    /// The rule that `text` breaks.
    pub fn parse_name(text: &str) -> Result<EventType, InvalidEntryName> {
        let name = EventType::parse_published(text)?;
        if [DOCUMENT, IMPORT].contains(&text) { Err(InvalidEntryName::Taken) } else { Ok(name) }
    }

    /// Whether users see the entry.
    pub fn is_public(&self) -> bool {
        self.settings.visibility == Visibility::Public && !self.archived
    }
}
