//! Changes of the entries.

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::audit::{AuditAction, AuditFilter};
use domain::catalogue::EventTypeEntry;
use domain::ports::EntryPut;

use super::CatalogueStore;
use super::sample::{NO_MAXIMUM, entry, find, last_revision, list, name, plain, put, request};
use crate::racing::{Call, all_at_once};

/// Calls at the same time.
const CALLS: u32 = 8;

/// A caller who has read something else changes nothing.
pub async fn a_change_needs_the_entry_that_was_read(store: Arc<CatalogueStore>) {
    let first = put(&store, None, plain("a")).await;
    let second = put(&store, Some(first.clone()), entry("a")).await;
    let never = EventTypeEntry { revision: 99, ..plain("b") };
    for (before, after) in
        [(None, plain("a")), (Some(first), plain("a")), (Some(never), plain("b")), (None, entry("a"))]
    {
        let refused = store.types.put(&request(before, after, NO_MAXIMUM)).await.expect("a refusal is a value");
        assert_eq!(refused, EntryPut::Overtaken);
    }
    assert_eq!(list(&store).await, [second], "a refused change changes nothing");
}

/// Each caller reads, counts one up, and tries again until nobody was faster.
pub async fn parallel_changes_of_an_entry_lose_none(store: Arc<CatalogueStore>) {
    put(&store, None, EventTypeEntry { version: 0, ..plain("a") }).await;
    let count_up = |_| -> Call<()> {
        let store = Arc::clone(&store);
        Box::pin(async move {
            loop {
                let before = find(&store, "a").await.expect("the entry stays");
                let after = EventTypeEntry { version: before.version + 1, ..before.clone() };
                let put = store.types.put(&request(Some(before), after, NO_MAXIMUM)).await;
                match put.expect("a change must succeed, or be overtaken") {
                    EntryPut::Stored(_) => return,
                    EntryPut::Overtaken => {}
                    EntryPut::Full => panic!("no entry is new"),
                }
            }
        })
    };
    all_at_once((0..CALLS).map(count_up).collect()).await;
    assert_eq!(find(&store, "a").await.map(|entry| entry.version), Some(CALLS), "no change may be lost");
}

/// Over all entries, also in parallel.
pub async fn each_change_has_the_next_revision(store: Arc<CatalogueStore>) {
    let one = put(&store, None, plain("one")).await;
    let two = put(&store, None, plain("two")).await;
    let again = put(&store, Some(one.clone()), entry("one")).await;
    assert!(one.revision > 0 && two.revision > one.revision && again.revision > two.revision, "revisions rise");
    assert_eq!(last_revision(&store).await, again.revision);
    let create = |number| -> Call<u64> {
        let store = Arc::clone(&store);
        Box::pin(async move { put(&store, None, plain(&format!("n{number}"))).await.revision })
    };
    let revisions: BTreeSet<u64> = all_at_once((0..CALLS).map(create).collect()).await.into_iter().collect();
    assert_eq!(revisions.len(), CALLS as usize, "no revision is given twice");
    assert!(revisions.iter().all(|revision| *revision > again.revision), "revisions rise");
    assert_eq!(Some(&last_revision(&store).await), revisions.last());
}

/// New entries up to the maximum, in parallel; changes of old ones beyond it.
pub async fn the_maximum_of_entries_is_exact(store: Arc<CatalogueStore>) {
    let max = CALLS / 2;
    let create = |number| -> Call<bool> {
        let store = Arc::clone(&store);
        Box::pin(async move {
            let put = store.types.put(&request(None, plain(&format!("n{number}")), max)).await;
            match put.expect("a refusal is a value") {
                EntryPut::Stored(_) => true,
                EntryPut::Full => false,
                EntryPut::Overtaken => panic!("no entry was there before"),
            }
        })
    };
    let stored = all_at_once((0..CALLS).map(create).collect()).await.into_iter().filter(|stored| *stored).count();
    assert_eq!((stored, list(&store).await.len()), (max as usize, max as usize));
    let old = list(&store).await.remove(0);
    let changed = request(Some(old.clone()), entry(old.name.as_str()), max);
    let changed = store.types.put(&changed).await.expect("a change must succeed");
    assert!(matches!(changed, EntryPut::Stored(_)), "what is there may change: {changed:?}");
}

/// The log has what was changed, and nothing of a refusal.
pub async fn a_change_of_the_catalogue_and_its_audit_event_are_one(store: Arc<CatalogueStore>) {
    let created = request(None, plain("a"), NO_MAXIMUM);
    let first = store.types.put(&created).await.expect("a change must succeed");
    assert!(matches!(first, EntryPut::Stored(_)));
    for (before, max) in [(None, NO_MAXIMUM), (Some(plain("a")), NO_MAXIMUM)] {
        let refused = store.types.put(&request(before, entry("a"), max)).await.expect("a refusal is a value");
        assert_eq!(refused, EntryPut::Overtaken);
    }
    let full = store.types.put(&request(None, plain("b"), 1)).await.expect("a refusal is a value");
    assert_eq!(full, EntryPut::Full);
    let filter = AuditFilter { action: Some(AuditAction::EventTypeChanged), ..AuditFilter::default() };
    let logged = store.audit.list(&filter, None, 10).await.expect("a list must succeed").events;
    let EntryPut::Stored(entry) = first else { return };
    assert_eq!(entry.name, name("a"));
    assert_eq!(logged, [created.cause.event_type_changed(None, &entry)], "one event for one change");
}
