use std::time::Duration;

use async_trait::async_trait;
use domain::audit::{AuditEvent, AuditFilter, AuditTarget};
use domain::memory::{MemoryAuditLog, unique_cause};
use domain::ports::{AuditLog, AuditPage, StoreError};
use domain::{AuditId, Timestamp, UserId};

use super::fault::Fault;

/// What lies between two steps of a store that asks a database.
const STATEMENT_DURATION: Duration = Duration::from_millis(1);
/// More events than a test writes.
const ALL: u32 = 1_000;

/// A log that is right but for one fault.
pub(crate) struct FaultyLog {
    fault: Fault,
    log: MemoryAuditLog,
}

impl FaultyLog {
    pub(crate) fn new(fault: Fault, log: MemoryAuditLog) -> Self {
        Self { fault, log }
    }

    async fn all(&self) -> Vec<AuditEvent> {
        self.log.list(&AuditFilter::default(), None, ALL).await.expect("memory does not fail").events
    }

    fn is_forgotten(&self, event: &AuditEvent) -> bool {
        matches!(
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
                let lower = |user: &UserId| user.subject().to_lowercase();
                if filter.owner.as_ref().is_some_and(|owner| lower(owner) == lower(&event.owner)) {
                    filter.owner = None;
                }
            }
            _ => {}
        }
        filter.matches(event)
    }
}

#[async_trait]
impl AuditLog for FaultyLog {
    async fn record(&self, event: &AuditEvent) -> Result<(), StoreError> {
        match (self.fault, self.log.record(event).await) {
            (Fault::OverwritesEvents, Err(_)) => Ok(()),
            (_, answer) => answer,
        }
    }

    async fn list(&self, filter: &AuditFilter, before: Option<AuditId>, max: u32) -> Result<AuditPage, StoreError> {
        let mut events = self.all().await;
        if self.fault == Fault::InventsEvents {
            let owner = UserId::new("https://id.example", "alice").expect("a valid user");
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

    async fn purge(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        let before = match self.fault {
            Fault::PurgesTheBoundary => before.plus(Duration::from_millis(1)),
            Fault::PurgesEverything => Timestamp::MAX,
            _ => before,
        };
        let max = if self.fault == Fault::IgnoresPurgeMax { ALL } else { max };
        if self.fault == Fault::CountsThenPurges {
            let old = self.all().await.iter().filter(|event| event.at() < before).count();
            tokio::time::sleep(STATEMENT_DURATION).await;
            self.log.purge(before, max).await?;
            return Ok(u32::try_from(old).expect("a few events"));
        }
        self.log.purge(before, max).await
    }
}
