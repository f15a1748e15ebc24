//! Events of many owners in one publication.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use domain::ports::{EventStore, Publication, Store, StoreError};
use domain::webhooks::NewEvent;
use domain::{EventId, Home};
use sharded_store::ShardedStore;
use storage_conformance::requests::{at, named_event, new_event, user};
use tokio::sync::Barrier;
use tokio::time::timeout;

use crate::composed::memory_store;

const SHARDS: usize = 16;

/// A shard that stores events when all shards have begun, and fails while it is down.
struct Meeting {
    store: Arc<dyn EventStore>,
    begun: Arc<Barrier>,
    is_down: AtomicBool,
}

#[async_trait]
impl EventStore for Meeting {
    async fn publish(&self, events: &[NewEvent]) -> Result<Publication, StoreError> {
        let all_have_begun = timeout(Duration::from_secs(5), self.begun.wait()).await.is_ok();
        if !all_have_begun || self.is_down.load(Ordering::Relaxed) {
            return Err(StoreError::Unavailable("down".into()));
        }
        self.store.publish(events).await
    }
}

fn shards() -> (ShardedStore, Vec<Arc<Meeting>>) {
    let (mut shards, mut meetings, begun) = (Vec::new(), Vec::new(), Arc::new(Barrier::new(SHARDS)));
    for _ in 0..SHARDS {
        let mut shard: Store = memory_store();
        let (store, begun) = (Arc::clone(&shard.webhooks.events), Arc::clone(&begun));
        let meeting = Arc::new(Meeting { store, begun, is_down: AtomicBool::new(false) });
        shard.webhooks.events = Arc::clone(&meeting) as _;
        meetings.push(meeting);
        shards.push(shard);
    }
    (ShardedStore::new(shards), meetings)
}

/// Events of owners in all shards. A repetition of an event has another id and the same publication key.
fn events(content: impl Fn(usize) -> String) -> Vec<NewEvent> {
    let event = |number: usize| {
        let new = new_event(&user(&format!("user-{number}")), at(0));
        named_event(new, &format!("order-{number}"), &content(number))
    };
    (0..100).map(event).collect()
}

fn shard_of(new: &NewEvent) -> usize {
    Home::of(&new.event.owner).shard(SHARDS)
}

/// The ids that the events are stored under, in the order of the call.
fn ids(published: Result<Publication, StoreError>) -> Vec<EventId> {
    match published.expect("all shards are up") {
        Publication::Accepted(accepted) => accepted.into_iter().map(|one| one.event.id).collect(),
        Publication::Conflict { index } => panic!("conflict of {index}"),
    }
}

#[tokio::test]
async fn shards_store_the_events_of_a_publication_side_by_side() {
    let (store, _) = shards();
    let events = events(|_| "content".to_owned());
    assert_eq!(events.iter().map(shard_of).collect::<BTreeSet<_>>().len(), SHARDS, "owners are in all shards");
    let published = ids(store.publish(&events).await);
    assert_eq!(published, events.iter().map(|new| new.event.id).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_repetition_stores_what_a_shard_that_was_down_did_not() {
    let (store, meetings) = shards();
    let first = events(|_| "content".to_owned());
    let down = shard_of(&first[7]);
    meetings[down].is_down.store(true, Ordering::Relaxed);
    assert!(store.publish(&first).await.is_err());
    meetings[down].is_down.store(false, Ordering::Relaxed);
    let again = events(|_| "content".to_owned());
    for ((id, first), again) in ids(store.publish(&again).await).into_iter().zip(&first).zip(&again) {
        assert_eq!(id, if shard_of(first) == down { again.event.id } else { first.event.id });
    }
}

#[tokio::test]
async fn of_several_refusals_the_first_is_named() {
    let (store, _) = shards();
    ids(store.publish(&events(|_| "content".to_owned())).await);
    let others = events(|number| if number >= 20 { "other".to_owned() } else { "content".to_owned() });
    let refused = store.publish(&others).await.expect("all shards are up");
    assert_eq!(refused, Publication::Conflict { index: 20 });
}
