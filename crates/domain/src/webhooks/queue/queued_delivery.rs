use super::claim_end::{ClaimEnd, NextStep};
use crate::Timestamp;
use crate::ports::ClaimId;
use crate::webhooks::{DeliveryEnd, DeliveryState};

/// The order in which the deliveries of a lane leave: first attempts, then retries, then replays. Those with a number leave by
/// it, before all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// The first attempt of the first run.
    First,
    /// A later attempt of the first run.
    Retry,
    /// Any attempt of a later run: the delivery was retried by hand, or recovered.
    Replay,
    /// Any attempt of a delivery that has a [number](QueuedDelivery::sequence).
    Numbered,
}

impl Phase {
    /// Every phase.
    pub const ALL: [Self; 4] = [Self::First, Self::Retry, Self::Replay, Self::Numbered];
    /// The phases of deliveries without a number, in their order.
    pub const WITHOUT_NUMBER: [Self; 3] = [Self::First, Self::Retry, Self::Replay];
}

/// A delivery in the queue of its lane: from its publication to its end, and again when it is replayed.
///
/// This is the life of a delivery as a pure state machine. A store keeps the value and applies the transitions, or its
/// SQL does the same, and the conformance suite compares both. See decision 31.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuedDelivery {
    /// Which deliveries of the lane leave before this one.
    pub phase: Phase,
    /// When the next attempt is due; under a claim, when the claim expires.
    pub due_at: Timestamp,
    /// The claim under which the delivery is being sent; `None` while it waits.
    pub claim: Option<ClaimId>,
    /// How many attempts are counted.
    pub attempts: u32,
    /// How many attempts were counted before this run of the schedule.
    pub attempts_before_run: u32,
    /// When this run of the schedule started.
    pub run_started_at: Timestamp,
    /// The place in the order of its subscription, from 1; `None` if that has no order, and for a delivery that is replayed
    /// alone, which is out of order. The one with the lowest number leaves first, and the next one when that has ended.
    pub sequence: Option<u64>,
}

/// The state of a delivery after a claim on it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterClaim {
    /// The delivery stays in the queue.
    Queued(QueuedDelivery),
    /// The delivery leaves the queue.
    Ended(DeliveryEnd),
}

impl QueuedDelivery {
    /// A delivery of an event that was published at `at`.
    pub fn published(at: Timestamp) -> Self {
        Self {
            phase: Phase::First,
            due_at: at,
            claim: None,
            attempts: 0,
            attempts_before_run: 0,
            run_started_at: at,
            sequence: None,
        }
    }

    /// A delivery with this number of attempts that starts a new run of its schedule at `at`: it had ended, or waits. In an
    /// order it has a number, and leaves by that.
    pub fn replayed(attempts: u32, at: Timestamp, sequence: Option<u64>) -> Self {
        let replayed = Self { phase: Phase::Replay, ..Self::published(at) };
        Self { attempts, attempts_before_run: attempts, ..replayed }.numbered(sequence)
    }

    /// The delivery with this number, if it gets one.
    #[must_use]
    pub fn numbered(self, sequence: Option<u64>) -> Self {
        if sequence.is_some() { Self { phase: Phase::Numbered, sequence, ..self } } else { self }
    }

    /// Whether a claim may take the delivery at `at`: it waits and is due, or its claim has expired.
    pub fn is_due(&self, at: Timestamp) -> bool {
        self.due_at <= at
    }

    /// Whether a claim holds the delivery at `at`.
    pub fn is_out(&self, at: Timestamp) -> bool {
        self.claim.is_some() && at < self.due_at
    }

    /// The state as the owner sees it.
    pub fn state(&self) -> DeliveryState {
        match self.claim {
            Some(_) => DeliveryState::Sending(self.due_at),
            None => DeliveryState::Waiting(self.due_at),
        }
    }

    /// Which attempt of this run the claim is for, from 1. 0 before the first claim of the run.
    pub fn run_attempt(&self) -> u32 {
        self.attempts.saturating_sub(self.attempts_before_run)
    }

    /// The delivery under a claim until `until`. The attempt is counted now, so that a delivery that kills the process
    /// each time ends.
    #[must_use]
    pub fn claimed(self, claim: ClaimId, until: Timestamp) -> Self {
        Self {
            phase: self.phase.max(Phase::Retry),
            due_at: until,
            claim: Some(claim),
            attempts: self.attempts.saturating_add(1),
            ..self
        }
    }

    /// The delivery after the store has found at `at` that the process of its claim has ended. The process may only be
    /// cut off, so its claim no longer holds the delivery. The attempt stays counted.
    #[must_use]
    pub fn left(self, at: Timestamp) -> Self {
        Self { claim: None, due_at: at, ..self }
    }

