use async_trait::async_trait;
use diesel_mapping::SUBSCRIPTION_OUTCOMES;
use domain::Timestamp;
use domain::ports::{
    ClaimRequest, ClaimedLane, Completion, DeliveryQueue, EventStore, HandedOver, Publication, StoreError,
};
use domain::webhooks::{NewEvent, SubscriptionOutcomes};

use super::claim::Claim;
use super::complete::Complete;
use super::end_closed::EndClosed;
use crate::PostgresStore;
use crate::by_hour::AddCounts;

#[async_trait]
impl EventStore for PostgresStore {
    async fn publish(&self, events: &[NewEvent]) -> Result<Publication, StoreError> {
        self.publisher.publish(events).await
    }
}

#[async_trait]
impl DeliveryQueue for PostgresStore {
    /// Lanes may be ready without a due delivery. If no lane of a claim has one, the claim continues with the next
    /// lanes.
    async fn claim(&self, request: &ClaimRequest) -> Result<Vec<ClaimedLane>, StoreError> {
        self.end_claims_of_the_gone(request.at);
        let mut skipped = Vec::new();
        loop {
            let claimed = self.run_on_queue(&Claim { request, by: self.claimers.own(), skipped: &skipped }).await?;
            if !claimed.lanes.is_empty() || claimed.seen.is_empty() {
                return Ok(claimed.lanes);
            }
            skipped.extend(claimed.seen);
        }
    }

    fn offer_claims(&self, request: Option<&ClaimRequest>) -> u32 {
        self.direct_claims.offer(request)
    }

    async fn handed_over(&self) -> Vec<HandedOver> {
        self.direct_claims.handed_over().await
    }

    async fn complete(&self, completions: &[Completion]) -> Result<Vec<bool>, StoreError> {
        if completions.is_empty() {
            return Ok(Vec::new());
        }
        let completed = self.run_on_queue(&Complete::of(completions)).await?;
        if completed.has_woken {
            self.change_signal.notify_of_deliveries();
        }
        Ok(completed.held)
    }

    async fn end_closed(&self, at: Timestamp, max: u32) -> Result<u32, StoreError> {
        let (mut count, mut skipped) = (0, Vec::new());
        while count < max {
            let ended = self.run_on_queue(&EndClosed { at, max: max - count, skipped: &skipped }).await?;
            count += ended.count;
            if ended.seen.is_empty() {
                break;
            }
            skipped.extend(ended.seen);
        }
        Ok(count)
    }

    /// Returns after a commit of this instance, after a notification of another instance, and after the listening
    /// connection was lost and opened again. For one reader at a time: each signal wakes one reader.
    async fn hint(&self) {
        self.change_signal.wait_for_deliveries().await;
    }

    async fn add_outcomes(&self, outcomes: &[SubscriptionOutcomes]) -> Result<(), StoreError> {
        self.run_on_queue(&AddCounts::to(&SUBSCRIPTION_OUTCOMES, outcomes)).await
    }
}
