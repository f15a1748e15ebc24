//! The consumers of logs: their places, their leases, and seeks.

use std::sync::Arc;

use domain::ports::{CONSUMERS_MAX, Committed, ListedConsumer, Pulled, PulledMax, SeekTo, Sought};
use domain::webhooks::{Consumer, Lease, NewEvent};

use super::WebhookStore;
use super::calls::calling;
use super::reader::{
    EVERYTHING, consumer_name, consumers, log_of, new_lease, numbers, publish_each, pulled, reader, user_with_log,
};
use super::sample::{event, event_at, publish, publish_at};
use super::work::LEASE_MILLIS;
use crate::racing::all_at_once;
use crate::sample::{at, user};

const READERS: usize = 8;

/// One reader at a time has the events. The next one begins behind the last event that was handled. A commit may be
/// repeated until another reader receives.
pub async fn a_consumer_gets_each_event_once(store: Arc<dyn WebhookStore>) {
    let (owner, log) = user_with_log(&*store).await;
    let reader = reader(&*store, &log, "billing");
    assert_eq!(reader.receive(0, EVERYTHING).await.1, Pulled::Nothing { last: 0 });
    let ids = publish_each(&*store, &owner, &[1, 2, 3, 4, 5]).await;
    let (one, page) = reader.receive(10, PulledMax { events: 3, ..EVERYTHING }).await;
    assert_eq!(numbers(&page), [1, 2, 3], "nothing to receive must lease nothing");
    let until = at(10 + LEASE_MILLIS);
    assert_eq!(reader.receive(11, EVERYTHING).await.1, Pulled::Leased { until });
    for _ in 0..2 {
        assert_eq!(reader.commit(one, ids[1]).await, Committed::Done, "also as a repetition");
    }
    assert_eq!(reader.commit(one, ids[2]).await, Committed::LeaseLost, "a commit must end the lease");
    let (two, page) = reader.receive(20, EVERYTHING).await;
    assert_eq!(numbers(&page), [3, 4, 5]);
    assert_eq!(reader.commit(one, ids[1]).await, Committed::LeaseLost, "another reader has received");
    assert_eq!(reader.commit(two, ids[4]).await, Committed::Done);
    assert_eq!(reader.receive(30, EVERYTHING).await.1, Pulled::Nothing { last: 5 });
    assert_eq!(reader.commit(two, ids[4]).await, Committed::Done, "nothing to receive must change no lease");
    publish_at(&*store, &owner, at(40)).await;
    assert_eq!(numbers(&reader.receive(40, EVERYTHING).await.1), [6]);
}

/// From the end of a lease on, others can receive its events. Until one does, its reader can still commit.
pub async fn a_lease_ends_at_its_instant(store: Arc<dyn WebhookStore>) {
    let (owner, log) = user_with_log(&*store).await;
    let reader = reader(&*store, &log, "billing");
    let ids = publish_each(&*store, &owner, &[1, 2, 3]).await;
    let (one, page) = reader.receive(0, PulledMax { events: 2, ..EVERYTHING }).await;
    assert_eq!(numbers(&page), [1, 2]);
    let until = at(LEASE_MILLIS);
    assert_eq!(reader.receive(LEASE_MILLIS - 1, EVERYTHING).await.1, Pulled::Leased { until });
    let (two, page) = reader.receive(LEASE_MILLIS, EVERYTHING).await;
    assert_eq!(numbers(&page), [1, 2, 3], "what was not committed must come again");
    assert_eq!(reader.commit(one, ids[1]).await, Committed::LeaseLost);
    let until = at(2 * LEASE_MILLIS);
    assert_eq!(reader.receive(LEASE_MILLIS + 1, EVERYTHING).await.1, Pulled::Leased { until });
    // No reader has received since the lease ended.
    assert_eq!(reader.commit(two, ids[1]).await, Committed::Done);
    assert_eq!(numbers(&reader.receive(3 * LEASE_MILLIS, EVERYTHING).await.1), [3]);
}

