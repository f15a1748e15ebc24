use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use diesel::SqliteConnection;
use diesel_mapping::SUBSCRIPTION_OUTCOMES;
use domain::Timestamp;
use domain::ports::{ClaimRequest, ClaimedLane, Completion, DeliveryQueue, EventStore, Publication, StoreError};
use domain::webhooks::{NewEvent, SubscriptionOutcomes};

use super::claim::{claim, end_left_claims};
use super::complete::complete;
use super::end_closed::{CHUNK, end_closed};
use super::publish_events::publish_events;
use crate::SqliteStore;
use crate::by_hour::add_counts;

#[async_trait]
impl EventStore for SqliteStore {
    async fn publish(&self, events: &[NewEvent]) -> Result<Publication, StoreError> {
        let (events, wake) = (events.to_vec(), self.wake.clone());
        let work = move |connection: &mut SqliteConnection| publish_events(connection, &events);
        self.writer.write_then(work, move |_| wake.up()).await
    }
}

#[async_trait]
impl DeliveryQueue for SqliteStore {
    async fn claim(&self, request: &ClaimRequest) -> Result<Vec<ClaimedLane>, StoreError> {
        let (request, has_claimed) = (request.clone(), Arc::clone(&self.has_claimed));
        let work = move |connection: &mut SqliteConnection| {
            // If this transaction fails, the claims end by their time.
            if !has_claimed.swap(true, Ordering::SeqCst) {
                end_left_claims(connection, request.at)?;
            }
            claim(connection, &request)
        };
        // No wait for the disk: a delivery whose claim a power failure undoes is claimed again.
        self.writer.write_unflushed(work).await
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
