use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashSet};

use async_trait::async_trait;

use super::{Lane, MemoryWebhookStore, Rank, StoredDelivery, Tables};
use crate::ports::{ClaimRequest, ClaimedDelivery, ClaimedLane, Completion, DeliveryQueue, NextStep, StoreError};
use crate::webhooks::{Admission, DeliveryState, Report, SubscriptionStatus};
use crate::{DeliveryId, SubscriptionId, Timestamp};

/// Due deliveries of a lane, in the order in which they leave.
type Due = Vec<(Rank, Timestamp, DeliveryId)>;

impl Lane {
    /// How many deliveries may be claimed now.
    fn room(&self, request: &ClaimRequest, is_out: bool) -> u32 {
        let room = request.room_of(self.subscription.id);
        match self.breaker.admission(request.at) {
            Admission::Free => room,
            Admission::Probe if !is_out => room.min(1),
            Admission::Probe | Admission::Paused(_) => 0,
        }
    }

    /// Since when it has been waiting for service; of lanes that are alike, the one first that was served earlier.
    fn waiting_since(&self, due: &Due) -> Option<(Timestamp, u64)> {
        let due_at = due.iter().map(|(_, due_at, _)| *due_at).min()?;
        let admitted_at = self.breaker.pause.map_or(due_at, |pause| pause.until.max(due_at));
        Some(self.served.map_or((admitted_at, 0), |(at, turn)| (at.max(admitted_at), turn)))
    }
}

impl StoredDelivery {
    fn claim(&mut self, request: &ClaimRequest) {
        self.delivery.state = DeliveryState::Sending(request.until);
        self.delivery.attempts += 1;
        self.rank = self.rank.max(Rank::Retry);
        self.claim = Some(request.claim);
    }

    /// The report of the attempt, if its record is stored now.
    fn record(&mut self, completion: &Completion) -> Option<Report> {
        let attempt = completion.attempt.as_ref()?;
        let Entry::Vacant(place) = self.attempts.entry(attempt.number) else { return None };
        place.insert(attempt.clone());
        let (started_at, ended_at) = (attempt.started_at, completion.ended_at);
        Some(Report { started_at, ended_at, verdict: completion.verdict })
    }

    /// Whether the completion's claim held the delivery, which then goes on.
    fn complete(&mut self, completion: &Completion) -> bool {
        if self.claim != Some(completion.claim) {
            return false;
        }
        self.claim = None;
        match completion.next {
            NextStep::End(end) => self.end(end, completion.ended_at),
            NextStep::Retry(at) => self.delivery.state = DeliveryState::Waiting(at),
            NextStep::GiveBack(at) => {
                self.delivery.state = DeliveryState::Waiting(at);
                self.delivery.attempts -= 1;
                if self.delivery.attempts == 0 && self.rank == Rank::Retry {
                    self.rank = Rank::FirstAttempt;
                }
            }
        }
        true
    }
}

impl Tables {
    /// What is due in each lane that is open and admitted, as much as there is room for, the lane first that has been
    /// waiting longest.
    fn ready(&self, request: &ClaimRequest) -> Vec<(SubscriptionId, Due)> {
        let all = || self.deliveries.values().filter(|stored| stored.due_at().is_some());
        let out = all().filter(|stored| stored.is_out(request.at));
        let out: HashSet<SubscriptionId> = out.map(|stored| stored.delivery.subscription_id).collect();
        let mut due: BTreeMap<SubscriptionId, Due> = BTreeMap::new();
        for stored in all().filter(|stored| stored.is_due(request.at)) {
            let place = (stored.rank, stored.due_at().unwrap_or(request.at), stored.delivery.id);
            due.entry(stored.delivery.subscription_id).or_default().push(place);
        }
        let mut ready = Vec::new();
        for (id, mut due) in due {
            let Some(lane) = self.lanes.get(&id).filter(|lane| lane.is_open()) else { continue };
            let room = lane.room(request, out.contains(&id));
            let waiting_since = lane.waiting_since(&due);
            due.sort_unstable();
            due.truncate(room as usize);
            ready.push((waiting_since, id, due));
        }
        ready.retain(|(_, _, due)| !due.is_empty());
        ready.sort_unstable();
        ready.into_iter().take(request.lanes_max as usize).map(|(_, id, due)| (id, due)).collect()
    }

    fn serve(&mut self, request: &ClaimRequest, id: SubscriptionId, due: &Due) -> Option<ClaimedLane> {
        self.turns += 1;
        let lane = self.lanes.get_mut(&id)?;
        lane.served = Some((request.at, self.turns));
        let mut deliveries = Vec::with_capacity(due.len());
        for (_, _, delivery) in due {
            let stored = self.deliveries.get_mut(delivery)?;
            stored.claim(request);
            deliveries.push(ClaimedDelivery {
                id: *delivery,
                event: stored.delivery.event_id,
                payload: self.events.get(&stored.delivery.event_id)?.event.payload.clone(),
                attempt: stored.delivery.attempts,
                run_attempt: stored.delivery.attempts - stored.attempts_before_run,
                run_started_at: stored.run_started_at,
            });
        }
        let (url, secrets) = (lane.subscription.url.clone(), lane.secrets.clone()?);
        Some(ClaimedLane { subscription: id, url, secrets, breaker: lane.breaker, deliveries })
    }

    /// Tells the lane's breaker, and disables the subscription if that says so.
    fn report(&mut self, subscription: SubscriptionId, report: Report) {
        let Some(lane) = self.lanes.get_mut(&subscription) else { return };
        let reason = lane.breaker.record(report);
        if let Some(reason) = reason.filter(|_| lane.is_open()) {
            lane.subscription.status = SubscriptionStatus::DisabledByService(reason);
            lane.subscription.updated_at = report.ended_at;
            self.end_closed(report.ended_at, u32::MAX);
        }
    }

    fn complete(&mut self, completion: &Completion) -> bool {
        let Some(stored) = self.deliveries.get_mut(&completion.delivery) else { return false };
        let report = stored.record(completion);
        let is_held = stored.complete(completion);
        if let Some(report) = report {
            self.report(completion.subscription, report);
        }
        is_held
    }
}

#[async_trait]
impl DeliveryQueue for MemoryWebhookStore {
    async fn claim(&self, request: &ClaimRequest) -> Result<Vec<ClaimedLane>, StoreError> {
        let mut tables = self.tables();
        let ready = tables.ready(request);
        Ok(ready.iter().filter_map(|(id, due)| tables.serve(request, *id, due)).collect())
    }

    async fn complete(&self, completions: &[Completion]) -> Result<Vec<bool>, StoreError> {
        let mut tables = self.tables();
        Ok(completions.iter().map(|completion| tables.complete(completion)).collect())
    }

    async fn end_closed(&self, at: Timestamp, max: u32) -> Result<u32, StoreError> {
        Ok(self.tables().end_closed(at, max))
    }
}
