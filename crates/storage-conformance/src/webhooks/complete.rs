//! The state of a delivery after an attempt.

use std::sync::Arc;
use std::time::Duration;

use domain::DeliveryId;
use domain::ports::Completion;
use domain::webhooks::{
    Answer, AnswerHeaders, AttemptRecord, ClaimEnd, DeliveryEnd, DeliveryState, FailureReason, PauseLengths,
};

use super::WebhookStore;
use super::sample::{event, health, history, publish, publish_at, publish_many, subscribed, subscriber};
use super::work::{Held, LEASE_MILLIS, claim, claim_one, complete, publish_and_claim, settle};
use crate::sample::{at, user};

/// A delivery ends as its completion says, at the completion's instant, and is not claimed again.
pub async fn a_delivery_ends_as_it_is_told(store: Arc<dyn WebhookStore>) {
    type Ending = fn(&Held, i64) -> Completion;
    let (owner, _) = subscriber(&*store, "alice").await;
    let ends: [(Ending, DeliveryEnd); 4] = [
        (Held::delivered, DeliveryEnd::Delivered),
        (Held::spent, DeliveryEnd::ScheduleSpent),
        (Held::expired, DeliveryEnd::ScheduleSpent),
        // The last one: it disables the subscription.
        (Held::gone, DeliveryEnd::SubscriptionDisabled),
    ];
    for (millis, (completion, end)) in (1..).zip(ends) {
        publish_at(&*store, &owner, at(0)).await;
        let held = claim_one(&*store, millis).await;
        settle(&*store, completion(&held, millis + 100)).await;
        let found = history(&*store, &owner, held.delivery.id).await.delivery;
        assert_eq!(found.state, DeliveryState::Ended { end, at: at(millis + 100) }, "how and when it ended");
        assert_eq!(found.attempts, 1, "the attempts must be kept");
    }
    assert!(claim(&*store, 1_000_000).await.is_empty(), "what has ended must not be claimed again");
}

/// A failed delivery waits for its next attempt, to the millisecond, and is then claimed as the next attempt.
pub async fn a_failed_delivery_waits_for_its_time(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    publish_at(&*store, &owner, at(0)).await;
    let mut now = 0;
    for attempt in 1..=4 {
        let held = claim_one(&*store, now).await;
        assert_eq!((held.delivery.attempt, held.delivery.run_attempt), (attempt, attempt), "attempts must count on");
        settle(&*store, held.failed(now + 5, now + 50)).await;
        let found = history(&*store, &owner, held.delivery.id).await.delivery;
        assert_eq!(found.state, DeliveryState::Waiting(at(now + 50)), "it must wait for its time");
        assert!(claim(&*store, now + 49).await.is_empty(), "a millisecond before its time it is not due");
        now += 50;
    }
    claim_one(&*store, now).await;
}

/// The records of attempts come back equal in every field, the first attempt first: each reason, with or without an
/// answer, the longest excerpt of any bytes, and the longest headers.
pub async fn every_field_of_an_attempt_comes_back(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    publish_at(&*store, &owner, at(0)).await;
    let excerpts = [vec![], vec![0, 255, 10], b"caf\xc3\xa9".to_vec(), vec![b'x'; Answer::EXCERPT_BYTES_MAX]];
    let long = "h".repeat(AnswerHeaders::BYTES_MAX - "x: \n".len());
    let headers = ["", "retry-after: 120\nserver: caf\u{e9}\n", &format!("x: {long}\n")];
    let mut expected = Vec::new();
    let mut now = 0;
    for (n, failure) in (0_u16..).zip(FailureReason::ALL.into_iter().map(Some).chain([None])) {
        let held = claim_one(&*store, now).await;
        let record = AttemptRecord {
            number: held.delivery.attempt,
            started_at: at(now + 1),
            duration: Duration::from_millis(u64::from(n) * 1_001),
            failure,
            status: [None, Some(200), Some(599), Some(999)][usize::from(n % 4)],
            headers: AnswerHeaders::from_stored(headers[usize::from(n % 3)].to_owned()),
            excerpt: excerpts[usize::from(n / 2 % 4)].clone(),
        };
        let retry = at(now + 100_000 * i64::from(n + 1));
        let end = match failure {
            Some(_) => ClaimEnd::Failed {
                attempt: record.clone(),
                retry_after: None,
                retry_at: Some(retry),
                pauses: PauseLengths::default(),
            },
            None => ClaimEnd::Delivered(record.clone()),
        };
        settle(&*store, held.ended(end)).await;
        expected.push(record);
        now = retry.unix_millis() - at(0).unix_millis();
        let found = history(&*store, &owner, held.delivery.id).await;
        assert!(found.attempts == expected, "{failure:?}: attempts must come back as they were recorded");
    }
}

/// An attempt without a record counts, whether the delivery continues or ends: it began and was cut off.
pub async fn an_attempt_without_a_record_counts(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = subscriber(&*store, "alice").await;
    let held = publish_and_claim(&*store, &owner, 0).await;
    settle(&*store, held.cut_off(5, 10)).await;
    let held = claim_one(&*store, 10).await;
    assert_eq!(held.delivery.attempt, 2, "an attempt that was cut off counts");
    settle(&*store, held.expired(15)).await;
    let found = history(&*store, &owner, held.delivery.id).await;
    assert_eq!((found.delivery.attempts, found.attempts.len()), (2, 0), "two attempts, no record");
    let health = health(&*store, &lane).await;
    let reported = (health.breaker.failures_in_a_row, health.last_attempt);
    assert_eq!(reported, (0, None), "without a record there must be no report");
}

