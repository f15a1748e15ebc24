//! Readers of logs in the suite, and what they read.

use std::sync::atomic::{AtomicI64, Ordering};

use domain::memory::unique_cause;
use domain::ports::{
    CommitRequest, Committed, ForgetRequest, ListedConsumer, Pulled, PulledEvent, PulledLog, PulledMax, ReceiveRequest,
    Retained, SeekRequest, SeekTo, Sought,
};
use domain::webhooks::{ConsumerName, Event, LeaseId, NewEvent, Payload, Subscription, TargetUrl};
use domain::{EventId, OwnerId, SubscriptionId};
use tokio::task::yield_now;

use super::WebhookStore;
use super::sample::{add, publish_at, subscription};
use super::work::LEASE_MILLIS;
use crate::sample::{at, user};

/// More than any log here has.
pub(super) const EVERYTHING: PulledMax = PulledMax { events: 1_000, bytes: 1 << 40 };
const TURNS_MAX: u32 = 100_000;

/// A stored subscription to everything, whose events are pulled.
pub(super) async fn pulled(store: &dyn WebhookStore, owner: &OwnerId) -> Subscription {
    add(store, Subscription { url: TargetUrl::pull(), ..subscription(owner) }).await
}

/// A user, and the log of a subscription of this user.
pub(super) async fn user_with_log(store: &dyn WebhookStore) -> (OwnerId, PulledLog) {
    let owner = user("alice");
    let log = log_of(&pulled(store, &owner).await);
    (owner, log)
}

pub(crate) fn log_of(subscription: &Subscription) -> PulledLog {
    PulledLog { owner: subscription.owner.clone(), subscription: subscription.id }
}

pub(super) fn with_payload(mut new: NewEvent, payload: Vec<u8>) -> NewEvent {
    new.event.payload = Payload::from_bytes(payload);
    new
}

/// Publishes an event at each of these milliseconds, one by one.
pub(super) async fn publish_each(store: &dyn WebhookStore, owner: &OwnerId, times: &[i64]) -> Vec<EventId> {
    let mut ids = Vec::new();
    for millis in times {
        ids.push(publish_at(store, owner, at(*millis)).await);
    }
    ids
}

pub(super) async fn purge(store: &dyn WebhookStore, before_millis: i64) {
    while store.purge(Retained::Webhooks, at(before_millis), 1_000).await.expect("a purge must succeed") > 0 {}
}

pub(super) async fn read(store: &dyn WebhookStore, log: &PulledLog, after: Option<u64>, max: PulledMax) -> Pulled {
    store.read(log, after, max).await.expect("a read of a log must succeed or be refused as a value")
}

pub(super) async fn consumers(store: &dyn WebhookStore, log: &PulledLog) -> Option<Vec<ListedConsumer>> {
    store.consumers(log).await.expect("a list of consumers must succeed")
}

pub(super) async fn last_numbers(store: &dyn WebhookStore, logs: &[PulledLog]) -> Vec<(SubscriptionId, u64)> {
    let mut last = store.last_numbers(logs).await.expect("a look-up of the last numbers must succeed");
    last.sort_unstable();
    last
}

/// Reads small pages after this number until it has `count` events, and checks that their numbers have no gap.
pub(super) async fn follow(store: &dyn WebhookStore, log: &PulledLog, mut after: u64, count: usize) -> Vec<Event> {
    let mut seen = Vec::new();
    for _ in 0..TURNS_MAX {
        match read(store, log, Some(after), PulledMax { events: 7, ..EVERYTHING }).await {
            Pulled::Events(page) => {
                assert!((1..=7).contains(&page.len()), "a page must have 1 to 7 events, got {}", page.len());
                for one in page {
                    after += 1;
                    assert_eq!(one.sequence, after, "no number may be left out");
                    seen.push(one.event);
                }
            }
            nothing => assert_eq!(nothing, Pulled::Nothing { last: after }),
        }
        if seen.len() >= count {
            return seen;
        }
        yield_now().await;
    }
    panic!("{count} events must come, got {}", seen.len());
}

pub(super) fn events(pulled: &Pulled) -> &[PulledEvent] {
    let Pulled::Events(events) = pulled else { panic!("there are events, got {pulled:?}") };
    events
}

pub(super) fn numbers(pulled: &Pulled) -> Vec<u64> {
    events(pulled).iter().map(|one| one.sequence).collect()
}

pub(crate) fn consumer_name(name: &str) -> ConsumerName {
    ConsumerName::parse(name).expect("the sample's name is valid")
}

/// A lease that no other sample has.
pub(super) fn new_lease() -> LeaseId {
    static NEXT: AtomicI64 = AtomicI64::new(i64::MIN);
    LeaseId::from_number(NEXT.fetch_add(0x0123_4567_89AB, Ordering::Relaxed))
}

/// A consumer of a log, and its calls.
pub(super) struct Reader<'store> {
    store: &'store dyn WebhookStore,
    log: PulledLog,
    name: ConsumerName,
}

pub(super) fn reader<'store>(store: &'store dyn WebhookStore, log: &PulledLog, name: &str) -> Reader<'store> {
    Reader { store, log: log.clone(), name: consumer_name(name) }
}

impl Reader<'_> {
    /// Receives this many milliseconds after the start, under a new lease.
    pub(super) async fn receive(&self, millis: i64, max: PulledMax) -> (LeaseId, Pulled) {
        let (log, consumer, lease) = (self.log.clone(), self.name.clone(), new_lease());
        let request = ReceiveRequest { log, consumer, max, lease, at: at(millis), until: at(millis + LEASE_MILLIS) };
        let pulled = self.store.receive(&request).await;
        (lease, pulled.expect("events must be received or refused as a value"))
    }

    pub(super) async fn commit(&self, lease: LeaseId, through: EventId) -> Committed {
        self.end(lease, Some(through)).await
    }

    pub(super) async fn give_back(&self, lease: LeaseId) -> Committed {
        self.end(lease, None).await
    }

    pub(super) async fn end(&self, lease: LeaseId, through: Option<EventId>) -> Committed {
        let request = CommitRequest { log: self.log.clone(), consumer: self.name.clone(), lease, through };
        self.store.commit(&request).await.expect("a commit must succeed or be refused as a value")
    }

    pub(super) async fn seek(&self, to: SeekTo) -> Sought {
        let (log, consumer) = (self.log.clone(), self.name.clone());
        let request = SeekRequest { log, consumer, to, cause: unique_cause() };
        self.store.seek(&request).await.expect("a seek must succeed or be refused as a value")
    }

    pub(super) async fn forget(&self) -> bool {
        let (log, consumer) = (self.log.clone(), self.name.clone());
        let forgotten = self.store.forget(&ForgetRequest { log, consumer, cause: unique_cause() }).await;
        forgotten.expect("a deletion of a consumer must succeed")
    }
}
