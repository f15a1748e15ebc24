use async_trait::async_trait;
use domain::ports::{Accepted, EventStore, Publication, StoreError};
use domain::webhooks::NewEvent;
use futures_util::future::join_all;

use crate::ShardedStore;

#[async_trait]
impl EventStore for ShardedStore {
    /// The events of one shard are one transaction. The transactions of several shards are concurrent, so that the
    /// events of many owners take about as long as the events of one (decision 96). If a shard refuses or fails, the
    /// others have stored theirs: a repetition with the same publication keys stores the rest.
    async fn publish(&self, events: &[NewEvent]) -> Result<Publication, StoreError> {
        let mut places = vec![Vec::new(); self.shards.len()];
        for (place, new) in events.iter().enumerate() {
            places[self.of(&new.event.owner).number].push(place);
        }
        let parts = self.shards.iter().zip(places).filter(|(_, places)| !places.is_empty());
        let published = join_all(parts.map(|(shard, places)| async move {
            let answer = if places.len() == events.len() {
                shard.store.webhooks.events.publish(events).await
            } else {
                let part: Vec<NewEvent> = places.iter().map(|place| events[*place].clone()).collect();
                shard.store.webhooks.events.publish(&part).await
            };
            (places, answer)
        }));
        composed(published.await, events.len())
    }
}

/// The answer about all events, from the answers of shards about the events at these places: an error comes before a
/// refusal, and the first of several refusals before the others.
fn composed(
    published: Vec<(Vec<usize>, Result<Publication, StoreError>)>,
    count: usize,
) -> Result<Publication, StoreError> {
    let (mut answers, mut refused): (Vec<Option<Accepted>>, Option<usize>) = (vec![None; count], None);
    for (places, answer) in published {
        match answer? {
            Publication::Conflict { index } => {
                refused = Some(refused.map_or(places[index], |before| before.min(places[index])));
            }
            Publication::Accepted(accepted) => {
                places.into_iter().zip(accepted).for_each(|(place, one)| answers[place] = Some(one));
            }
        }
    }
    Ok(refused.map_or_else(
        || Publication::Accepted(answers.into_iter().flatten().collect()),
        |index| Publication::Conflict { index },
    ))
}
