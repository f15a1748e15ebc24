//! The purge of old events.

use std::sync::Arc;

use domain::audit::AuditEvent;
use domain::ports::Retained;

use super::AuditedStores;
use super::sample::{all, event_of, expect_events, record_all, second};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

/// Events before the instant are deleted, of any owner. An event exactly then stays.
pub async fn events_before_an_instant_are_deleted(stores: Arc<AuditedStores>) {
    let old = [event_of(&user("alice"), at(999)), event_of(&user("bob"), at(-5_000_000))];
    let kept = vec![event_of(&user("alice"), at(1_000)), event_of(&user("bob"), at(1_001))];
    record_all(&*stores.audit, &old).await;
    record_all(&*stores.audit, &kept).await;
    assert_eq!(purge(&stores, 1_000, 100).await, 2, "two events are older");
    expect_events(&*stores.audit, kept, "an event at the instant, and later ones, must stay").await;
    assert_eq!(purge(&stores, 1_000, 100).await, 0, "nothing is left to delete");
}

/// A purge deletes at most `max` events.
pub async fn at_most_max_events_are_deleted(stores: Arc<AuditedStores>) {
    let events: Vec<AuditEvent> = (0..7).map(|number| event_of(&user("alice"), at(number))).collect();
    record_all(&*stores.audit, &events).await;
    for (deleted, left) in [(3, 4), (3, 1), (1, 0), (0, 0)] {
        assert_eq!(purge(&stores, 100, 3).await, deleted, "at most three events may be deleted");
        assert_eq!(all(&*stores.audit).await.len(), left, "the others must stay");
    }
}

/// Parallel purges together count each event once.
pub async fn parallel_purges_count_each_event_once(stores: Arc<AuditedStores>) {
    let events: Vec<AuditEvent> = (0..40).map(|_| event_of(&user("alice"), second(1))).collect();
    record_all(&*stores.audit, &events).await;
    let calls = (0..8).map(|_| -> Call<u32> {
        let stores = Arc::clone(&stores);
        Box::pin(async move { purge(&stores, 2_000, 40).await })
    });
    let counted: u32 = all_at_once(calls.collect()).await.into_iter().sum();
    assert_eq!((counted, all(&*stores.audit).await.len()), (40, 0), "each deleted event must be counted once");
}

async fn purge(stores: &AuditedStores, before_millis: i64, max: u32) -> u32 {
    stores.audit.purge(Retained::AuditEvents, at(before_millis), max).await.expect("a purge must succeed")
}
