use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::operator_quota::{Admitted, OperatorQuota};
use crate::audit::{AuditEvent, AuditTarget};
use crate::ports::{
    AuditDescriber, AuditLog, AuditReader, KeyStore, ListSubscriptionsRequest, PUBLISHED_EVENTS_MAX, Publication,
    StoreError,
};
use crate::webhooks::{
    ContentDigest, Event, EventType, NewEvent, OperatorWebhook, Payload, PublicationKey, PublisherId, SubscribedEvents,
    Subscription, Webhooks,
};
use crate::{EventId, OwnerId, SubscriptionId};

/// How many events of the audit log are announced together.
const ANNOUNCED_AT_ONCE_MAX: u32 = 100;
/// How many subscriptions of an owner are read together.
const SUBSCRIPTIONS_AT_ONCE_MAX: u32 = 100;

/// Publishes the announced events of the audit log, as events of the owner and of the operator. See decision 89.
pub struct Announcements {
    pub(super) webhooks: Webhooks,
    pub(super) audit: Arc<dyn AuditLog>,
    pub(super) keys: Arc<dyn KeyStore>,
    describer: Arc<dyn AuditDescriber>,
    /// The events for the operator's webhook; `None` without one.
    for_operator: Option<SubscribedEvents>,
    quota: Mutex<OperatorQuota>,
}

/// The receivers of an event.
struct Audience {
    owner: OwnerId,
    reader: AuditReader,
    only: Option<SubscriptionId>,
}

impl Announcements {
    /// Announces on these ports.
    pub fn new(
        webhooks: Webhooks,
        (audit, keys): (Arc<dyn AuditLog>, Arc<dyn KeyStore>),
        describer: Arc<dyn AuditDescriber>,
        operator: Option<&OperatorWebhook>,
    ) -> Self {
        let for_operator = operator.map(|operator| operator.events.clone());
        Self { webhooks, audit, keys, describer, for_operator, quota: Mutex::default() }
    }

    /// Publishes one batch of events that are to be announced, and returns how many events of the audit log it had.
    /// After 0, the log has none left.
    ///
    /// Each publication has the id of its audit event, so a batch that is published twice is stored once: after a
    /// crash, or by two instances.
    ///
    /// # Errors
    ///
    /// If the store fails. Another call announces the same events again.
    pub async fn announce(&self) -> Result<usize, StoreError> {
        let found = self.audit.list_unannounced(ANNOUNCED_AT_ONCE_MAX).await?;
        if found.is_empty() {
            return Ok(0);
        }
        let (mut subscriptions, mut events) = (HashMap::new(), Vec::new());
        for event in &found {
            if !subscriptions.contains_key(&event.owner) {
                subscriptions.insert(&event.owner, self.subscriptions_of(&event.owner).await?);
            }
            events.extend(self.to_owner(event, &subscriptions[&event.owner]));
            events.extend(self.to_operator(event));
        }
        for events in events.chunks(PUBLISHED_EVENTS_MAX) {
            self.publish(events.to_vec()).await?;
        }
        self.audit.mark_announced(&found).await?;
        Ok(found.len())
    }

    async fn subscriptions_of(&self, owner: &OwnerId) -> Result<Vec<Subscription>, StoreError> {
        let (mut found, mut before) = (Vec::new(), None);
        loop {
            let request = ListSubscriptionsRequest { owner: owner.clone(), before, max: SUBSCRIPTIONS_AT_ONCE_MAX };
            let page = self.webhooks.stores.subscriptions.list(&request).await?;
            let is_last = page.len() < SUBSCRIPTIONS_AT_ONCE_MAX as usize;
            before = page.last().map(|last| last.id);
            found.extend(page);
            if is_last {
                return Ok(found);
            }
        }
    }

    /// The event for the owner's subscriptions: none if no subscription matches. A subscription gets no events about
    /// itself, so if it would match, the others get an event each.
    fn to_owner(&self, event: &AuditEvent, subscriptions: &[Subscription]) -> Vec<NewEvent> {
        let announced = EventType::announcing(event.action);
        let matching = subscriptions.iter().filter(|one| one.status.is_enabled() && one.events.matches(&announced));
        let matching: Vec<SubscriptionId> = matching.map(|one| one.id).collect();
        let others = matching.iter().copied().filter(|id| event.target != AuditTarget::Subscription(*id));
        let others: Vec<SubscriptionId> = others.collect();
        let to = |only| Audience { owner: event.owner.clone(), reader: AuditReader::Owner, only };
        if others.len() < matching.len() {
            return others.iter().filter_map(|id| self.compose(event, &announced, to(Some(*id)))).collect();
        }
        if matching.is_empty() { Vec::new() } else { Vec::from_iter(self.compose(event, &announced, to(None))) }
    }

    fn to_operator(&self, event: &AuditEvent) -> Option<NewEvent> {
        let announced = EventType::announcing(event.action);
        self.for_operator.as_ref().filter(|events| events.matches(&announced))?;
        let now = self.webhooks.clock.now();
        let admitted = self.quota.lock().unwrap_or_else(PoisonError::into_inner).admit(event, now);
        let announced = match admitted {
            Admitted::Told => announced,
            Admitted::FirstOmitted => EventType::of_omissions(),
            Admitted::Omitted => return None,
        };
        let (owner, only) = (OwnerId::of_operator(), Some(OperatorWebhook::subscription_id()));
        self.compose(event, &announced, Audience { owner, reader: AuditReader::Operator, only })
    }

    /// An event with the description of the audit event; its publication key is derived from both.
    fn compose(&self, about: &AuditEvent, event_type: &EventType, to: Audience) -> Option<NewEvent> {
        let data = self.describer.describe(about, to.reader);
        // A description has at most a few kilobytes.
        let payload = Payload::compose(event_type, about.at(), &data, Payload::SIZE_BYTES_MAX_DEFAULT).ok()?;
        let receiver = to.only.map(|only| format!("/{only}")).unwrap_or_default();
        let id = PublisherId::parse(&format!("{}/{event_type}{receiver}", about.id)).ok()?;
        let publication = PublicationKey { id, content: ContentDigest::of(event_type, &data) };
        let created_at = self.webhooks.clock.now();
        let id = EventId::mint(created_at, &*self.webhooks.entropy);
        let event = Event { id, owner: to.owner, event_type: event_type.clone(), payload, created_at };
        Some(NewEvent { event, publication: Some(publication), only: to.only, trace: None })
    }

    /// Publishes every event that is not published yet.
    async fn publish(&self, mut events: Vec<NewEvent>) -> Result<(), StoreError> {
        while !events.is_empty() {
            match self.webhooks.stores.events.publish(&events).await? {
                Publication::Accepted(_) => break,
                // Another version published it before, with another description.
                Publication::Conflict { index } => drop(events.remove(index)),
            }
        }
        Ok(())
    }
}
