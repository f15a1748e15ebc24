//! The specimen of `docs/writing-an-adapter.md`: one type that implements every storage port. A method that writes
//! records its call first, and then does in memory what the call says.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use async_trait::async_trait;
use domain::audit::{AuditEvent, AuditFilter};
use domain::ports::{
    AttemptCursor, AuditLog, AuditPage, AuditWatcher, ChangeFeed, Close, DeliveryLog, DeliveryPage, EventPage,
    FailingPlace, FailingSubscription, FeedPosition, FeedRead, LoggedAttempt, LoggedEvent, NotReady, OperatorLog,
    QueueFigures, ReadinessCheck, RetryRequest, Schema, StoreError, StoreFigures,
};
use domain::webhooks::{DeliveryFilter, DeliveryHistory, EventFilter, FailedDelivery, OutcomeCounts};
use domain::{AuditId, DeliveryId, EventId, Hour, HourRange, SubscriptionId, Timestamp, UserId};
use tokio::sync::{Mutex, MutexGuard};

use crate::call::{Call, Memory};
use crate::journal::Journal;

pub(crate) type Answer<T> = Result<T, StoreError>;

/// API keys, sessions and webhooks in memory, and every change of them in a file.
///
/// An adapter mints no id and reads no clock, so the outcome of a call depends on nothing but its arguments and the
/// calls before it. Replaying the file therefore leads to the same store again.
pub struct JournalStore {
    pub(crate) memory: Memory,
    journal: Mutex<Journal>,
}

impl JournalStore {
    /// Opens the file and replays what is in it.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, or is damaged elsewhere than at its end.
    pub async fn open(path: &Path) -> io::Result<Self> {
        let (journal, calls) = Journal::open(path)?;
        let memory = Memory::default();
        for call in calls {
            call.replay(&memory).await;
        }
        Ok(Self { memory, journal: Mutex::new(journal) })
    }

    /// Makes the call durable. The caller keeps the guard until memory has changed too, so that memory sees the calls
    /// in the order of the journal. It does not wait in between: a dropped future leaves all of the call or nothing.
    pub(crate) async fn record(&self, call: Call) -> Answer<MutexGuard<'_, Journal>> {
        let mut journal = self.journal.lock().await;
        // Blocks its thread while the disk works. A real adapter does that on a separate thread.
        journal.append(&call).map_err(|error| StoreError::Unavailable(error.into()))?;
        Ok(journal)
    }
}

#[async_trait]
impl ChangeFeed for JournalStore {
    async fn changes_since(&self, since: Option<&FeedPosition>, max: u32) -> Answer<FeedRead> {
        let read = self.memory.changes.changes_since(since, max).await?;
        Ok(FeedRead { at: machine_time(), ..read })
    }

    async fn forget_changes(&self, before: &FeedPosition) -> Answer<()> {
        self.memory.changes.forget_changes(before).await
    }
}

/// The clock of a database is the clock of its server, which here is this machine. It is never stored.
fn machine_time() -> Timestamp {
    let millis = UNIX_EPOCH.elapsed().map_or(0, |since_1970| since_1970.as_millis());
    i64::try_from(millis).ok().and_then(Timestamp::from_unix_millis).unwrap_or(Timestamp::MIN)
}

#[async_trait]
impl DeliveryLog for JournalStore {
    async fn list(
        &self,
        owner: &UserId,
        filter: &DeliveryFilter,
        before: Option<DeliveryId>,
        max: u32,
    ) -> Answer<DeliveryPage> {
        DeliveryLog::list(&self.memory.webhooks, owner, filter, before, max).await
    }

    async fn find(&self, owner: &UserId, id: DeliveryId) -> Answer<Option<DeliveryHistory>> {
        DeliveryLog::find(&self.memory.webhooks, owner, id).await
    }

    async fn failed(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        published_since: Timestamp,
        max: u32,
    ) -> Answer<Vec<FailedDelivery>> {
        self.memory.webhooks.failed(owner, subscription, published_since, max).await
    }

    async fn count_recoverable(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
    ) -> Answer<Option<u32>> {
        self.memory.webhooks.count_recoverable(owner, subscription, request, max).await
    }

    async fn attempts_after(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        after: AttemptCursor,
        max: u32,
    ) -> Answer<Vec<LoggedAttempt>> {
        self.memory.webhooks.attempts_after(owner, subscription, after, max).await
    }

    async fn outcomes(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        hours: HourRange,
    ) -> Answer<Option<BTreeMap<Hour, OutcomeCounts>>> {
        self.memory.webhooks.outcomes(owner, subscription, hours).await
    }
}

#[async_trait]
impl OperatorLog for JournalStore {
    async fn failing(&self, after: Option<FailingPlace>, max: u32) -> Answer<Vec<FailingSubscription>> {
        self.memory.webhooks.failing(after, max).await
    }

    async fn list_events(&self, filter: &EventFilter, before: Option<EventId>, max: u32) -> Answer<EventPage> {
        self.memory.webhooks.list_events(filter, before, max).await
    }

    async fn find_event(&self, id: EventId) -> Answer<Option<LoggedEvent>> {
        self.memory.webhooks.find_event(id).await
    }
}

#[async_trait]
impl AuditLog for JournalStore {
    async fn record(&self, event: &AuditEvent) -> Answer<()> {
        let _journal = self.record(Call::RecordAuditEvent { event: event.clone() }).await?;
        self.memory.audit.record(event).await
    }

    async fn list(&self, filter: &AuditFilter, before: Option<AuditId>, max: u32) -> Answer<AuditPage> {
        self.memory.audit.list(filter, before, max).await
    }

    async fn record_new(&self, events: &[AuditEvent]) -> Answer<u32> {
        let _journal = self.record(Call::RecordNewEvents { events: events.to_vec() }).await?;
        self.memory.audit.record_new(events).await
    }

    async fn list_unannounced(&self, max: u32) -> Answer<Vec<AuditEvent>> {
        self.memory.audit.list_unannounced(max).await
    }

    async fn mark_announced(&self, events: &[AuditEvent]) -> Answer<()> {
        let _journal = self.record(Call::MarkAnnounced { events: events.to_vec() }).await?;
        self.memory.audit.mark_announced(events).await
    }

    async fn purge(&self, before: Timestamp, max: u32) -> Answer<u32> {
        let _journal = self.record(Call::PurgeAudit { before, max }).await?;
        self.memory.audit.purge(before, max).await
    }

    fn watch(&self, watcher: Arc<dyn AuditWatcher>) {
        self.memory.audit.watch(watcher);
    }
}

#[async_trait]
impl StoreFigures for JournalStore {
    async fn queue_figures(&self, at: Timestamp, max: u32) -> Answer<QueueFigures> {
        self.memory.webhooks.queue_figures(at, max).await
    }
}

#[async_trait]
impl ReadinessCheck for JournalStore {
    fn name(&self) -> &'static str {
        "database"
    }

    async fn check(&self) -> Result<(), NotReady> {
        if self.journal.lock().await.is_broken() {
            return Err(NotReady { summary: "the journal does not take writes", source: None });
        }
        Ok(())
    }
}

/// There is no schema.
impl Schema for JournalStore {}

/// The file closes with the store.
impl Close for JournalStore {}
