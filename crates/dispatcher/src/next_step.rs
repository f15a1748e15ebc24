//! What becomes of a delivery: pure decisions.

use std::time::Duration;

use domain::Timestamp;
use domain::ports::{ClaimedDelivery, Entropy, NextStep};
use domain::webhooks::{DeliveryEnd, RetrySchedule, Verdict};

/// Whether the delivery is not to be sent any more, and how it ends then: it is past its schedule.
///
/// Attempts are counted by claims, so that a delivery at which the process dies each time ends here. A lane's pauses
/// may last longer than the schedule allows. See decision 34.
pub(crate) fn end_unsent(schedule: &RetrySchedule, delivery: &ClaimedDelivery, now: Timestamp) -> Option<DeliveryEnd> {
    let is_spent = delivery.run_attempt > schedule.attempts_max();
    let is_too_old = now > delivery.run_started_at.plus(schedule.age_max());
    (is_spent || is_too_old).then_some(DeliveryEnd::ScheduleSpent)
}

/// What follows an attempt that ended so. `fault_wait` is how long to wait when the fault is ours.
pub(crate) fn after_attempt(
    schedule: &RetrySchedule,
    delivery: &ClaimedDelivery,
    ended_at: Timestamp,
    verdict: Verdict,
    fault_wait: Duration,
    entropy: &dyn Entropy,
) -> NextStep {
    match verdict {
        Verdict::Delivered => NextStep::End(DeliveryEnd::Delivered),
        Verdict::Gone => NextStep::End(DeliveryEnd::SubscriptionDisabled),
        Verdict::Failed { retry_after, .. } => schedule
            .next_attempt(delivery.run_attempt, delivery.run_started_at, ended_at, retry_after, entropy)
            .map_or(NextStep::End(DeliveryEnd::ScheduleSpent), NextStep::Retry),
        Verdict::NotCharged => give_back(schedule, delivery, ended_at.plus(fault_wait)),
    }
}

/// Back to the queue until `at`, uncounted, if the schedule lasts as long.
pub(crate) fn give_back(schedule: &RetrySchedule, delivery: &ClaimedDelivery, at: Timestamp) -> NextStep {
    if at > delivery.run_started_at.plus(schedule.age_max()) {
        NextStep::End(DeliveryEnd::ScheduleSpent)
    } else {
        NextStep::GiveBack(at)
    }
}

#[cfg(test)]
mod tests {
    use domain::memory::SeededEntropy;
    use domain::webhooks::{FailureReason, Payload};
    use domain::{DeliveryId, EventId};

    use super::*;

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
        }
    }

    /// Three attempts, at most 3 days and 12 s after the start.
    fn schedule() -> RetrySchedule {
        RetrySchedule::new(vec![Duration::from_secs(4), Duration::from_secs(6)]).unwrap()
    }

    #[test]
    fn what_is_past_its_schedule_is_not_sent() {
        let age_max = 3 * 24 * 3_600 + 12;
        let spent = Some(DeliveryEnd::ScheduleSpent);
        for (run_attempt, seconds, end) in
            [(1, 0, None), (3, 0, None), (4, 0, spent), (1, age_max, None), (1, age_max + 1, spent)]
        {
            assert_eq!(end_unsent(&schedule(), &delivery(run_attempt), at(seconds)), end, "{run_attempt} {seconds}");
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
            let entropy = SeededEntropy::new(1);
            let next = after_attempt(&schedule(), &delivery(run_attempt), at(100), verdict, FAULT_WAIT, &entropy);
            match (earliest, next, latest) {
                (NextStep::Retry(earliest), NextStep::Retry(next), NextStep::Retry(latest)) => {
                    assert!((earliest..=latest).contains(&next), "{verdict:?}: {next}");
                }
                _ => assert_eq!(next, earliest, "{verdict:?}"),
            }
        }
    }

    #[test]
    fn our_own_faults_end_with_the_schedule_too() {
        let age_max = 3 * 24 * 3_600 + 12;
        assert_eq!(give_back(&schedule(), &delivery(1), at(age_max)), NextStep::GiveBack(at(age_max)));
        assert_eq!(give_back(&schedule(), &delivery(1), at(age_max + 1)), NextStep::End(DeliveryEnd::ScheduleSpent));
    }
}
