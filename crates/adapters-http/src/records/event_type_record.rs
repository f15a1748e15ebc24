use domain::catalogue::{EventTypeEntry, ImportedEventType, JsonText, Written};
use domain::ports::SchemaFault;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// What the catalogue has about a type of events.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EventType)]
pub(crate) struct EventTypeRecord {
    /// The type of the events.
    #[schema(example = "invoice.paid")]
    name: String,
    /// A short name for people. Absent if there is none.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[schema(required = false, example = "Invoice paid")]
    title: String,
    /// When the event happens and what it means: Markdown without HTML. Absent if there is none.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[schema(required = false)]
    description: String,
    /// The JSON Schema (2020-12) of `data`, as it was written. Absent in lists, and if any `data` is good.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, nullable = false)]
    schema: Option<Box<RawValue>>,
    /// Examples of `data`, as they were written. Absent in lists, and if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<serde_json::Value>, required = false)]
    examples: Vec<Box<RawValue>>,
    /// The treatment of events whose `data` breaks the schema: `off`, `warn` or `enforce`.
    #[schema(example = "enforce")]
    validation: &'static str,
    /// Who sees the entry: `public` or `hidden`.
    #[schema(example = "public")]
    visibility: &'static str,
    /// Present if receivers should stop using the type.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    deprecated: Option<DeprecationRecord>,
    /// Whether the type is not to be published any more.
    archived: bool,
    /// The number of the schema, from 1. Each change of the schema adds 1.
    #[schema(minimum = 1)]
    version: u32,
    /// When the entry was changed last.
    #[schema(format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    updated_at: String,
}

/// From when on receivers should stop using a type.
#[derive(Serialize, ToSchema)]
#[schema(as = Deprecation)]
pub(crate) struct DeprecationRecord {
    /// From when on.
    #[schema(format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    since: String,
    /// The type to use in its place. Absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "invoice.settled")]
    replacement: Option<String>,
}

/// An event type after a call that changes it.
#[derive(Serialize, ToSchema)]
#[schema(as = WrittenEventType)]
pub(crate) struct WrittenRecord {
    /// The event type.
    #[serde(rename = "eventType")]
    event_type: EventTypeRecord,
    /// Whether this call has changed it.
    changed: bool,
}

/// The changes of an import.
#[derive(Serialize, ToSchema)]
#[schema(as = ImportedEventTypes)]
pub(crate) struct ImportedRecord {
    /// The event types that the import has changed or would change.
    changes: Vec<EventTypeChange>,
}

/// An event type that an import changes.
#[derive(Serialize, ToSchema)]
#[schema(as = AppliedEventType)]
pub(crate) struct EventTypeChange {
    /// The type of the events.
    #[schema(example = "invoice.paid")]
    name: String,
    /// `created`, `changed` or `archived`.
    #[schema(example = "created")]
    change: &'static str,
}

impl ImportedRecord {
    /// The record of these changes.
    pub(crate) fn of(changes: Vec<ImportedEventType>) -> Self {
        let change =
            |one: ImportedEventType| EventTypeChange { name: one.name.to_string(), change: one.change.as_str() };
        Self { changes: changes.into_iter().map(change).collect() }
    }
}

/// Event types.
#[derive(Serialize, ToSchema)]
#[schema(as = EventTypeList)]
pub(crate) struct EventTypesRecord {
    /// The event types, sorted by name, without schemas and examples.
    #[serde(rename = "eventTypes")]
    event_types: Vec<EventTypeRecord>,
}

/// A place where `data` breaks the schema of its type.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = SchemaFault)]
pub(crate) struct SchemaFaultRecord {
    /// The place in `data`: a JSON Pointer (RFC 6901), without the names after its first 256 bytes.
    #[schema(example = "/total")]
    pointer: String,
    /// The keyword of the schema.
    #[schema(example = "type")]
    keyword: String,
    /// What `data` must follow. It never contains a value of `data`.
    message: String,
}

impl EventTypeRecord {
    /// Leaves out the schema and the examples.
    pub(crate) fn brief(entry: &EventTypeEntry) -> Self {
        let settings = &entry.settings;
        Self {
            name: entry.name.to_string(),
            title: settings.title.as_str().to_owned(),
            description: settings.description.as_str().to_owned(),
            schema: None,
            examples: Vec::new(),
            validation: settings.validation.as_str(),
            visibility: settings.visibility.as_str(),
            deprecated: settings.deprecated.as_ref().map(|deprecated| DeprecationRecord {
                since: deprecated.since.to_string(),
                replacement: deprecated.replacement.as_ref().map(ToString::to_string),
            }),
            archived: entry.archived,
            version: entry.version,
            updated_at: entry.updated_at.to_string(),
        }
    }

    /// Includes the schema and the examples.
    ///
    /// # Errors
    ///
    /// When one of them is not JSON.
    pub(crate) fn of(entry: &EventTypeEntry) -> Result<Self, serde_json::Error> {
        let raw = |json: &JsonText| RawValue::from_string(json.as_str().to_owned());
        Ok(Self {
            schema: entry.settings.schema.as_ref().map(raw).transpose()?,
            examples: entry.settings.examples.iter().map(raw).collect::<Result<_, _>>()?,
            ..Self::brief(entry)
        })
    }
}

impl WrittenRecord {
    pub(crate) fn of(written: &Written) -> Result<Self, serde_json::Error> {
        Ok(Self { event_type: EventTypeRecord::of(&written.entry)?, changed: written.changed })
    }
}

impl EventTypesRecord {
    pub(crate) fn of<'a>(entries: impl Iterator<Item = &'a EventTypeEntry>) -> Self {
        Self { event_types: entries.map(EventTypeRecord::brief).collect() }
    }
}

impl SchemaFaultRecord {
    pub(crate) fn of(fault: &SchemaFault) -> Self {
        let SchemaFault { pointer, keyword, message } = fault.clone();
        Self { pointer, keyword, message }
    }
}
