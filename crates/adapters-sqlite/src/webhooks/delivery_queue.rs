use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use diesel::SqliteConnection;
use diesel_mapping::SUBSCRIPTION_OUTCOMES;
use domain::Timestamp;
use domain::ports::{
    ClaimRequest, ClaimedLane, Completion, DeliveryQueue, EventStore, HandedOver, Publication, StoreError,
    waiting_bytes,
};
use domain::webhooks::{NewEvent, SubscriptionOutcomes};

use super::claim::{claim, end_left_claims};
use super::complete::complete;
use super::end_closed::{CHUNK, end_closed};
use super::publish_events::{Published, publish_events};
use crate::SqliteStore;
use crate::by_hour::add_counts;
use crate::connection::unavailable;
use crate::undo::Undo;

/// Ends the claims that this process finds before its first one. If the transaction fails, they expire.
fn end_claims_of_others(
    connection: &mut SqliteConnection,
    has_claimed: &AtomicBool,
    at: Timestamp,
) -> Result<(), Undo> {
    if has_claimed.swap(true, Ordering::SeqCst) { Ok(()) } else { end_left_claims(connection, at) }
}

#[async_trait]
impl EventStore for SqliteStore {
    async fn publish(&self, events: &[NewEvent]) -> Result<Publication, StoreError> {
        let room = Arc::clone(&self.publishing).try_acquire_many_owned(waiting_bytes(events));
        let room = room.map_err(|_| unavailable("too many events are waiting to be published"))?;
        let (events, wake, claims) = (events.to_vec(), self.wake.clone(), Arc::clone(&self.direct_claims));
        let has_claimed = Arc::clone(&self.has_claimed);
        let work = move |connection: &mut SqliteConnection| {
            let claim = events.first().and_then(|new| claims.begin(new.event.created_at));
            if let Some(claim) = &claim {
                end_claims_of_others(connection, &has_claimed, claim.at())?;
            }
            let published = publish_events(connection, &events, claim);
            drop(room);
            published
        };
        let published = self.writer.write_then(work, move |published: &Published| published.committed(&wake)).await?;
        Ok(published.publication)
    }
}

#[async_trait]
impl DeliveryQueue for SqliteStore {
    async fn claim(&self, request: &ClaimRequest) -> Result<Vec<ClaimedLane>, StoreError> {
        let (request, has_claimed) = (request.clone(), Arc::clone(&self.has_claimed));
        let work = move |connection: &mut SqliteConnection| {
            end_claims_of_others(connection, &has_claimed, request.at)?;
            claim(connection, &request)
        };
        // No wait for the disk: if a power failure undoes the claim, the delivery is claimed again.
        self.writer.write_unflushed(work).await
    }

    fn offer_claims(&self, request: Option<&ClaimRequest>) -> u32 {
        self.direct_claims.offer(request)
    }

    async fn handed_over(&self) -> Vec<HandedOver> {
        self.direct_claims.handed_over().await
    }

    async fn complete(&self, completions: &[Completion]) -> Result<Vec<bool>, StoreError> {
        let (completions, wake) = (completions.to_vec(), self.wake.clone());
        let work = move |connection: &mut SqliteConnection| complete(connection, &completions);
        let (held, _) = self
            .writer
            .write_then(work, move |(_, woke)| {
                if *woke {
                    wake.up();
                }
            })
            .await?;
        Ok(held)
    }

    async fn end_closed(&self, at: Timestamp, max: u32) -> Result<u32, StoreError> {
        let mut ended = 0;
        while ended < max {
            let chunk = CHUNK.min(max - ended);
            let more = self.writer.write(move |connection| end_closed(connection, at, chunk)).await?;
            ended += more;
            if more < chunk {
                break;
            }
        }
        Ok(ended)
    }

    async fn hint(&self) {
        self.wake.awaited().await;
    }

    async fn add_outcomes(&self, outcomes: &[SubscriptionOutcomes]) -> Result<(), StoreError> {
        let outcomes = outcomes.to_vec();
        self.writer.write_unflushed(move |connection| add_counts(connection, &SUBSCRIPTION_OUTCOMES, &outcomes)).await
    }
}
