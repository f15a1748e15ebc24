use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use domain::audit::{AuditAction, AuditEvent, AuditFilter, AuditTarget};
use domain::memory::{MemoryAuditLog, unique_cause};
use domain::ports::{AuditLog, AuditPage, AuditWatcher, AuditWatchers, Retained, Retention, StoreError};
use domain::{AuditId, OwnerId, Timestamp};

use super::fault::Fault;

/// The time between two steps of a store that asks a database.
const STATEMENT_DURATION: Duration = Duration::from_millis(1);
/// More events than a test writes.
const ALL: u32 = 1_000;

/// A correct log, except for one fault.
pub(crate) struct FaultyLog {
    fault: Fault,
    log: MemoryAuditLog,
    /// The watchers that see events in another step.
    later: Arc<AuditWatchers>,
    /// The time of the newest event that was listed as unannounced, in milliseconds.
    newest: AtomicI64,
}

impl FaultyLog {
    pub(crate) fn new(fault: Fault, log: MemoryAuditLog, later: Arc<AuditWatchers>) -> Self {
        Self { fault, log, later, newest: AtomicI64::new(i64::MIN) }
    }

    async fn all(&self) -> Vec<AuditEvent> {
        self.log.list(&AuditFilter::default(), None, ALL).await.expect("memory does not fail").events
    }

    fn is_forgotten(&self, event: &AuditEvent) -> bool {
        let forgotten = match self.fault {
            Fault::ForgetsTheLimit => Some(AuditAction::KeyLimitReached),
            Fault::ForgetsExpiring => Some(AuditAction::KeyExpiring),
            Fault::ForgetsTurns => Some(AuditAction::SubscriptionFailing),
            _ => None,
        };
        let is_hidden = self.fault == Fault::HidesLaterEvents && matches!(event.action, AuditAction::Later(_));
        is_hidden
            || forgotten == Some(event.action)
            || matches!(
                (self.fault, event.target),
                (Fault::ForgetsTheEventsOfKeys, AuditTarget::Key(_) | AuditTarget::Keys)
                    | (Fault::ForgetsTheEventsOfSessions, AuditTarget::Session(_))
                    | (Fault::ForgetsTheEventsOfSubscriptions, AuditTarget::Subscription(_))
                    | (Fault::ForgetsTheEventsOfDeliveries, AuditTarget::Delivery(_))
            )
    }

    fn shown(&self, mut event: AuditEvent) -> AuditEvent {
        match self.fault {
            Fault::LosesAddresses => event.origin.address = None,
            Fault::LosesChanges => event.changes.clear(),
            _ => {}
        }
        event
    }

    fn passes(&self, filter: &AuditFilter, event: &AuditEvent) -> bool {
        let mut filter = filter.clone();
        match self.fault {
            Fault::ShowsOtherUsersEvents => filter.owner = None,
            Fault::IgnoresTargets => filter.target = None,
            Fault::ShowsEventsAtTheEnd => {
                filter.until = filter.until.map(|until| until.plus(Duration::from_millis(1)));
            }
            Fault::IgnoresCase => {
                let lower = |user: &OwnerId| user.subject().to_lowercase();
                if filter.owner.as_ref().is_some_and(|owner| lower(owner) == lower(&event.owner)) {
                    filter.owner = None;
                }
            }
            _ => {}
        }
        filter.matches(event)
    }
}

fn last_millis(events: &[AuditEvent]) -> i64 {
    events.iter().map(|event| event.at().unix_millis()).max().unwrap_or(i64::MIN)
}

#[async_trait]
impl AuditLog for FaultyLog {
    async fn list(&self, filter: &AuditFilter, before: Option<AuditId>, max: u32) -> Result<AuditPage, StoreError> {
        let mut events = self.all().await;
        if self.fault == Fault::InventsEvents {
            let owner = OwnerId::new("https://id.example", "alice").expect("a valid user");
            events.push(unique_cause().data_read(&owner, AuditTarget::Keys));
        }
        events.retain(|event| !self.is_forgotten(event) && self.passes(filter, event));
        if self.fault == Fault::ListsOldestFirst {
            events.reverse();
        }
        let is_below = |event: &AuditEvent| match self.fault {
            Fault::RepeatsTheLastOfAPage => before.is_none_or(|before| event.id <= before),
            _ => before.is_none_or(|before| event.id < before),
        };
        events.retain(is_below);
        let has_more = events.len() > max as usize && self.fault != Fault::ForgetsTheNextPage;
        events.truncate(max as usize);
        let next = events.last().map(|event| event.id).filter(|_| has_more);
        Ok(AuditPage { events: events.into_iter().map(|event| self.shown(event)).collect(), next })
    }

    async fn record_new(&self, events: &[AuditEvent]) -> Result<u32, StoreError> {
        if self.fault == Fault::CountsThenRecordsNew {
            let known = self.all().await;
            let new: Vec<_> = events.iter().filter(|event| known.iter().all(|one| one.id != event.id)).collect();
            tokio::time::sleep(STATEMENT_DURATION).await;
            self.log.record_new(events).await?;
            return Ok(u32::try_from(new.len()).expect("a few events"));
        }
        if self.fault == Fault::RecordsNewTwice {
            self.log.purge(Retained::AuditEvents, Timestamp::MAX, ALL).await?;
        }
        self.log.record_new(events).await
    }

    async fn list_unannounced(&self, max: u32) -> Result<Vec<AuditEvent>, StoreError> {
        let mut events = match self.fault {
            Fault::AnnouncesEverything => self.all().await,
            _ => self.log.list_unannounced(ALL).await?,
        };
        if self.fault == Fault::AnnouncesByTime {
            let newest = self.newest.fetch_max(last_millis(&events), Ordering::SeqCst);
            events.retain(|event| event.at().unix_millis() > newest);
        }
        events.retain(|event| !self.is_forgotten(event));
        events.truncate(if self.fault == Fault::IgnoresAnnouncedMax { usize::MAX } else { max as usize });
        Ok(events.into_iter().map(|event| self.shown(event)).collect())
    }

    async fn mark_announced(&self, events: &[AuditEvent]) -> Result<(), StoreError> {
        match self.fault {
            Fault::MarksNothing => Ok(()),
            Fault::MarksEverything => {
                let all = self.all().await;
                self.log.mark_announced(&all).await
            }
            _ => self.log.mark_announced(events).await,
        }
    }

    fn watch(&self, watcher: Arc<dyn AuditWatcher>) {
        let times = match self.fault {
            Fault::ShowsInAnotherStep => return self.later.add(watcher),
            Fault::ShowsNothing => 0,
            Fault::ShowsTwice => 2,
            _ => 1,
        };
        (0..times).for_each(|_| self.log.watch(Arc::clone(&watcher)));
    }
}

#[async_trait]
impl Retention for FaultyLog {
    async fn purge(&self, what: Retained, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        let before = match self.fault {
            Fault::PurgesTheBoundary => before.plus(Duration::from_millis(1)),
            Fault::PurgesEverything => Timestamp::MAX,
            _ => before,
        };
        let max = if self.fault == Fault::IgnoresPurgeMax { ALL } else { max };
        if self.fault == Fault::CountsThenPurges {
            let old = self.all().await.iter().filter(|event| event.at() < before).count();
            tokio::time::sleep(STATEMENT_DURATION).await;
            self.log.purge(what, before, max).await?;
            return Ok(u32::try_from(old).expect("a few events"));
        }
        self.log.purge(what, before, max).await
    }
}
