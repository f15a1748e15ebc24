use std::cell::OnceCell;

use super::json_document::JsonDocument;
use super::payload_filter::PayloadFilter;
use crate::webhooks::Payload;

/// A payload that is read when the first filter needs it, and only then.
pub struct FilteredPayload<'a> {
    payload: &'a Payload,
    /// `None` if the payload is not JSON, which no publication lets through.
    document: OnceCell<Option<JsonDocument<'a>>>,
}

impl<'a> FilteredPayload<'a> {
    /// The payload, which is not read yet.
    pub const fn new(payload: &'a Payload) -> Self {
        Self { payload, document: OnceCell::new() }
    }

    /// Whether the payload passes. Without a filter, each does.
    pub fn passes(&self, filter: Option<&PayloadFilter>) -> bool {
        filter.is_none_or(|filter| self.document().is_some_and(|document| filter.passes(document)))
    }

    fn document(&self) -> Option<&JsonDocument<'a>> {
        let read = || JsonDocument::parse(str::from_utf8(self.payload.bytes()).ok()?).ok();
        self.document.get_or_init(read).as_ref()
    }
}
