use std::sync::Arc;
use std::time::Duration;

use domain::ports::{Attempt, ClaimId, ClaimedDelivery, Completion, WebhookSender};
use domain::webhooks::{
    AttemptOutcome, AttemptRecord, ClaimEnd, FailureReason, NextStep, OwnerNumber, Report, Verdict,
};
use domain::{SubscriptionId, Timestamp};
use tokio::task::{Id, JoinError};
use tokio::time::{Instant, timeout};
use tracing::field::display;

use crate::POLL_INTERVAL;
use crate::completions::{Effect, Note};
use crate::lane::{Aftermath, Waiting};
use crate::next_step::{after_attempt, give_back, is_past_schedule};
use crate::state::{AttemptEnd, Flight, Run};

impl Run<'_> {
    /// Starts deliveries up to the limits, one from each owner and lane in turn.
    pub(crate) fn start_ready(&mut self) {
        while let Some((owner, lane)) = self.lanes.next() {
            self.start_next_of(owner, lane);
        }
    }

    fn start_next_of(&mut self, owner: OwnerNumber, lane: SubscriptionId) {
        let Some(waiting) = self.lanes.front(lane) else { return };
        let now = self.dispatcher.clock.now();
        if is_past_schedule(&self.dispatcher.settings.schedule, &waiting.delivery, now) {
            if let Some(waiting) = self.lanes.skip(lane) {
                let end = ClaimEnd::Expired { at: now };
                self.end_claim(lane, waiting.claim, &waiting.delivery, end, Effect::default());
            }
        } else if waiting.start_by.is_over(Instant::now(), now) {
            self.give_back_late(owner, lane, now);
        } else if !self.hosts.enter(&waiting.target.host, owner, lane) {
            self.lanes.block(lane);
        } else if let Some(waiting) = self.lanes.start(lane) {
            self.start(owner, lane, waiting, now);
        }
    }

    fn start(&mut self, owner: OwnerNumber, subscription: SubscriptionId, waiting: Waiting, started_at: Timestamp) {
        let Waiting { delivery, target, claim, start_by: _ } = waiting;
        if delivery.attempt == 1 {
            self.dispatcher.counters.first_delays.observe(started_at.since(delivery.run_started_at));
        }
        let span = self.dispatcher.open_span(&delivery);
        let attempt = Attempt {
            url: target.url.clone(),
            event_id: delivery.event,
            payload: delivery.payload.clone(),
            signers: target.secrets.signing_at(started_at),
            headers: target.secrets.headers(),
            sequence: delivery.sequence,
            at: self.dispatcher.clock.world_time(),
            trace: span.filter(|_| self.dispatcher.settings.sends_traceparent).map(|span| span.context),
        };
        let sender = Arc::clone(&self.dispatcher.sender);
        let task = self.attempts.spawn(send(sender, attempt, self.dispatcher.settings.attempt_max()));
        self.flights.insert(task.id(), Flight { subscription, owner, delivery, target, claim, started_at, span });
    }

    /// Handles an ended attempt, and all others that have ended by now.
    pub(crate) fn attempts_ended(&mut self, first: Result<(Id, AttemptEnd), JoinError>) {
        let mut next = Some(first);
        while let Some(ended) = next {
            match ended {
                Ok((id, ended)) => self.attempt_ended(id, ended),
                Err(error) => self.attempt_broke(&error),
            }
            next = self.attempts.try_join_next_with_id();
        }
        self.start_ready();
    }

    fn attempt_ended(&mut self, id: Id, ended: AttemptEnd) {
        let Some(flight) = self.flights.remove(&id) else { return };
        let AttemptEnd { outcome, duration } = ended;
        let verdict = outcome.verdict();
        self.dispatcher.counters.count(verdict, duration);
        let attempt = AttemptRecord::of(flight.delivery.attempt, flight.started_at, duration, &outcome);
        let ended_at = attempt.as_ref().map_or(flight.started_at.plus(duration), AttemptRecord::ended_at);
        let aftermath = self.land(&flight, self.report(&flight, ended_at, verdict));
        let end = after_attempt(
            &self.dispatcher.settings,
            &flight.delivery,
            ended_at,
            attempt,
            verdict,
            aftermath.fault_wait.unwrap_or_default(),
            &*self.dispatcher.entropy,
        );
        log(&flight, &outcome, &aftermath, end.next_step());
        self.dispatcher.end_span(&flight, Some(&outcome), duration);
        let effect = Effect { is_awaited: aftermath.was_probe, closes: aftermath.is_closed };
        self.end_claim(flight.subscription, flight.claim, &flight.delivery, end, effect);
        self.spare_those_who_wait(flight.subscription, &aftermath, ended_at);
    }

    /// Handles a panic of the sender. The receiver may have the webhook, so the attempt counts, and the schedule limits how
    /// often this happens.
    fn attempt_broke(&mut self, error: &JoinError) {
        let Some(flight) = self.flights.remove(&error.id()) else { return };
        let error: &dyn std::error::Error = error;
        tracing::error!(delivery = %flight.delivery.id, error, "a webhook attempt panicked");
        let ended_at = self.dispatcher.clock.now();
        let aftermath = self.land(&flight, self.report(&flight, ended_at, Verdict::NotCharged));
        self.cut_off(&flight, ended_at, ended_at.plus(aftermath.fault_wait.unwrap_or_default()));
        self.spare_those_who_wait(flight.subscription, &aftermath, ended_at);
    }

    fn report(&self, flight: &Flight, ended_at: Timestamp, verdict: Verdict) -> Report {
        Report { started_at: flight.started_at, ended_at, verdict, pauses: self.dispatcher.settings.pauses }
    }

    /// Frees the attempt's places at its host and in its lane, and reports to the lane.
    fn land(&mut self, flight: &Flight, report: Report) -> Aftermath {
        for lane in self.hosts.leave(&flight.target.host, flight.owner) {
            self.lanes.unblock(lane);
        }
        let aftermath = self.lanes.attempt_ended(flight, report, Instant::now());
        let wants_more = self.lanes.get_mut(flight.subscription).is_some_and(|lane| lane.wants_more(report.ended_at));
        if wants_more || self.lanes.is_worth_claiming_for(flight.owner) {
            self.claiming.want(self.lanes.has_room_for_many(flight.owner));
        }
        aftermath
    }

    /// Ends the claim on a delivery with an attempt of unknown outcome. The attempt stays counted.
    pub(crate) fn cut_off(&mut self, flight: &Flight, at: Timestamp, retry_at: Timestamp) {
        self.dispatcher.counters.cut_off.add(1);
        self.dispatcher.end_span(flight, None, at.since(flight.started_at));
        let end = ClaimEnd::CutOff { at, retry_at };
        self.end_claim(flight.subscription, flight.claim, &flight.delivery, end, Effect::default());
    }

    /// Gives back the lane's waiting deliveries when the lane must pause.
    fn spare_those_who_wait(&mut self, lane: SubscriptionId, aftermath: &Aftermath, at: Timestamp) {
        // The queue holds back a lane that pauses. The wait of a second is for a pause that the success of another
        // dispatcher has ended already: without it, the two would claim and give back until both results are stored.
        let pause = (aftermath.paused_until.is_some() || aftermath.is_closed).then_some(POLL_INTERVAL);
        if let Some(wait) = aftermath.fault_wait.or(pause) {
            self.give_back_all_of(lane, at.plus(wait));
        }
    }

    pub(crate) fn give_back_all_of(&mut self, lane: SubscriptionId, at: Timestamp) {
        for waiting in self.lanes.drain(lane) {
            self.give_back(lane, waiting.claim, &waiting.delivery, at);
        }
    }

    /// Gives back deliveries that waited too long for their start.
    pub(crate) fn give_back_what_waited_too_long(&mut self, now: Instant) {
        let at = self.dispatcher.clock.now();
        for (owner, lane) in self.lanes.with_waiting() {
            while self.lanes.front(lane).is_some_and(|waiting| waiting.start_by.is_over(now, at)) {
                self.give_back_late(owner, lane, at);
            }
        }
        self.lanes.narrow_windows();
    }

    fn give_back_late(&mut self, owner: OwnerNumber, lane: SubscriptionId, at: Timestamp) {
        if let Some(waiting) = self.lanes.skip(lane) {
            self.lanes.was_late(owner);
            self.give_back(lane, waiting.claim, &waiting.delivery, at);
        }
    }

    pub(crate) fn give_back(
        &mut self,
        lane: SubscriptionId,
        claim: ClaimId,
        delivery: &ClaimedDelivery,
        due_at: Timestamp,
    ) {
        self.dispatcher.counters.given_back.add(1);
        let end = give_back(&self.dispatcher.settings.schedule, delivery, self.dispatcher.clock.now(), due_at);
        self.end_claim(lane, claim, delivery, end, Effect::default());
    }

    /// Queues the end of a claim to be stored. In an order, the next deliveries follow a success at once. After any other end
    /// they go back, because they may leave only when it is stored.
    fn end_claim(
        &mut self,
        subscription: SubscriptionId,
        claim: ClaimId,
        delivery: &ClaimedDelivery,
        end: ClaimEnd,
        mut effect: Effect,
    ) {
        let now = Instant::now();
        let lane = delivery.sequence.and_then(|_| self.lanes.get_mut(subscription));
        let order = lane.as_ref().and_then(|lane| lane.order);
        let end = end.in_order(order);
        let holds_others = order.is_some() && !matches!(end, ClaimEnd::Delivered(_));
        let (at, delivery) = (end.ended_at(), delivery.id);
        effect.is_awaited |= lane.is_some_and(|lane| lane.claimed() == 0);
        effect.closes |= end.stopped_at().is_some();
        let completion = Completion { subscription, delivery, claim, end };
        let lease_ends = now + self.dispatcher.settings.lease();
        let note = Note { lease_ends, effect, refused_alone_at: None };
        self.completions.push(completion, note, now);
        if holds_others {
            self.give_back_all_of(subscription, at);
        }
    }
}

