//! Sample entries, and calls of the store.

use domain::catalogue::{
    Deprecation, EntryDescription, EntryTitle, EventTypeEntry, EventTypeSettings, JsonText, PayloadValidation,
    Visibility,
};
use domain::memory::unique_cause;
use domain::ports::{EntryPut, PutEntryRequest};
use domain::webhooks::EventType;

use super::CatalogueStore;
use crate::sample::at;

/// A maximum that is never reached.
pub(crate) const NO_MAXIMUM: u32 = 1_000;

pub(crate) fn name(text: &str) -> EventType {
    EventType::parse(text).expect("the sample's name is valid")
}

/// An entry with every field. Its JSON has digits and spaces that a parser would drop.
pub(crate) fn entry(text: &str) -> EventTypeEntry {
    let json = |text| JsonText::of_schema(text).expect("the sample is small");
    let settings = EventTypeSettings {
        title: EntryTitle::parse("Paid – \"é\"").expect("a valid title"),
        description: EntryDescription::parse("# Paid\n\n* `a < b`\ttab").expect("a valid description"),
        schema: Some(json("{\"b\": 1.00,\n \"a\":\t1e2, \"\\u0041\": \"😀\"}")),
        examples: vec![json("1.00"), json("{ \"a\": \"],[\" }"), json("null")],
        validation: PayloadValidation::Warn,
        visibility: Visibility::Hidden,
        deprecated: Some(Deprecation { since: at(7), replacement: Some(name("invoice.settled")) }),
    };
    EventTypeEntry { name: name(text), settings, archived: true, version: 3, updated_at: at(1), revision: 0 }
}

/// An entry with nothing but a name.
pub(crate) fn plain(text: &str) -> EventTypeEntry {
    let settings = EventTypeSettings::default();
    EventTypeEntry { name: name(text), settings, archived: false, version: 1, updated_at: at(0), revision: 0 }
}

pub(crate) fn request(before: Option<EventTypeEntry>, after: EventTypeEntry, max: u32) -> PutEntryRequest {
    PutEntryRequest { before, after, max, cause: unique_cause() }
}

/// Stores an entry, which must succeed.
pub(crate) async fn put(
    store: &CatalogueStore,
    before: Option<EventTypeEntry>,
    after: EventTypeEntry,
) -> EventTypeEntry {
    match store.types.put(&request(before, after, NO_MAXIMUM)).await.expect("a change must succeed") {
        EntryPut::Stored(entry) => *entry,
        refusal => panic!("the entry must be stored: {refusal:?}"),
    }
}

pub(crate) async fn find(store: &CatalogueStore, text: &str) -> Option<EventTypeEntry> {
    store.types.find(&name(text)).await.expect("a look-up must succeed")
}

pub(crate) async fn list(store: &CatalogueStore) -> Vec<EventTypeEntry> {
    store.types.list().await.expect("a list must succeed")
}

pub(crate) async fn last_revision(store: &CatalogueStore) -> u64 {
    store.types.last_revision().await.expect("a read must succeed")
}
