use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use domain::ports::{ClaimRequest, ClaimedLane, Completion, DeliveryQueue, HandedOver, StoreError};
use domain::webhooks::SubscriptionOutcomes;
use domain::{EventId, Timestamp};
use futures_util::future::{join_all, select_all};

use crate::ShardedStore;
use crate::fan_out::up_to;
use crate::shard::Shard;

#[async_trait]
impl DeliveryQueue for ShardedStore {
    /// The shards take turns to be first, and each gets the room that the earlier ones have left. In a shard, lanes
    /// take turns as in any store.
    async fn claim(&self, request: &ClaimRequest) -> Result<Vec<ClaimedLane>, StoreError> {
        let (mut left, mut claimed, mut failure) = (request.clone(), Vec::new(), None);
        for shard in self.in_turn() {
            if left.lanes_max == 0 || left.shares.free() == 0 || left.payload_bytes_max == 0 {
                break;
            }
            match shard.part(shard.store.queue.claim(&left)).await {
                Ok(lanes) => {
                    take(&mut left, &lanes);
                    claimed.extend(lanes);
                }
                Err(error) => failure = Some(error),
            }
        }
        failure.filter(|_| claimed.is_empty()).map_or(Ok(claimed), Err)
    }

    /// The shards of a process share one desk for direct claims, so an offer to the first one is an offer to all, and
    /// its limits hold for all together. A shard with another desk gets no offers, and claims find its deliveries.
    fn offer_claims(&self, request: Option<&ClaimRequest>) -> u32 {
        self.shards[0].store.queue.offer_claims(request)
    }

    async fn handed_over(&self) -> Vec<HandedOver> {
        self.shards[0].store.queue.handed_over().await
    }

    /// The completions of a shard are one transaction. The completions of a shard that does not answer wait for it in
    /// memory, and count as overtaken: if the process dies, the deliveries are sent again.
    async fn complete(&self, completions: &[Completion]) -> Result<Vec<bool>, StoreError> {
        let mut places = vec![Vec::new(); self.shards.len()];
        for (place, completion) in completions.iter().enumerate() {
            for shard in self.near(completion.subscription.home()) {
                places[shard.number].push(place);
            }
        }
        let parts = self.shards.iter().zip(&places).filter(|(_, places)| !places.is_empty());
        let answers = join_all(parts.map(|(shard, places)| complete_in(shard, places, completions))).await;
        let (mut held, mut unwritten) = (vec![false; completions.len()], Vec::new());
        let mut failure = None;
        for (shard, places, answer) in answers {
            match answer {
                Ok(answer) => places.iter().zip(answer).for_each(|(place, is_held)| held[*place] |= is_held),
                Err(error @ StoreError::Unavailable(_)) => {
                    failure = Some(error);
                    unwritten.push((shard, places));
                }
                Err(error) => return Err(error),
            }
        }
        if let Some(error) = failure {
            if !self.shards.iter().any(|shard| shard.answers()) {
                return Err(error);
            }
            for (shard, places) in unwritten {
                shard.keep(places.iter().map(|place| completions[*place].clone()));
            }
        }
        Ok(held)
    }

    async fn end_closed(&self, at: Timestamp, max: u32) -> Result<u32, StoreError> {
        up_to(max, self.in_turn(), |shard, max| shard.store.queue.end_closed(at, max)).await
    }

    async fn add_outcomes(&self, outcomes: &[SubscriptionOutcomes]) -> Result<(), StoreError> {
        let add = |shard: Arc<Shard>, outcomes: Vec<_>| async move { shard.store.queue.add_outcomes(&outcomes).await };
        self.spread(outcomes, |one| one.id.home(), add).await
    }

    async fn hint(&self) {
        select_all(self.shards.iter().map(|shard| shard.store.queue.hint())).await;
    }
}

async fn complete_in<'a>(
    shard: &'a Arc<Shard>,
    places: &'a [usize],
    completions: &[Completion],
) -> (&'a Arc<Shard>, &'a [usize], Result<Vec<bool>, StoreError>) {
    let part: Vec<Completion> = places.iter().map(|place| completions[*place].clone()).collect();
    (shard, places, shard.part(shard.store.queue.complete(&part)).await)
}

/// Subtracts these lanes from the room of the request.
fn take(request: &mut ClaimRequest, lanes: &[ClaimedLane]) {
    request.lanes_max = request.lanes_max.saturating_sub(u32::try_from(lanes.len()).unwrap_or(u32::MAX));
    let (mut events, mut bytes) = (BTreeSet::<EventId>::new(), 0);
    for lane in lanes {
        request.shares.take(lane.owner, u32::try_from(lane.deliveries.len()).unwrap_or(u32::MAX));
        for delivery in lane.deliveries.iter().filter(|delivery| events.insert(delivery.event)) {
            bytes += delivery.payload.bytes().len() as u64;
        }
    }
    request.payload_bytes_max = request.payload_bytes_max.saturating_sub(bytes);
}
