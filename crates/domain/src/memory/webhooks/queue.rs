use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashSet};

use async_trait::async_trait;

use super::super::audit::MemoryAuditLog;
use super::{Lane, MemoryWebhookStore, StoredDelivery, StoredEvent, Tables};
use crate::audit::Cause;
use crate::ports::{ClaimRequest, ClaimedDelivery, ClaimedLane, Completion, DeliveryQueue, HandedOver, StoreError};
use crate::webhooks::{
    Admission, AfterClaim, Allotment, Consequences, DeliveryEnd, OwnerNumber, PayloadRoom, QueuedDelivery, Report,
    Subscription, SubscriptionOutcomes, SubscriptionStatus,
};
use crate::{DeliveryId, SubscriptionId, Timestamp};

/// Due deliveries of a lane, in the order in which they leave.
type Due = Vec<(Timestamp, DeliveryId)>;
/// The deliveries in the queue of a lane.
type Queued = Vec<(QueuedDelivery, DeliveryId)>;

impl Lane {
    /// The lane with these deliveries, to send them; `None` if the subscription is deleted.
    pub(super) fn to_claim(&self, deliveries: Vec<ClaimedDelivery>) -> Option<ClaimedLane> {
        let Subscription { id, owner, url, .. } = &self.subscription;
        let (subscription, owner, url) = (*id, OwnerNumber::of(owner), url.clone());
        let (secrets, breaker, rests_until) = (self.sealed()?, self.breaker, self.rests_until);
        Some(ClaimedLane { subscription, owner, url, secrets, breaker, rests_until, deliveries })
    }

    /// How many deliveries the breaker and the rate admit at `at`.
    fn admitted(&self, at: Timestamp, is_out: bool) -> usize {
        let by_rate = self.subscription.options.max_per_second.map_or(usize::MAX, |rate| rate.claim_max() as usize);
        match self.breaker.admission(at) {
            _ if self.rests_until.is_some_and(|until| at < until) => 0,
            Admission::Free => by_rate,
            Admission::Probe if !is_out => 1,
            Admission::Probe | Admission::Paused(_) => 0,
        }
    }

    /// Since when the lane has waited for service. Of lanes with the same time, the one that was served earlier comes
    /// first.
    fn waiting_since(&self, due: &Due) -> Option<(Timestamp, u64)> {
        let due_at = due.iter().map(|(due_at, _)| *due_at).min()?;
        let paused_until = self.breaker.pause.map(|pause| pause.until);
        let admitted_at = due_at.max(paused_until.max(self.rests_until).unwrap_or(due_at));
        Some(self.served.map_or((admitted_at, 0), |(at, turn)| (at.max(admitted_at), turn)))
    }
}

/// The deliveries that are due at `at`. One with a number leaves only if all with lower numbers do.
fn due(queued: Queued, at: Timestamp) -> Due {
    let is_due = |(one, _): &(QueuedDelivery, DeliveryId)| one.is_due(at);
    let (mut in_order, mut others): (Queued, Queued) = queued.into_iter().partition(|(one, _)| one.sequence.is_some());
    in_order.sort_unstable_by_key(|(one, _)| one.sequence);
    others.sort_unstable_by_key(|(one, id)| (one.phase, one.due_at, *id));
    let due = in_order.into_iter().take_while(is_due).chain(others.into_iter().filter(is_due));
    due.map(|(one, id)| (one.due_at, id)).collect()
}

impl StoredDelivery {
    /// Puts the delivery under the claim and returns it to be sent; `None` if the delivery has ended.
    fn claim(&mut self, request: &ClaimRequest, event: &StoredEvent) -> Option<ClaimedDelivery> {
        let claimed = self.queued?.claimed(request.claim, request.until);
        self.queue(claimed);
        Some(ClaimedDelivery {
            id: self.delivery.id,
            event: self.delivery.event_id,
            payload: event.event.payload.clone(),
            attempt: claimed.attempts,
            run_attempt: claimed.run_attempt(),
            run_started_at: claimed.run_started_at,
            sequence: claimed.sequence,
            trace: event.trace,
        })
    }

    /// The report of the attempt, if its record is stored now.
    fn record(&mut self, completion: &Completion) -> Option<Report> {
        let attempt = completion.end.attempt()?;
        let Entry::Vacant(place) = self.attempts.entry(attempt.number) else { return None };
        place.insert(attempt.clone());
        completion.end.report()
    }

    /// Whether the completion's claim held the delivery. If so, ends the claim.
    fn complete(&mut self, completion: &Completion) -> bool {
        match self.queued.and_then(|queued| queued.after(completion.claim, &completion.end)) {
            None => return false,
            Some(AfterClaim::Queued(queued)) => self.queue(queued),
            Some(AfterClaim::Ended(end)) => self.end(end, completion.end.ended_at()),
        }
        true
    }
}