/// Each completion of a batch is answered in order: held, lost, repeated, or of an unknown delivery.
pub async fn a_batch_is_answered_one_by_one(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = subscriber(&*store, "alice").await;
    publish_many(&*store, &owner, 5, 0).await;
    let held = claim(&*store, 1).await;
    settle(&*store, held[3].delivered(5)).await;
    let unknown = Completion { delivery: DeliveryId::of(event(&owner).event.id, lane.id), ..held[4].delivered(10) };
    let batch = [
        held[0].delivered(10),
        unknown,
        held[1].failed(10, 1_000),
        held[0].failed(10, 1_000),
        held[3].spent(10),
        held[2].given_back(10, 1_000),
    ];
    let answers = complete(&*store, &batch).await;
    assert_eq!(answers, [true, false, true, false, false, true], "each must be answered in its place");
    for (n, expected) in [
        (0, DeliveryState::Ended { end: DeliveryEnd::Delivered, at: at(10) }),
        (1, DeliveryState::Waiting(at(1_000))),
        (2, DeliveryState::Waiting(at(1_000))),
        (3, DeliveryState::Ended { end: DeliveryEnd::Delivered, at: at(5) }),
    ] {
        let found = history(&*store, &owner, held[n].delivery.id).await.delivery;
        assert_eq!(found.state, expected, "delivery {n} must be what the completion that held it says");
    }
    assert!(complete(&*store, &[]).await.is_empty(), "a batch of nothing is one");
}

/// A batch in which all succeed is stored in every field, also if some of its claims are lost, repeated or of an unknown
/// delivery.
pub async fn a_batch_of_successes_is_answered_one_by_one(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = subscriber(&*store, "alice").await;
    publish_many(&*store, &owner, 5, 0).await;
    let held = claim(&*store, 1).await;
    let record = |n: u8| AttemptRecord {
        number: 1,
        started_at: at(i64::from(n)),
        duration: Duration::from_millis(7),
        failure: None,
        status: Some(200 + u16::from(n)),
        headers: AnswerHeaders::from_stored(format!("server: caf\u{e9} {n}\n")),
        excerpt: vec![0, 255, n],
    };
    let delivered = |n: u8| held[usize::from(n)].ended(ClaimEnd::Delivered(record(n)));
    assert_eq!(complete(&*store, &[delivered(1), delivered(0)]).await, [true, true], "fresh claims must hold");
    let unknown = Completion { delivery: DeliveryId::of(event(&owner).event.id, lane.id), ..delivered(4) };
    let batch = [delivered(2), unknown, delivered(2), delivered(0), delivered(3)];
    assert_eq!(complete(&*store, &batch).await, [true, false, false, false, true], "each is answered in its place");
    for n in 0..4 {
        let found = history(&*store, &owner, held[usize::from(n)].delivery.id).await;
        let ended = DeliveryState::Ended { end: DeliveryEnd::Delivered, at: record(n).ended_at() };
        assert_eq!((found.delivery.state, found.delivery.attempts), (ended, 1), "delivery {n} must have ended");
        assert_eq!(found.attempts, [record(n)], "the attempt at delivery {n} must come back as it was recorded");
    }
    let left = claim(&*store, LEASE_MILLIS + 1).await;
    assert_eq!(left.iter().map(|one| one.delivery.id).collect::<Vec<_>>(), [held[4].delivery.id], "only one is left");
}

/// One record is stored for each attempt number: the first one stays.
pub async fn an_attempt_is_recorded_once(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    let held = publish_and_claim(&*store, &owner, 0).await;
    settle(&*store, held.failed(10, 20)).await;
    let again = [held.delivered(15), held.failed(16, 30)];
    assert_eq!(complete(&*store, &again).await, [false, false], "a claim ends once");
    let first = held.attempt(at(10), Some(FailureReason::Timeout));
    assert_eq!(history(&*store, &owner, held.delivery.id).await.attempts, [first], "the first record must stay");
}

/// Completions of many lanes in one call each reach their lane.
pub async fn completions_of_many_lanes_are_taken_at_once(store: Arc<dyn WebhookStore>) {
    let owners: Vec<_> = (0..20).map(|n| user(&format!("user-{n}"))).collect();
    let mut lanes = Vec::new();
    for owner in &owners {
        lanes.push(subscribed(&*store, owner).await);
    }
    let events: Vec<_> = owners.iter().chain(&owners).map(event).collect();
    publish(&*store, &events).await;
    let held = claim(&*store, 1).await;
    assert_eq!(held.len(), 40, "two deliveries of each of 20 lanes");
    let (failing, others) = lanes.split_at(10);
    let fails = |id| failing.iter().any(|lane| lane.id == id);
    let ends = held.iter().map(|one| if fails(one.subscription) { one.failed(10, 20) } else { one.delivered(10) });
    let completions: Vec<_> = ends.collect();
    assert!(complete(&*store, &completions).await.iter().all(|held| *held), "fresh claims must hold");
    for (lanes, failures, waiting) in [(failing, 2, 2), (others, 0, 0)] {
        for lane in lanes {
            let health = health(&*store, lane).await;
            let seen = (health.breaker.failures_in_a_row, health.waiting);
            assert_eq!(seen, (failures, waiting), "each completion must reach its own lane");
        }
    }
}
