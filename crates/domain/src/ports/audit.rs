use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;

use super::store_error::StoreError;
use crate::AuditId;
use crate::audit::{AuditEvent, AuditFilter};

/// One page of the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditPage {
    /// The events, newest first.
    pub events: Vec<AuditEvent>,
    /// Where the next page begins; `None` if this is the last page. A page may be short or even empty without being the
    /// last: a search for rare events stops after [`AUDIT_SEARCHED_MAX`] of them.
    pub next: Option<AuditId>,
}

/// How many events one call of [`AuditLog::list`] looks at, about.
pub const AUDIT_SEARCHED_MAX: u32 = 10_000;

/// The reader of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditReader {
    /// The user to whom the target belongs. The user must not see the addresses of operators.
    Owner,
    /// An operator.
    Operator,
}

/// Describes events of the audit log to the receivers of webhooks.
pub trait AuditDescriber: Send + Sync {
    /// The event in JSON, as this reader may see it: one value, always the same for the same event.
    fn describe(&self, event: &AuditEvent, reader: AuditReader) -> String;
}

/// Sees the events that a store writes, for instance to count or to copy them.
pub trait AuditWatcher: Send + Sync {
    /// One call has written these events, and they are committed. The store waits for the answer: a watcher must do
    /// long work elsewhere.
    fn written(&self, events: &[AuditEvent]);
}

/// The watchers of a store. Each store keeps one of these.
#[derive(Default)]
pub struct AuditWatchers(RwLock<Vec<Arc<dyn AuditWatcher>>>);

impl AuditWatchers {
    /// Adds a watcher.
    pub fn add(&self, watcher: Arc<dyn AuditWatcher>) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(watcher);
    }

    /// Shows the events of one call to every watcher, if there are any.
    pub fn show(&self, events: &[AuditEvent]) {
        if !events.is_empty() {
            self.0.read().unwrap_or_else(PoisonError::into_inner).iter().for_each(|watcher| watcher.written(events));
        }
    }
}

impl fmt::Debug for AuditWatchers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AuditWatchers")
    }
}

/// Shows the changes, with their actors.
///
/// The methods of the other ports that take a [`Cause`](crate::audit::Cause) write the events. **A change and its
/// events are one**: both are stored in one transaction, or neither. A call that is refused, finds no object, or has no
/// effect writes no event. An event has every field unchanged, as the functions of `Cause` make it. A call that changes
/// several objects writes one event for each.
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// At most `max` events with ids below `before` that pass the filter ([`AuditFilter::matches`]), newest first.
    async fn list(&self, filter: &AuditFilter, before: Option<AuditId>, max: u32) -> Result<AuditPage, StoreError>;

    /// Stores the events with ids that are not stored yet, and returns their number. Parallel calls together store each
    /// event once. For events without a change of the store, such as an operator's look at a user's data, and for
    /// events that the service derives, and may derive again.
    async fn record_new(&self, events: &[AuditEvent]) -> Result<u32, StoreError>;

    /// At most `max` events that are to be announced ([`AuditEvent::is_announced`]), and that no call of
    /// [`AuditLog::mark_announced`] has named. In any order; fewer than `max` are all of them. Every event counts,
    /// whenever its transaction was committed. See decision 89.
    async fn list_unannounced(&self, max: u32) -> Result<Vec<AuditEvent>, StoreError>;

    /// Marks these events as announced, by their ids. Events that are not stored are skipped. No other field of the
    /// events changes. After an error, some of them may be marked.
    async fn mark_announced(&self, events: &[AuditEvent]) -> Result<(), StoreError>;

    /// From now on the watcher sees each event that this process writes to the store, once, as it is stored. A call
    /// that succeeds has shown its events, after their commit; a call that fails or is refused shows none. The
    /// committed events of a dropped call are shown soon.
    fn watch(&self, watcher: Arc<dyn AuditWatcher>);
}
