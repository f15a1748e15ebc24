use std::sync::Arc;

use async_trait::async_trait;
use counters::Tally;
use domain::ports::{EventCounts, EventStore, Publication, StoreError};
use domain::webhooks::NewEvent;

/// Counts the events that the host application publishes, on their way to the store. Events that test one subscription
/// do not count.
pub struct CountedEvents {
    store: Arc<dyn EventStore>,
    counts: Tally<4>,
}

/// The result for one event, in the order of the counts.
#[derive(Clone, Copy)]
enum Outcome {
    Accepted,
    Duplicate,
    Conflict,
    Failed,
}

impl CountedEvents {
    /// Counts the events for this store.
    pub fn new(store: Arc<dyn EventStore>) -> Arc<Self> {
        Arc::new(Self { store, counts: Tally::default() })
    }

    /// The counts so far.
    pub(crate) fn read(&self) -> EventCounts {
        let [accepted, duplicate, conflict, failed] = self.counts.read();
        EventCounts { accepted, duplicate, conflict, failed }
    }

    fn count(&self, outcome: Outcome, events: usize) {
        self.counts.add(outcome as usize, events as u64);
    }
}

#[async_trait]
impl EventStore for CountedEvents {
    async fn publish(&self, events: &[NewEvent]) -> Result<Publication, StoreError> {
        let publication = self.store.publish(events).await;
        let count = events.iter().filter(|event| event.only.is_none()).count();
        match &publication {
            _ if count == 0 => {}
            Ok(Publication::Accepted(accepted)) => {
                let duplicates = accepted.iter().filter(|accepted| accepted.is_duplicate).count();
                self.count(Outcome::Duplicate, duplicates);
                self.count(Outcome::Accepted, accepted.len() - duplicates);
            }
            Ok(Publication::Conflict { .. }) => self.count(Outcome::Conflict, count),
            Err(_) => self.count(Outcome::Failed, count),
        }
        publication
    }
}
