use std::collections::HashSet;
use std::time::Duration;

use async_trait::async_trait;
use domain::Timestamp;
use domain::ports::{ClaimRequest, ClaimedLane, Completion, DeliveryQueue, HandedOver, StoreError};
use domain::webhooks::{OwnerNumber, SealedOptions, SubscriptionOutcomes};
use tokio::task::yield_now;

use super::fault::Fault;
use super::store::{Saboteur, failure};

#[async_trait]
impl DeliveryQueue for Saboteur {
    async fn claim(&self, request: &ClaimRequest) -> Result<Vec<ClaimedLane>, StoreError> {
        self.enter().await;
        if self.is(Fault::ClaimsTwice) {
            let again = std::mem::take(&mut self.memo().last_claim);
            if !again.is_empty() {
                return Ok(again);
            }
        }
        if self.is(Fault::IgnoresProbes) {
            self.forget_probes(request.at).await;
        }
        self.ignore_options().await;
        let asked = self.asked(request).await;
        let mut lanes = self.inner.claim(&asked).await?;
        self.suspend().await;
        match self.fault {
            Fault::GlobalOldestFirst | Fault::RoomlessTakePlaces | Fault::FullOwnersTakePlaces => {
                lanes = self.give_back_some(request, lanes).await;
            }
            Fault::LosesAWake => self.fall_asleep(&lanes).await,
            Fault::ForgetsRests => self.forget_rests(&lanes, request.at).await,
            Fault::OverlooksWhatComesLate => self.overlook_late(request, &mut lanes),
            Fault::NamesNoOwner => lanes.iter_mut().for_each(|lane| lane.owner = OwnerNumber::from_number(0)),
            Fault::ClaimsWithoutOptions => {
                for lane in &mut lanes {
                    lane.secrets.options = SealedOptions::default();
                }
            }
            Fault::NumbersReplays => {
                let deliveries = lanes.iter_mut().flat_map(|lane| &mut lane.deliveries);
                deliveries.for_each(|one| one.sequence = one.sequence.or(Some(1)));
            }
            Fault::LastComeFirst => lanes.iter_mut().for_each(|lane| lane.deliveries.reverse()),
            Fault::ForgetsRuns => {
                let deliveries = lanes.iter_mut().flat_map(|lane| &mut lane.deliveries);
                deliveries.for_each(|one| one.run_attempt = one.attempt);
            }
            Fault::TracesFirstAttempts => {
                let deliveries = lanes.iter_mut().flat_map(|lane| &mut lane.deliveries);
                deliveries.filter(|one| one.attempt > 1).for_each(|one| one.trace = None);
            }
            Fault::TracesOneDelivery => {
                let deliveries = lanes.iter_mut().skip(1).flat_map(|lane| &mut lane.deliveries);
                deliveries.for_each(|one| one.trace = None);
            }
            _ => {}
        }
        self.note_claims(request, &lanes);
        Ok(lanes)
    }

    fn offer_claims(&self, request: Option<&ClaimRequest>) -> u32 {
        self.offered(request)
    }

    async fn handed_over(&self) -> Vec<HandedOver> {
        self.come_out().await
    }

    async fn complete(&self, completions: &[Completion]) -> Result<Vec<bool>, StoreError> {
        self.enter().await;
        let Some(first) = completions.first().map(|one| one.subscription) else { return Ok(Vec::new()) };
        let said: Vec<_> = completions.iter().map(|one| self.said(one, first)).collect();
        if self.is(Fault::LosesReports) {
            self.lose_reports(&said).await;
        }
        let mut held = Vec::new();
        match self.fault {
            Fault::ReportsBackwards => {
                let backwards: Vec<_> = said.iter().rev().cloned().collect();
                held = self.inner.complete(&backwards).await?;
                held.reverse();
            }
            Fault::CompletesOneByOne | Fault::RefusesLateCompletions => {
                for one in &said {
                    held.push(!self.is_refused(one) && self.inner.complete(std::slice::from_ref(one)).await?[0]);
                    yield_now().await;
                }
            }
            _ => held = self.inner.complete(&said).await?,
        }
        self.suspend().await;
        for (one, held) in said.iter().zip(&held) {
            self.afterwards(one, *held).await;
        }
        Ok(if self.is(Fault::SaysHeld) { vec![true; held.len()] } else { held })
    }

    async fn end_closed(&self, at: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.enter().await;
        match self.fault {
            Fault::EndsWhatIsSent => self.inner.end_closed(at.plus(Duration::from_hours(1)), max).await,
            Fault::IgnoresEndMax => self.inner.end_closed(at, u32::MAX).await,
            _ => self.inner.end_closed(at, max).await,
        }
    }

    async fn hint(&self) {
        if self.is(Fault::LeavesItsLockBehind) {
            self.memo().held = true;
        }
        self.inner.hint().await;
    }

    async fn add_outcomes(&self, outcomes: &[SubscriptionOutcomes]) -> Result<(), StoreError> {
        self.enter().await;
        match self.fault {
            Fault::RefusesLargeBatches if outcomes.len() > 1_000 => Err(failure()),
            Fault::CountsOncePerCall => {
                let mut seen = HashSet::new();
                let first = outcomes.iter().filter(|one| seen.insert((one.hour, one.id)));
                self.inner.add_outcomes(&first.copied().collect::<Vec<_>>()).await
            }
            Fault::LosesCountsInRaces => {
                let Ok(_alone) = self.alone.try_lock() else { return Ok(()) };
                self.gap().await;
                self.inner.add_outcomes(outcomes).await
            }
            Fault::AddsOneByOne => {
                for one in outcomes {
                    self.inner.add_outcomes(std::slice::from_ref(one)).await?;
                    yield_now().await;
                }
                Ok(())
            }
            _ => self.inner.add_outcomes(outcomes).await,
        }
    }
}
