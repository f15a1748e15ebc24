//! How claims end: pure decisions.

use std::time::Duration;

use domain::Timestamp;
use domain::ports::{ClaimedDelivery, Entropy};
use domain::webhooks::{AttemptRecord, ClaimEnd, RetrySchedule, Verdict};

use crate::DispatcherSettings;

/// Whether the delivery is past its schedule, so that it is not sent any more.
///
/// Claims count attempts, so that a delivery that kills the process each time ends here. A lane's pauses may last
/// longer than the schedule allows. See decision 34.
pub(crate) fn is_past_schedule(schedule: &RetrySchedule, delivery: &ClaimedDelivery, now: Timestamp) -> bool {
    let is_spent = delivery.run_attempt > schedule.attempts_max();
    let is_too_old = now > delivery.run_started_at.plus(schedule.age_max());
    is_spent || is_too_old
}

/// The end of a claim after an attempt. Without a record, Gatepost made no attempt, and the delivery waits for
/// `fault_wait`.
pub(crate) fn after_attempt(
    DispatcherSettings { schedule, pauses, .. }: &DispatcherSettings,
    delivery: &ClaimedDelivery,
    ended_at: Timestamp,
    attempt: Option<AttemptRecord>,
    verdict: Verdict,
    fault_wait: Duration,
    entropy: &dyn Entropy,
) -> ClaimEnd {
    match (attempt, verdict) {
        (Some(attempt), Verdict::Delivered) => ClaimEnd::Delivered(attempt),
        (Some(attempt), Verdict::Gone) => ClaimEnd::Gone(attempt),
        (Some(attempt), Verdict::Failed { retry_after, .. }) => {
            let ClaimedDelivery { run_attempt, run_started_at, .. } = *delivery;
            let retry_at = schedule.next_attempt(run_attempt, run_started_at, ended_at, retry_after, entropy);
            ClaimEnd::Failed { attempt, retry_after, retry_at, pauses: *pauses }
        }
        (None, _) | (_, Verdict::NotCharged) => give_back(schedule, delivery, ended_at, ended_at.plus(fault_wait)),
    }
}

/// Gives the delivery back, due at `due_at`; ends it when the schedule does not last that long.
pub(crate) fn give_back(
    schedule: &RetrySchedule,
    delivery: &ClaimedDelivery,
    at: Timestamp,
    due_at: Timestamp,
) -> ClaimEnd {
    if due_at > delivery.run_started_at.plus(schedule.age_max()) {
        ClaimEnd::Expired { at }
    } else {
        ClaimEnd::GivenBack { at, due_at }
    }
}

#[cfg(test)]
mod tests {
    use domain::memory::SeededEntropy;
    use domain::webhooks::{DeliveryEnd, FailureReason, NextStep, PauseLengths, Payload};
    use domain::{DeliveryId, EventId};

    use super::*;
    use domain::webhooks::AnswerHeaders;

    const START: i64 = 1_795_225_323_120;

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_unix_millis(START).unwrap().plus(Duration::from_secs(seconds))
    }

    fn delivery(run_attempt: u32) -> ClaimedDelivery {
        ClaimedDelivery {
            id: DeliveryId::from_bytes([1; 16]),
            event: EventId::from_bytes([2; 16]),
            payload: Payload::from_bytes(&b"{}"[..]),
            attempt: run_attempt + 7,
            run_attempt,
            run_started_at: at(0),
            sequence: None,
            trace: None,
        }
    }

    /// Three attempts, at most 3 days and 12 s after the start.
    fn schedule() -> RetrySchedule {
        RetrySchedule::new(vec![Duration::from_secs(4), Duration::from_secs(6)]).unwrap()
    }

    #[test]
    fn what_is_past_its_schedule_is_not_sent() {
        let age_max = 3 * 24 * 3_600 + 12;
        for (run_attempt, seconds, is_past) in
            [(1, 0, false), (3, 0, false), (4, 0, true), (1, age_max, false), (1, age_max + 1, true)]
        {
            let past = is_past_schedule(&schedule(), &delivery(run_attempt), at(seconds));
            assert_eq!(past, is_past, "{run_attempt} {seconds}");
        }
    }

    #[test]
    fn the_verdict_decides_how_a_delivery_goes_on() {
        const FAULT_WAIT: Duration = Duration::from_secs(3);
        let failed = |retry_after: Option<u64>| {
            let retry_after = retry_after.map(Duration::from_secs);
            Verdict::Failed { reason: FailureReason::Status, retry_after }
        };
        let end = |end| (NextStep::End(end), NextStep::End(end));
        let retry = |from, to| (NextStep::Retry(at(from)), NextStep::Retry(at(to)));
        for (verdict, run_attempt, (earliest, latest)) in [
            (Verdict::Delivered, 1, end(DeliveryEnd::Delivered)),
            (Verdict::Gone, 1, end(DeliveryEnd::SubscriptionDisabled)),
            (failed(None), 1, retry(104, 105)),
            (failed(None), 2, retry(106, 108)),
            (failed(None), 3, end(DeliveryEnd::ScheduleSpent)),
            (failed(Some(1)), 1, retry(104, 105)),
            (failed(Some(60)), 1, retry(160, 172)),
            (failed(Some(4 * 24 * 3_600)), 1, retry(2 * 24 * 3_600 + 12, 2 * 24 * 3_600 + 12)),
            (Verdict::NotCharged, 3, (NextStep::GiveBack(at(103)), NextStep::GiveBack(at(103)))),
        ] {
            let (entropy, delivery) = (SeededEntropy::new(1), delivery(run_attempt));
            let attempt = (verdict != Verdict::NotCharged).then(|| attempt(verdict));
            let pauses = PauseLengths { first: FAULT_WAIT, longest: 2 * FAULT_WAIT };
            let settings = DispatcherSettings { schedule: schedule(), pauses, ..DispatcherSettings::default() };
            let ended = after_attempt(&settings, &delivery, at(100), attempt, verdict, FAULT_WAIT, &entropy);
            assert_eq!(ended.ended_at(), at(100), "{verdict:?}");
            let report = ended.report();
            assert_eq!(report.map_or(Verdict::NotCharged, |report| report.verdict), verdict);
            if matches!(verdict, Verdict::Failed { .. }) {
                assert_eq!(report.map(|report| report.pauses), Some(pauses), "{verdict:?}");
            }
            match (earliest, ended.next_step(), latest) {
                (NextStep::Retry(earliest), NextStep::Retry(next), NextStep::Retry(latest)) => {
                    assert!((earliest..=latest).contains(&next), "{verdict:?}: {next}");
                }
                (_, next, _) => assert_eq!(next, earliest, "{verdict:?}"),
            }
        }
    }

    /// An attempt of one second with this verdict.
    fn attempt(verdict: Verdict) -> AttemptRecord {
        let failure = (verdict != Verdict::Delivered).then_some(FailureReason::Status);
        let duration = Duration::from_secs(1);
        AttemptRecord {
            number: 1,
            started_at: at(99),
            duration,
            failure,
            status: None,
            headers: AnswerHeaders::default(),
            excerpt: Vec::new(),
        }
    }

    #[test]
    fn our_own_faults_end_with_the_schedule_too() {
        let age_max = 3 * 24 * 3_600 + 12;
        let back = |due| give_back(&schedule(), &delivery(1), at(1), at(due));
        assert_eq!(back(age_max), ClaimEnd::GivenBack { at: at(1), due_at: at(age_max) });
        assert_eq!(back(age_max + 1), ClaimEnd::Expired { at: at(1) });
    }
}
