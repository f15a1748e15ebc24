//! Causes with unique ids, events, and calls of the log.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use domain::audit::{AuditAction, AuditEvent, AuditFilter, AuditTarget, Cause, Means, Origin, RequestId};
use domain::memory::SeededEntropy;
use domain::ports::AuditLog;
use domain::{AuditId, KeyId, OwnerId, Timestamp};

use super::suite::AuditedStores;
use crate::sample::{at, user};

/// How soon a watcher sees the events of a dropped call.
const SEEN_WITHIN: Duration = Duration::from_secs(4);
const SEEN_INTERVAL: Duration = Duration::from_millis(5);
/// The most pages that a list may have.
const PAGES_MAX: usize = 1_000;

/// A cause of this user, with a unique id.
pub(crate) fn cause_of(actor: &OwnerId, at: Timestamp) -> Cause {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let entropy = SeededEntropy::new((NEXT.fetch_add(1, Ordering::Relaxed) << 32) + 2);
    let mut origin = Origin::of_user(actor, Means::IdToken);
    origin.request = RequestId::new("0af7651916cd43dd8448eb211c80319c");
    origin.address = Some([198, 51, 100, 7].into());
    Cause::new(&origin, at, &entropy)
}

/// A cause of alice.
pub(crate) fn cause(at: Timestamp) -> Cause {
    cause_of(&user("alice"), at)
}

/// An event of this owner, who is also the actor.
pub(crate) fn event_of(owner: &OwnerId, at: Timestamp) -> AuditEvent {
    let Cause { id, origin } = cause_of(owner, at);
    let target = AuditTarget::Key(KeyId::from_bytes(*id.as_bytes()));
    AuditEvent { id, origin, action: AuditAction::KeyRevoked, target, owner: owner.clone(), changes: Vec::new() }
}

/// Records these events.
pub(crate) async fn record_all(log: &dyn AuditLog, events: &[AuditEvent]) {
    let recorded = log.record_new(events).await.expect("new events must be recorded");
    assert_eq!(recorded as usize, events.len(), "each event must be new");
}

/// All events that pass the filter, page by page to the end.
pub(crate) async fn listed(log: &dyn AuditLog, filter: &AuditFilter, page_max: u32) -> Vec<AuditEvent> {
    let (mut found, mut before): (Vec<AuditEvent>, Option<AuditId>) = (Vec::new(), None);
    for _ in 0..PAGES_MAX {
        let page = log.list(filter, before, page_max).await.expect("a list of events must succeed");
        assert!(page.events.len() <= page_max as usize, "a page must have at most {page_max} events");
        found.extend(page.events);
        before = page.next;
        if before.is_none() {
            return found;
        }
    }
    panic!("a list must come to its end, got {} events in {PAGES_MAX} pages", found.len());
}

/// All events, newest first.
pub(crate) async fn all(log: &dyn AuditLog) -> Vec<AuditEvent> {
    listed(log, &AuditFilter::default(), 100).await
}

/// The events of this owner.
pub(crate) async fn all_of(log: &dyn AuditLog, owner: &OwnerId) -> Vec<AuditEvent> {
    listed(log, &AuditFilter { owner: Some(owner.clone()), ..AuditFilter::default() }, 100).await
}

/// Panics unless the log has exactly these events.
pub(crate) async fn expect_events(log: &dyn AuditLog, mut expected: Vec<AuditEvent>, why: &str) {
    expected.sort_by_key(|event| std::cmp::Reverse(event.id));
    let found = all(log).await;
    assert_eq!(found, expected, "{why}");
}

/// Panics unless the watcher has seen every written event: for a log without a purge.
pub(crate) async fn expect_seen(stores: &AuditedStores) {
    let mut written = all(&*stores.audit).await;
    written.reverse();
    let seen = stores.seen.sorted();
    assert_eq!(seen, written, "a watcher must see the events that are written, each once, and no others");
}

/// The same, within a time: a store may first look which events of a dropped call are stored.
pub(crate) async fn expect_seen_soon(stores: &AuditedStores) {
    let written = all(&*stores.audit).await.len();
    let seen = async {
        while stores.seen.sorted().len() < written {
            tokio::time::sleep(SEEN_INTERVAL).await;
        }
    };
    drop(tokio::time::timeout(SEEN_WITHIN, seen).await);
    expect_seen(stores).await;
}

/// Panics unless the log has no event after the first `known` ones.
pub(crate) async fn expect_no_more(stores: &AuditedStores, known: usize, what: &str) {
    let found = all(&*stores.audit).await;
    assert_eq!(found.len(), known, "{what} must leave no event, got {found:#?}");
    expect_seen(stores).await;
}

/// The instant this many seconds after the start of the samples.
pub(crate) fn second(seconds: i64) -> Timestamp {
    at(seconds * 1_000)
}