/// A commit names one of the events that its lease covers. Another commit changes nothing.
pub async fn only_what_was_received_is_committed(store: Arc<dyn WebhookStore>) {
    let (owner, log) = user_with_log(&*store).await;
    let reader = reader(&*store, &log, "billing");
    let ids = publish_each(&*store, &owner, &[1, 2, 3, 4]).await;
    let elsewhere = pulled(&*store, &owner).await;
    let unlogged = NewEvent { only: Some(elsewhere.id), ..event_at(&owner, at(5)) };
    publish(&*store, std::slice::from_ref(&unlogged)).await;
    assert_eq!(reader.commit(new_lease(), ids[0]).await, Committed::LeaseLost, "no reader has received yet");
    let (one, page) = reader.receive(10, PulledMax { events: 2, ..EVERYTHING }).await;
    assert_eq!(numbers(&page), [1, 2]);
    for wrong in [ids[2], unlogged.event.id, event(&owner).event.id] {
        assert_eq!(reader.commit(one, wrong).await, Committed::NotReceived);
    }
    assert_eq!(reader.commit(new_lease(), ids[0]).await, Committed::LeaseLost);
    let until = at(10 + LEASE_MILLIS);
    assert_eq!(reader.receive(11, EVERYTHING).await.1, Pulled::Leased { until }, "the lease must stay");
    assert_eq!(reader.commit(one, ids[1]).await, Committed::Done);
    let (two, page) = reader.receive(20, EVERYTHING).await;
    assert_eq!(numbers(&page), [3, 4]);
    assert_eq!(reader.commit(two, ids[0]).await, Committed::NotReceived, "it was handled before");
    assert_eq!(reader.give_back(one).await, Committed::LeaseLost, "another reader has received");
    assert_eq!(reader.give_back(two).await, Committed::Done);
    let (three, page) = reader.receive(20, EVERYTHING).await;
    assert_eq!(numbers(&page), [3, 4], "what is given back is received again at once");
    assert_eq!(reader.commit(two, ids[2]).await, Committed::LeaseLost);
    assert_eq!(reader.commit(three, ids[3]).await, Committed::Done);
}

/// Of parallel calls for one consumer, also of the first ones, one gets the events.
pub async fn parallel_readers_get_one_lease(store: Arc<dyn WebhookStore>) {
    let (owner, log) = user_with_log(&*store).await;
    for (round, first) in (0..5_i64).zip((1_u64..).step_by(2)) {
        let millis = 10 * round;
        let ids = publish_each(&*store, &owner, &[millis, millis + 1]).await;
        let calls = (0..READERS).map(|_| {
            let log = log.clone();
            calling(
                &store,
                move |store| async move { reader(&*store, &log, "billing").receive(millis, EVERYTHING).await },
            )
        });
        let answers = all_at_once(calls.collect()).await;
        let (given, others): (Vec<_>, Vec<_>) =
            answers.into_iter().partition(|(_, pulled)| matches!(pulled, Pulled::Events(_)));
        assert_eq!(given.len(), 1, "one reader must get the events, got {given:?}");
        let leased = Pulled::Leased { until: at(millis + LEASE_MILLIS) };
        assert!(others.iter().all(|(_, pulled)| *pulled == leased), "the others must wait, got {others:?}");
        assert_eq!(numbers(&given[0].1), [first, first + 1]);
        assert_eq!(reader(&*store, &log, "billing").commit(given[0].0, ids[1]).await, Committed::Done);
    }
}

/// Each consumer of a log has its own place and lease. The list has all, sorted by the bytes of their names. A consumer
/// that was deleted is as new.
pub async fn consumers_have_their_own_places(store: Arc<dyn WebhookStore>) {
    let (owner, log) = user_with_log(&*store).await;
    let other = log_of(&pulled(&*store, &owner).await);
    let (audit, billing) = (reader(&*store, &log, "audit"), reader(&*store, &log, "Billing"));
    let ids = publish_each(&*store, &owner, &[1, 2, 3]).await;
    let (audited, page) = audit.receive(10, EVERYTHING).await;
    assert_eq!(numbers(&page), [1, 2, 3]);
    let (billed, page) = billing.receive(10, EVERYTHING).await;
    assert_eq!(numbers(&page), [1, 2, 3], "the lease of another must not matter");
    assert_eq!(audit.commit(billed, ids[1]).await, Committed::LeaseLost, "it is not theirs");
    assert_eq!(billing.commit(billed, ids[1]).await, Committed::Done);
    let committed = Consumer { position: 2, lease: Some(Lease { id: billed, through: 3, until: None }) };
    let leased = Consumer::at(0).received(audited, 3, at(10 + LEASE_MILLIS));
    let listed = |name, consumer| ListedConsumer { name: consumer_name(name), consumer, last: 3 };
    assert_eq!(consumers(&*store, &log).await, Some(vec![listed("Billing", committed), listed("audit", leased)]));
    assert_eq!(consumers(&*store, &other).await, Some(Vec::new()), "each log has its own");
    assert!(!reader(&*store, &other, "Billing").forget().await, "also when one is deleted");
    for was_there in [true, false] {
        assert_eq!(billing.forget().await, was_there);
    }
    assert_eq!(consumers(&*store, &log).await, Some(vec![listed("audit", leased)]));
    assert_eq!(billing.commit(billed, ids[1]).await, Committed::LeaseLost);
    assert_eq!(numbers(&billing.receive(20, EVERYTHING).await.1), [1, 2, 3], "from the first event");
    assert_eq!(audit.commit(audited, ids[2]).await, Committed::Done);
}

