use async_trait::async_trait;
use domain::ports::{Accepted, EventStore, Publication, StoreError};
use domain::webhooks::NewEvent;

use crate::ShardedStore;

#[async_trait]
impl EventStore for ShardedStore {
    /// The events of one shard are one transaction. If events are in several, those of the shards before the one that
    /// refuses or fails are stored: a repetition with the same publication keys stores the rest.
    async fn publish(&self, events: &[NewEvent]) -> Result<Publication, StoreError> {
        let shards: Vec<usize> = events.iter().map(|new| self.of(&new.event.owner).number).collect();
        let Some(&only) = shards.first() else { return Ok(Publication::Accepted(Vec::new())) };
        if shards.iter().all(|shard| *shard == only) {
            return self.shards[only].store.webhooks.events.publish(events).await;
        }
        let mut answers: Vec<Option<Accepted>> = vec![None; events.len()];
        for shard in &self.shards {
            let places: Vec<usize> = (0..events.len()).filter(|place| shards[*place] == shard.number).collect();
            if places.is_empty() {
                continue;
            }
            let part: Vec<NewEvent> = places.iter().map(|place| events[*place].clone()).collect();
            match shard.store.webhooks.events.publish(&part).await? {
                Publication::Conflict { index } => return Ok(Publication::Conflict { index: places[index] }),
                Publication::Accepted(accepted) => {
                    places.into_iter().zip(accepted).for_each(|(place, one)| answers[place] = Some(one));
                }
            }
        }
        Ok(Publication::Accepted(answers.into_iter().flatten().collect()))
    }
}