/// Makes one attempt. The sender has its own deadline. A sender that misses it is cut off before the claim ends, so
/// that no other dispatcher sends the delivery at the same time.
async fn send(sender: Arc<dyn WebhookSender>, attempt: Attempt, limit: Duration) -> AttemptEnd {
    let begun = Instant::now();
    let outcome = timeout(limit, sender.send(attempt)).await;
    let outcome = outcome.unwrap_or(AttemptOutcome::Failed { reason: FailureReason::Timeout, answer: None });
    AttemptEnd { outcome, duration: begun.elapsed() }
}

/// Logs the attempt. The target's `Debug` shows only the origin, because receivers put secrets into paths and queries.
fn log(flight: &Flight, outcome: &AttemptOutcome, aftermath: &Aftermath, next: NextStep) {
    let Flight { subscription, delivery, target, span, .. } = flight;
    let trace_id = span.map(|span| display(span.context.trace));
    let span_id = span.map(|span| display(span.context.span));
    let (id, event, attempt, url) = (delivery.id, delivery.event, delivery.attempt, &target.url);
    let status = match outcome {
        AttemptOutcome::Answered(answer) => Some(answer.status),
        AttemptOutcome::Failed { .. } | AttemptOutcome::NotCharged(_) => None,
    };
    match outcome.verdict() {
        Verdict::Delivered => {
            tracing::debug!(%subscription, delivery = %id, %event, attempt, target_url = ?url, status, trace_id, span_id, "webhook delivered");
        }
        verdict @ (Verdict::Failed { .. } | Verdict::Gone) => {
            tracing::info!(%subscription, delivery = %id, %event, attempt, target_url = ?url, status, ?verdict, ?next, trace_id, span_id, "webhook not delivered");
        }
        Verdict::NotCharged => {
            tracing::info!(%subscription, delivery = %id, %event, target_url = ?url, ?outcome, ?next, trace_id, span_id, "webhook not sent: the fault is not the receiver's");
        }
    }
    if let Some(until) = aftermath.paused_until {
        tracing::info!(%subscription, target_url = ?url, %until, "deliveries to the receiver are paused");
    }
}