/// A seek moves a consumer to the first event, behind the last one, or to a time. It ends the lease.
pub async fn a_seek_moves_a_consumer(store: Arc<dyn WebhookStore>) {
    let (owner, log) = user_with_log(&*store).await;
    let early = reader(&*store, &log, "early");
    assert_eq!(early.seek(SeekTo::End).await, Sought::Done, "also of a consumer that is new");
    let ids = publish_each(&*store, &owner, &[0, 10, 10, 20]).await;
    assert_eq!(numbers(&early.receive(30, EVERYTHING).await.1), [1, 2, 3, 4]);
    let reader = reader(&*store, &log, "billing");
    for (to, expected) in [
        (SeekTo::Start, vec![1, 2, 3, 4]),
        (SeekTo::Time(at(-5)), vec![1, 2, 3, 4]),
        (SeekTo::Time(at(0)), vec![1, 2, 3, 4]),
        (SeekTo::Time(at(1)), vec![2, 3, 4]),
        (SeekTo::Time(at(10)), vec![2, 3, 4]),
        (SeekTo::Time(at(11)), vec![4]),
        (SeekTo::Start, vec![1, 2, 3, 4]),
    ] {
        assert_eq!(reader.seek(to).await, Sought::Done);
        let (lease, page) = reader.receive(30, EVERYTHING).await;
        assert_eq!(numbers(&page), expected, "after {to:?}");
        assert_eq!(reader.seek(to).await, Sought::Done);
        assert_eq!(reader.commit(lease, ids[3]).await, Committed::LeaseLost, "a seek must end the lease");
    }
    for to in [SeekTo::End, SeekTo::Time(at(21))] {
        assert_eq!(reader.seek(to).await, Sought::Done);
        assert_eq!(reader.receive(30, EVERYTHING).await.1, Pulled::Nothing { last: 4 }, "after {to:?}");
    }
    publish_at(&*store, &owner, at(40)).await;
    assert_eq!(numbers(&reader.receive(40, EVERYTHING).await.1), [5]);
}

/// A log has at most [`CONSUMERS_MAX`] consumers. At the maximum, the existing ones can still receive.
pub async fn consumers_are_limited(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let (log, other) = (log_of(&pulled(&*store, &owner).await), log_of(&pulled(&*store, &owner).await));
    publish_at(&*store, &owner, at(1)).await;
    for number in 0..CONSUMERS_MAX {
        let reader = reader(&*store, &log, &format!("reader-{number}"));
        assert_eq!(reader.seek(SeekTo::Start).await, Sought::Done);
    }
    let (first, more) = (reader(&*store, &log, "reader-0"), reader(&*store, &log, "more"));
    assert_eq!(more.receive(10, EVERYTHING).await.1, Pulled::TooManyConsumers);
    assert_eq!(more.seek(SeekTo::End).await, Sought::TooManyConsumers);
    assert_eq!(numbers(&first.receive(10, EVERYTHING).await.1), [1], "one that is there must go on");
    assert_eq!(first.seek(SeekTo::Start).await, Sought::Done);
    assert_eq!(numbers(&reader(&*store, &other, "more").receive(10, EVERYTHING).await.1), [1], "each log for itself");
    assert!(first.forget().await);
    assert_eq!(numbers(&more.receive(10, EVERYTHING).await.1), [1], "there is room again");
    let listed = consumers(&*store, &log).await.expect("the log is there");
    assert_eq!(u32::try_from(listed.len()), Ok(CONSUMERS_MAX));
}
