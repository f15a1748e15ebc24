use super::*;
use crate::webhooks::FailureReason;

const DAY: i64 = 86_400;
const FIRST: Duration = Duration::from_secs(30);

fn at(unix_seconds: i64) -> Timestamp {
    Timestamp::from_unix_millis(unix_seconds * 1_000).unwrap()
}

fn failed(retry_after: Option<u64>) -> Verdict {
    Verdict::Failed { reason: FailureReason::Status, retry_after: retry_after.map(Duration::from_secs) }
}

/// Records an attempt from `started` to `ended`, in seconds.
fn record(breaker: &mut Breaker, started: i64, ended: i64, verdict: Verdict) -> Option<DisableReason> {
    record_with(breaker, (started, ended), verdict, PauseLengths::default())
}

fn record_with(
    breaker: &mut Breaker,
    (started, ended): (i64, i64),
    verdict: Verdict,
    pauses: PauseLengths,
) -> Option<DisableReason> {
    breaker.record(Report { started_at: at(started), ended_at: at(ended), verdict, pauses })
}

/// A breaker after five failures, the last at second 4: it pauses until second 34.
fn tripped() -> Breaker {
    let mut breaker = Breaker::default();
    for second in 0..5 {
        assert_eq!(record(&mut breaker, second, second, failed(None)), None);
    }
    breaker
}

#[test]
fn the_fifth_failure_in_a_row_pauses_the_lane() {
    let mut breaker = Breaker::default();
    for second in 0..4 {
        assert_eq!(record(&mut breaker, second, second, failed(None)), None);
        assert_eq!(breaker.admission(at(second)), Admission::Free);
    }
    assert_eq!(record(&mut breaker, 4, 4, failed(None)), None);
    assert_eq!(breaker.admission(at(4)), Admission::Paused(at(34)));
    assert_eq!(breaker.admission(at(33)), Admission::Paused(at(34)));
    assert_eq!(breaker.admission(at(34)), Admission::Probe);
    assert_eq!(breaker.failing_since, Some(at(0)));
}

#[test]
fn each_failed_probe_doubles_the_pause_up_to_an_hour() {
    let mut breaker = tripped();
    let mut now = 34;
    for seconds in [60, 120, 240, 480, 960, 1_920, 3_600, 3_600] {
        assert_eq!(breaker.admission(at(now)), Admission::Probe);
        assert_eq!(record(&mut breaker, now, now + 15, failed(None)), None);
        assert_eq!(breaker.admission(at(now + 15)), Admission::Paused(at(now + 15 + seconds)));
        now += 15 + seconds;
    }
}

#[test]
fn pauses_are_as_long_as_the_sender_chooses() {
    let pauses = PauseLengths { first: Duration::from_secs(1), longest: Duration::from_secs(5) };
    let mut breaker = Breaker::default();
    let mut now = 0;
    for seconds in [0, 0, 0, 0, 1, 2, 4, 5, 5] {
        assert_eq!(record_with(&mut breaker, (now, now), failed(None), pauses), None);
        let length = breaker.pause.map_or(Duration::ZERO, |pause| pause.length);
        assert_eq!(length, Duration::from_secs(seconds), "at {now}");
        now += i64::try_from(seconds).unwrap();
    }
    assert_eq!(record_with(&mut breaker, (now, now), failed(Some(60)), pauses), None);
    assert_eq!(
        breaker.admission(at(now)),
        Admission::Paused(at(now + 60)),
        "a receiver gets the time that it asks for"
    );
}

#[test]
fn what_was_in_flight_when_the_lane_paused_is_no_probe() {
    let mut breaker = tripped();
    for ended in [10, 20, 40] {
        assert_eq!(record(&mut breaker, 3, ended, failed(None)), None);
    }
    assert_eq!(breaker.failures_in_a_row, 8);
    assert_eq!(breaker.pause, tripped().pause);
    assert_eq!(record(&mut breaker, 34, 45, failed(None)), None, "the probe ran beside the last of them");
    assert_eq!(breaker.pause, Some(Pause { until: at(45 + 60), length: 2 * FIRST }));
}

#[test]
fn a_success_closes_the_breaker() {
    for (started, ended) in [(34, 35), (3, 10)] {
        let mut breaker = tripped();
        assert_eq!(record(&mut breaker, started, ended, Verdict::Delivered), None);
        assert_eq!(breaker, Breaker::default());
        assert_eq!(breaker.admission(at(ended)), Admission::Free);
    }
}

#[test]
fn retry_after_slows_the_lane_but_for_an_hour_at_most() {
    for (asked, paused) in [(60, 60), (3_600, 3_600), (86_400, 3_600)] {
        let mut breaker = Breaker::default();
        assert_eq!(record(&mut breaker, 0, 1, failed(Some(asked))), None);
        assert_eq!(breaker.admission(at(1)), Admission::Paused(at(1 + paused)));
        assert_eq!(breaker.admission(at(1 + paused)), Admission::Free, "slowed, not tripped");
    }
    let mut breaker = Breaker::default();
    assert_eq!(record(&mut breaker, 0, 1, failed(Some(0))), None);
    assert_eq!(breaker.pause, None);
}

#[test]
fn a_slowed_lane_still_trips() {
    let mut breaker = Breaker::default();
    for ended in 1..=5 {
        assert_eq!(record(&mut breaker, 0, ended, failed(Some(10))), None);
    }
    assert_eq!(breaker.pause, Some(Pause { until: at(35), length: FIRST }));
    assert_eq!(record(&mut breaker, 35, 36, failed(Some(600))), None);
    assert_eq!(breaker.pause, Some(Pause { until: at(636), length: 2 * FIRST }), "the longer of both holds");
}

#[test]
fn five_days_of_nothing_but_failures_disable() {
    let mut breaker = tripped();
    assert_eq!(record(&mut breaker, 5 * DAY - 2, 5 * DAY - 1, failed(None)), None);
    assert_eq!(record(&mut breaker, 5 * DAY - 1, 5 * DAY, failed(None)), Some(DisableReason::OnlyFailures));

    let mut recovered = tripped();
    assert_eq!(record(&mut recovered, 3 * DAY, 3 * DAY, Verdict::Delivered), None);
    for _ in 0..10 {
        assert_eq!(record(&mut recovered, 5 * DAY, 5 * DAY, failed(None)), None);
    }
}

#[test]
fn two_failures_far_apart_disable_nothing() {
    let mut breaker = Breaker::default();
    assert_eq!(record(&mut breaker, 0, 0, failed(None)), None);
    assert_eq!(record(&mut breaker, 6 * DAY, 6 * DAY, failed(None)), None);
}

#[test]
fn gone_disables_at_once() {
    let mut breaker = Breaker::default();
    assert_eq!(record(&mut breaker, 0, 0, Verdict::Gone), Some(DisableReason::Gone));
    assert_eq!(breaker.failures_in_a_row, 1);
}

#[test]
fn faults_of_ours_change_nothing() {
    let mut breaker = tripped();
    assert_eq!(record(&mut breaker, 34, 5 * DAY, Verdict::NotCharged), None);
    assert_eq!(breaker, tripped());
}

#[test]
fn codes_read_back() {
    for reason in [DisableReason::Gone, DisableReason::OnlyFailures, DisableReason::KeyLeaked] {
        assert_eq!(DisableReason::from_code(reason.code()), Some(reason));
    }
    assert_eq!(DisableReason::from_code("tired"), None);
}