    /// The delivery after `claim` has ended; `None` when that claim does not hold it. An expired claim holds the
    /// delivery until another one takes it.
    pub fn after(self, claim: ClaimId, end: &ClaimEnd) -> Option<AfterClaim> {
        if self.claim != Some(claim) {
            return None;
        }
        Some(match end.next_step() {
            NextStep::End(end) => AfterClaim::Ended(end),
            NextStep::Retry(at) => AfterClaim::Queued(self.left(at)),
            NextStep::GiveBack(at) => AfterClaim::Queued(self.left(at).uncounted()),
        })
    }

    /// Takes back the count of the claim, and with it the place among first attempts.
    fn uncounted(self) -> Self {
        let attempts = self.attempts.saturating_sub(1);
        let was_first = attempts == 0 && self.phase == Phase::Retry;
        Self { attempts, phase: if was_first { Phase::First } else { self.phase }, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_samples::at;

    const CLAIM: ClaimId = ClaimId::from_number(7);
    const OTHER: ClaimId = ClaimId::from_number(8);

    fn given_back(due_at: i64) -> ClaimEnd {
        ClaimEnd::GivenBack { at: at(50), due_at: at(due_at) }
    }

    fn cut_off(retry_at: i64) -> ClaimEnd {
        ClaimEnd::CutOff { at: at(50), retry_at: at(retry_at) }
    }

    fn queued(after: Option<AfterClaim>) -> QueuedDelivery {
        let Some(AfterClaim::Queued(queued)) = after else { panic!("{after:?}") };
        queued
    }

    #[test]
    fn a_claim_counts_an_attempt_and_lasts_until_its_instant() {
        let published = QueuedDelivery::published(at(10));
        assert_eq!((published.state(), published.run_attempt()), (DeliveryState::Waiting(at(10)), 0));
        assert!(!published.is_due(at(9)) && published.is_due(at(10)) && !published.is_out(at(9)));
        let claimed = published.claimed(CLAIM, at(60));
        assert_eq!((claimed.state(), claimed.attempts, claimed.run_attempt()), (DeliveryState::Sending(at(60)), 1, 1));
        assert!(claimed.is_out(at(59)) && !claimed.is_due(at(59)));
        assert!(!claimed.is_out(at(60)) && claimed.is_due(at(60)), "then another claim may take it");
        assert_eq!(claimed.claimed(OTHER, at(120)).attempts, 2);
    }

    #[test]
    fn only_the_claim_that_holds_ends() {
        let claimed = QueuedDelivery::published(at(10)).claimed(CLAIM, at(60));
        assert_eq!(claimed.after(OTHER, &given_back(90)), None);
        assert_eq!(QueuedDelivery::published(at(10)).after(CLAIM, &given_back(90)), None);
        let taken_over = claimed.claimed(OTHER, at(120));
        assert_eq!(taken_over.after(CLAIM, &ClaimEnd::Expired { at: at(50) }), None);
        let ended = Some(AfterClaim::Ended(DeliveryEnd::ScheduleSpent));
        assert_eq!(taken_over.after(OTHER, &ClaimEnd::Expired { at: at(50) }), ended);
    }

    #[test]
    fn what_was_begun_stays_counted_and_what_is_given_back_does_not() {
        let published = QueuedDelivery::published(at(10));
        let back = queued(published.claimed(CLAIM, at(60)).after(CLAIM, &given_back(90)));
        assert_eq!(back, QueuedDelivery { due_at: at(90), ..published }, "a first attempt as before");
        let cut_off = queued(published.claimed(CLAIM, at(60)).after(CLAIM, &cut_off(90)));
        assert_eq!((cut_off.attempts, cut_off.phase, cut_off.claim), (1, Phase::Retry, None));
        let again = queued(cut_off.claimed(OTHER, at(120)).after(OTHER, &given_back(130)));
        assert_eq!((again.attempts, again.phase), (1, Phase::Retry), "what is a retry stays one");
    }

    #[test]
    fn a_replay_starts_a_run_and_attempts_count_on() {
        let replayed = QueuedDelivery::replayed(12, at(100), None);
        assert_eq!((replayed.attempts, replayed.run_attempt(), replayed.run_started_at), (12, 0, at(100)));
        let claimed = replayed.claimed(CLAIM, at(160));
        assert_eq!((claimed.attempts, claimed.run_attempt(), claimed.phase), (13, 1, Phase::Replay));
        let back = queued(claimed.after(CLAIM, &given_back(170)));
        assert_eq!((back.attempts, back.phase), (12, Phase::Replay), "a replay never is a first attempt");
        let in_order = QueuedDelivery::replayed(12, at(100), Some(7));
        let claimed = in_order.claimed(CLAIM, at(160));
        let back = queued(claimed.after(CLAIM, &given_back(170)));
        for one in [in_order, claimed, back] {
            assert_eq!((one.phase, one.sequence), (Phase::Numbered, Some(7)), "a number stays");
        }
    }
}
