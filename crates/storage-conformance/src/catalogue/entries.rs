//! What comes back of the entries.

use std::sync::Arc;

use domain::catalogue::EventTypeEntry;

use super::CatalogueStore;
use super::sample::{entry, find, last_revision, list, plain, put};

/// Everything is as it was written, the JSON byte for byte.
pub async fn every_field_of_an_entry_comes_back(store: Arc<CatalogueStore>) {
    assert_eq!((list(&store).await, last_revision(&store).await), (vec![], 0), "a fresh catalogue is empty");
    for after in [plain("a"), entry("invoice.paid")] {
        let stored = put(&store, None, after.clone()).await;
        assert_eq!(EventTypeEntry { revision: 0, ..stored.clone() }, after, "the answer has every field");
        assert_eq!(find(&store, after.name.as_str()).await, Some(stored), "a look-up has every field");
    }
    let full = find(&store, "invoice.paid").await;
    let emptied = put(&store, full, plain("invoice.paid")).await;
    assert_eq!(find(&store, "invoice.paid").await, Some(emptied), "a change replaces every field");
    assert_eq!(find(&store, "invoice").await, None);
}

/// `A` and `a` are two types.
pub async fn names_are_told_apart_by_case(store: Arc<CatalogueStore>) {
    let (upper, lower) = (put(&store, None, plain("Invoice")).await, put(&store, None, entry("invoice")).await);
    assert_eq!(find(&store, "Invoice").await, Some(upper));
    assert_eq!(find(&store, "invoice").await, Some(lower));
}

/// By the bytes of the names, whatever the collation of a database.
pub async fn entries_are_sorted_by_name(store: Arc<CatalogueStore>) {
    let sorted = ["A-b", "Ab", "a", "a-c", "a.b", "a/b", "ab", "b"];
    for name in ["b", "a/b", "Ab", "a", "ab", "A-b", "a.b", "a-c"] {
        put(&store, None, plain(name)).await;
    }
    let listed: Vec<String> = list(&store).await.into_iter().map(|entry| entry.name.to_string()).collect();
    assert_eq!(listed, sorted);
}
