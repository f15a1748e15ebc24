use domain::memory::SeededEntropy;
use domain::ports::{ClaimId, Entropy};
use domain::webhooks::ClaimEnd;
use domain::{DeliveryId, SubscriptionId, Timestamp};

use super::*;

const LEASE: Duration = Duration::from_mins(1);
const RETRY: Duration = Duration::from_secs(1);

fn ended(number: u8, now: Instant) -> (Completion, Note) {
    let ended_at = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();
    let completion = Completion {
        subscription: SubscriptionId::from_bytes([1; 16]),
        delivery: DeliveryId::from_bytes([number; 16]),
        claim: ClaimId::from_number(1),
        end: ClaimEnd::GivenBack { at: ended_at, due_at: ended_at },
    };
    let note = Note { lease_ends: now + LEASE, effect: Effect::default(), refused_alone_at: None };
    (completion, note)
}

fn push(completions: &mut Completions, number: u8, now: Instant) {
    let (completion, note) = ended(number, now);
    completions.push(completion, note, now);
}

fn numbers(batch: &[Completion]) -> Vec<u8> {
    batch.iter().map(|one| one.delivery.as_bytes()[0]).collect()
}

#[test]
fn ends_gather_for_a_moment_and_leave_together() {
    let (mut completions, now) = (Completions::new(), Instant::now());
    assert_eq!(completions.due_at(now), None);
    push(&mut completions, 1, now);
    push(&mut completions, 2, now + GATHER / 2);
    assert_eq!(completions.due_at(now), Some(now + GATHER), "the first decides");
    assert!(completions.take(now).is_none());
    assert_eq!(numbers(&completions.take(now + GATHER).unwrap()), [1, 2]);
    // While a batch is under way, the next gathers.
    push(&mut completions, 3, now + GATHER);
    assert!(completions.take(now + 9 * GATHER).is_none());
    assert_eq!((completions.len(), completions.due_at(now)), (3, None));
    completions.written(now + 9 * GATHER);
    assert_eq!(numbers(&completions.take(now + 9 * GATHER).unwrap()), [3]);
}

#[test]
fn what_a_lane_waits_for_and_a_full_batch_leave_at_once() {
    let (mut completions, now) = (Completions::new(), Instant::now());
    let (completion, mut note) = ended(1, now);
    note.effect.is_awaited = true;
    completions.push(completion, note, now);
    assert_eq!(completions.take(now).unwrap().len(), 1);
    assert!(completions.written(now).is_awaited);
    (0..=BATCH_MAX).for_each(|_| push(&mut completions, 2, now));
    assert_eq!(completions.take(now).unwrap().len(), BATCH_MAX);
    assert!(!completions.written(now).is_awaited, "the effect is that of this batch");
    assert_eq!(completions.take(now).unwrap().len(), 1, "what did not fit has gathered long enough");
}

#[test]
fn many_ends_gather_for_a_shorter_time() {
    let (mut completions, now) = (Completions::new(), Instant::now());
    (1..MANY).for_each(|_| push(&mut completions, 1, now));
    assert_eq!(completions.due_at(now), Some(now + GATHER));
    push(&mut completions, 2, now + GATHER_MANY / 2);
    assert_eq!(completions.due_at(now), Some(now + GATHER_MANY), "the first of them decides");
    let late = now + GATHER_MANY + GATHER_MANY;
    assert_eq!(completions.take(late).unwrap().len(), MANY);
}

#[test]
fn while_the_store_takes_nothing_everything_is_kept_in_order() {
    let (mut completions, mut now) = (Completions::new(), Instant::now());
    (1..=4).for_each(|number| push(&mut completions, number, now));
    now += GATHER;
    for size in [4, 2, 1, 1, 1, 1, 1] {
        let batch = completions.take(now).unwrap();
        assert_eq!(batch.len(), size);
        let refused = completions.refused(batch, now, now + RETRY);
        assert!(refused.is_outage && refused.given_up.is_none());
        assert!(completions.take(now).is_none(), "not before the wait is over");
        now += LEASE;
    }
    let mut written = Vec::new();
    while let Some(batch) = completions.take(now) {
        written.extend(numbers(&batch));
        completions.written(now);
    }
    written.sort_unstable();
    assert_eq!(written, [1, 2, 3, 4], "long after their leases");
}

#[test]
fn one_that_the_store_never_takes_holds_up_no_other_and_is_given_up_with_its_lease() {
    let (mut completions, began) = (Completions::new(), Instant::now());
    (1..=8).for_each(|number| push(&mut completions, number, began));
    let (mut now, mut written, mut given_up_at) = (began + GATHER, Vec::new(), None);
    while given_up_at.is_none() {
        if let Some(batch) = completions.take(now) {
            if numbers(&batch).contains(&3) {
                let refused = completions.refused(batch, now, now + RETRY);
                given_up_at = refused.given_up.map(|end| (end.delivery.as_bytes()[0], now));
            } else {
                written.extend(numbers(&batch));
                completions.written(now);
            }
        }
        now += RETRY;
        assert!(now < began + 3 * LEASE, "never given up");
    }
    written.sort_unstable();
    assert_eq!(written, [1, 2, 4, 5, 6, 7, 8]);
    let (number, at) = given_up_at.unwrap();
    assert!(number == 3 && at >= began + LEASE);
    assert_eq!(completions.len(), 0);
}

#[test]
fn whatever_the_store_takes_nothing_is_lost_or_written_twice() {
    for seed in 0..200 {
        let entropy = SeededEntropy::new(seed);
        let draw = |bound: u8| {
            let mut bytes = [0; 1];
            entropy.fill(&mut bytes);
            bytes[0] % bound
        };
        let (mut completions, mut now, mut pushed, mut written) = (Completions::new(), Instant::now(), 0, Vec::new());
        while pushed < 100 || completions.len() > 0 {
            for _ in 0..draw(5).min(100 - pushed) {
                pushed += 1;
                push(&mut completions, pushed, now);
            }
            if let Some(batch) = completions.take(now) {
                if draw(3) == 0 {
                    assert!(completions.refused(batch, now, now + GATHER).given_up.is_none());
                } else {
                    written.extend(numbers(&batch));
                    completions.written(now);
                }
            }
            now += GATHER;
        }
        written.sort_unstable();
        assert_eq!(written, (1..=100).collect::<Vec<u8>>(), "seed {seed}");
    }
}
