use std::sync::Arc;

use async_trait::async_trait;

use super::StoreError;
use crate::audit::Cause;
use crate::catalogue::EventTypeEntry;
use crate::webhooks::EventType;

/// The most types that a catalogue has, archived ones included.
pub const EVENT_TYPES_MAX: u32 = 1_000;
/// The most faults of one payload that are reported.
pub const SCHEMA_FAULTS_MAX: usize = 10;

/// Stores the catalogue of event types. A store that is composed of several has it in one of them.
#[async_trait]
pub trait EventTypes: Send + Sync {
    /// All entries, sorted by the bytes of their names.
    async fn list(&self) -> Result<Vec<EventTypeEntry>, StoreError>;

    /// The entry of this type.
    async fn find(&self, name: &EventType) -> Result<Option<EventTypeEntry>, StoreError>;

    /// Stores an entry and the audit event of the change, if the stored entry is still the one that was read before. Of
    /// several calls with the same [`PutEntryRequest::before`], one succeeds.
    async fn put(&self, request: &PutEntryRequest) -> Result<EntryPut, StoreError>;

    /// The largest [`EventTypeEntry::revision`]; 0 if the catalogue is empty. It has risen after each change.
    async fn last_revision(&self) -> Result<u64, StoreError>;
}

/// Asks for [`EventTypes::put`].
#[derive(Clone, Debug)]
pub struct PutEntryRequest {
    /// The entry that the caller has read; `None` if there was none.
    pub before: Option<EventTypeEntry>,
    /// The entry to store. Its revision does not count.
    pub after: EventTypeEntry,
    /// The most entries that there may be.
    pub max: u32,
    /// The author of the change, for the audit log.
    pub cause: Cause,
}

/// The answer of [`EventTypes::put`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryPut {
    /// The entry is stored. Its revision is larger than every revision before.
    Stored(Box<EventTypeEntry>),
    /// The stored entry is another one than [`PutEntryRequest::before`]. Nothing has changed.
    Overtaken,
    /// The entry is new, and there are as many as there may be. Nothing has changed.
    Full,
}

impl PutEntryRequest {
    /// Decides whether the entry is stored: `stored` is the revision of the stored entry of this name, `count` the number of
    /// entries, and `last` the largest revision. Stores call it in the transaction of the change.
    ///
    /// # Errors
    ///
    /// The refusal.
    pub fn admit(&self, stored: Option<u64>, count: u64, last: u64) -> Result<EventTypeEntry, EntryPut> {
        if stored != self.before.as_ref().map(|before| before.revision) {
            return Err(EntryPut::Overtaken);
        }
        if stored.is_none() && count >= self.max.into() {
            return Err(EntryPut::Full);
        }
        Ok(EventTypeEntry { revision: last + 1, ..self.after.clone() })
    }
}

/// Compiles the schemas of payloads.
#[async_trait]
pub trait PayloadSchemas: Send + Sync {
    /// Compiles a schema: JSON Schema 2020-12 with references within the document only. Never blocks a thread that serves
    /// calls.
    ///
    /// # Errors
    ///
    /// If the text is not such a schema, or would need too much work.
    async fn compile(&self, schema: &str) -> Result<Arc<dyn PayloadSchema>, InvalidPayloadSchema>;

    /// The first change from one schema to the next that breaks what was good before; `None` if the rule finds none. Both
    /// are schemas that compile.
    fn first_break(&self, before: &str, after: &str) -> Option<SchemaBreak>;

    /// Whether two JSON texts are the same value: spaces and the order of members do not count.
    fn are_same(&self, one: &str, other: &str) -> bool;
}

/// A compiled schema.
pub trait PayloadSchema: Send + Sync {
    /// The faults of a JSON text, at most [`SCHEMA_FAULTS_MAX`]; none if it follows the schema. No fault contains a value
    /// of the text.
    fn faults(&self, json: &str) -> Vec<SchemaFault>;
}

/// A place where a payload breaks its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaFault {
    /// The place in `data`: a JSON Pointer (RFC 6901), cut after 256 bytes.
    pub pointer: String,
    /// The keyword of the schema.
    pub keyword: String,
    /// The keyword with its value in the schema, which is what `data` must follow.
    pub message: String,
}

/// The text is not a schema that the catalogue takes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidPayloadSchema(pub String);

/// A change of a schema that breaks what was good before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}: {change}")]
pub struct SchemaBreak {
    /// The place in the new schema, or in the old one if the new one lacks it: a JSON Pointer that begins with `#`.
    pub pointer: String,
    /// The change.
    pub change: String,
}