impl Tables {
    /// The due deliveries of each lane that is open and admitted, up to the limits of the claim. The lane that has
    /// waited longest comes first.
    fn ready(&self, request: &ClaimRequest) -> Vec<(SubscriptionId, Due)> {
        let out = self.deliveries.values().filter(|stored| stored.is_out(request.at));
        let out: HashSet<SubscriptionId> = out.map(|stored| stored.delivery.subscription_id).collect();
        let mut queued: BTreeMap<SubscriptionId, Queued> = BTreeMap::new();
        for stored in self.deliveries.values() {
            let lane = stored.delivery.subscription_id;
            queued.entry(lane).or_default().extend(stored.queued.map(|one| (one, stored.delivery.id)));
        }
        let mut ready = Vec::new();
        for (id, queued) in queued {
            let may_send = |lane: &&Lane| lane.is_open() && !self.owners.is_suspended(&lane.subscription.owner);
            let Some(lane) = self.lanes.get(&id).filter(may_send) else { continue };
            let mut due = due(queued, request.at);
            let waiting_since = lane.waiting_since(&due);
            due.truncate(lane.admitted(request.at, out.contains(&id)));
            ready.push((waiting_since, id, due));
        }
        ready.sort_unstable();
        let mut allotment = Allotment::new(request);
        for (_, id, due) in &mut ready {
            let owner = OwnerNumber::of(&self.lanes[id].subscription.owner);
            let wanted = u32::try_from(due.len()).unwrap_or(u32::MAX);
            due.truncate(allotment.admit(*id, owner, wanted) as usize);
        }
        ready.retain(|(_, _, due)| !due.is_empty());
        ready.into_iter().map(|(_, id, due)| (id, due)).collect()
    }

    fn serve(
        &mut self,
        request: &ClaimRequest,
        id: SubscriptionId,
        due: &Due,
        payload_room: &mut PayloadRoom,
    ) -> Option<ClaimedLane> {
        self.turns += 1;
        let lane = self.lanes.get_mut(&id)?;
        lane.served = Some((request.at, self.turns));
        let rested_until = self.owners.rested_until(&lane.subscription.owner);
        let mut deliveries = Vec::with_capacity(due.len());
        for (_, delivery) in due {
            let stored = self.deliveries.get_mut(delivery)?;
            let Some(event) = self.events.get(&stored.delivery.event_id) else {
                stored.end(DeliveryEnd::Unreadable, request.at);
                continue;
            };
            if !payload_room.admit(event.event.payload.bytes().len()) {
                break;
            }
            let claimed = stored.claim(request, event)?;
            let run_started_at = claimed.run_started_at.max(rested_until.unwrap_or(Timestamp::MIN));
            deliveries.push(ClaimedDelivery { run_started_at, ..claimed });
        }
        if deliveries.is_empty() {
            return None;
        }
        let taken = u32::try_from(deliveries.len()).unwrap_or(u32::MAX);
        let rate = lane.subscription.options.max_per_second;
        lane.rests_until = rate.map(|rate| rate.rests_until(lane.rests_until, request.at, taken));
        lane.to_claim(deliveries)
    }

    /// Reports to the lane's breaker, and disables the subscription if the breaker returns a reason, or its order stopped.
    fn report(
        &mut self,
        id: SubscriptionId,
        reports: &[Report],
        stopped_at: Option<Timestamp>,
        audit: &MemoryAuditLog,
    ) {
        let Some(lane) = self.lanes.get_mut(&id) else { return };
        let Consequences { disabled, turned } = lane.breaker.record_all(reports).with_stop(stopped_at);
        if !lane.is_open() {
            return;
        }
        let owner = lane.subscription.owner.clone();
        if let Some((turn, at)) = turned {
            audit.write([Cause::of_service(at, id).subscription_turned(id, &owner, turn)]);
        }
        if let Some((reason, at)) = disabled {
            let status = SubscriptionStatus::DisabledByService(reason);
            (lane.subscription.status, lane.subscription.updated_at) = (status, at);
            audit.write(Cause::of_service(at, id).subscriptions_disabled(status, [(id, owner)]));
            self.end_closed(at, u32::MAX);
        }
    }

    /// Whether the claim still held its delivery, and the report for the breaker.
    fn complete(&mut self, completion: &Completion) -> (bool, Option<Report>) {
        let Some(stored) = self.deliveries.get_mut(&completion.delivery) else { return (false, None) };
        let report = stored.record(completion);
        (stored.complete(completion), report)
    }
}

#[async_trait]
impl DeliveryQueue for MemoryWebhookStore {
    async fn claim(&self, request: &ClaimRequest) -> Result<Vec<ClaimedLane>, StoreError> {
        let mut tables = self.tables();
        let ready = tables.ready(request);
        let mut payload_room = PayloadRoom::new(request);
        Ok(ready.iter().filter_map(|(id, due)| tables.serve(request, *id, due, &mut payload_room)).collect())
    }

    fn offer_claims(&self, request: Option<&ClaimRequest>) -> u32 {
        self.claims.offer(request)
    }

    async fn handed_over(&self) -> Vec<HandedOver> {
        self.claims.handed_over().await
    }

    async fn complete(&self, completions: &[Completion]) -> Result<Vec<bool>, StoreError> {
        let mut tables = self.tables();
        let mut held = Vec::with_capacity(completions.len());
        let mut lanes: BTreeMap<SubscriptionId, (Vec<Report>, Option<Timestamp>)> = BTreeMap::new();
        for completion in completions {
            let (is_held, report) = tables.complete(completion);
            held.push(is_held);
            let (reports, stopped_at) = lanes.entry(completion.subscription).or_default();
            reports.extend(report);
            *stopped_at = stopped_at.or(completion.end.stopped_at().filter(|_| is_held));
        }
        for (id, (reports, stopped_at)) in lanes {
            tables.report(id, &reports, stopped_at, &self.audit);
        }
        Ok(held)
    }

    async fn end_closed(&self, at: Timestamp, max: u32) -> Result<u32, StoreError> {
        Ok(self.tables().end_closed(at, max))
    }

    async fn add_outcomes(&self, outcomes: &[SubscriptionOutcomes]) -> Result<(), StoreError> {
        self.tables().outcomes.add(outcomes);
        Ok(())
    }
}
