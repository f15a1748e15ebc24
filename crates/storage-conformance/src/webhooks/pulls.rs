//! Logs of subscriptions whose events are pulled: what they collect, and the readers of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use domain::ports::{
    CONSUMERS_MAX, CommitRequest, Committed, CountRecoverableRequest, ListedConsumer, Pulled, PulledEvent, PulledLog,
    PulledMax, ReceiveRequest, Retained, RetryRequest, SeekRequest, SeekTo, Sought,
};
use domain::webhooks::{
    Consumer, ConsumerName, Event, Lease, LeaseId, NewEvent, Payload, Recoverable, Subscription, TargetUrl,
};
use domain::{EventId, OwnerId, SubscriptionId};
use tokio::task::yield_now;

use super::WebhookStore;
use super::filters::filter;
use super::sample::{
    delete, deliveries, event, event_at, event_type, health, named, patterns, publish, publish_at, put, subscribed,
    subscription, switched, update,
};
use super::work::{LEASE_MILLIS, claim, claim_one, end_closed, request};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;
/// A time on an earlier day.
const EARLIER: i64 = -3 * DAY_MILLIS;
/// More than any log here has.
const EVERYTHING: PulledMax = PulledMax { events: 1_000, bytes: 1 << 40 };
const WRITERS: usize = 4;
const CALLS_EACH: i64 = 8;
/// How many events the writers publish: two with each call.
const WRITTEN: usize = 64;
const READERS: usize = 8;
const TURNS_MAX: u32 = 100_000;

/// A log has each event once, with its payload as it is, in the order of publication and without a gap. A reader that
/// follows parallel publications passes over none.
pub async fn events_are_pulled_in_order_without_a_gap(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let log = log_of(&pulled(&*store, &owner).await);
    assert_eq!(read(&*store, &log, None, EVERYTHING).await, Pulled::Nothing { last: 0 });
    let odd = with_payload(event_at(&owner, at(3)), vec![0, 0xFF, b'{']);
    let first = [event_at(&owner, at(1)), event_at(&owner, at(2)), odd];
    publish(&*store, &first).await;
    let stored = follow(&*store, &log, 0, 3).await;
    assert_eq!(stored, first.map(|new| new.event), "every field must come back");
    assert_eq!(numbers(&read(&*store, &log, None, EVERYTHING).await), [1, 2, 3], "from the first");
    assert_eq!(read(&*store, &log, Some(9), EVERYTHING).await, Pulled::Nothing { last: 3 });
    let writers = (0..WRITERS).map(|_| {
        let (store, owner) = (Arc::clone(&store), owner.clone());
        Box::pin(async move {
            let mut sent = Vec::new();
            for call in 0..CALLS_EACH {
                let new = [2 * call, 2 * call + 1].map(|millis| event_at(&owner, at(10 + millis)));
                sent.extend(publish(&*store, &new).await.into_iter().map(|one| one.event));
            }
            sent
        }) as Call<Vec<Event>>
    });
    let (reading, read_log) = (Arc::clone(&store), log.clone());
    let follower: Call<Vec<Event>> = Box::pin(async move { follow(&*reading, &read_log, 3, WRITTEN).await });
    let mut answers = all_at_once(writers.chain([follower]).collect()).await;
    let seen = answers.pop().expect("the reader comes last");
    assert_eq!(seen.len(), WRITTEN, "each event must come once");
    for sent in &answers {
        let theirs: Vec<_> = seen.iter().filter(|event| sent.contains(event)).collect();
        assert_eq!(theirs, sent.iter().collect::<Vec<_>>(), "the events of each writer must come in their order");
    }
    assert_eq!(follow(&*store, &log, 3, WRITTEN).await, seen, "the numbers must stay");
}

/// A page has at most so many events, and so many bytes of payloads. Its first event always fits. An event that does
/// not fit is not passed over.
pub async fn pages_of_a_log_keep_their_limits(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let log = log_of(&pulled(&*store, &owner).await);
    let mut ids = Vec::new();
    for (millis, size) in (0..).zip([100, 200, 50, 50]) {
        let new = with_payload(event_at(&owner, at(millis)), vec![b'1'; size]);
        ids.push(new.event.id);
        publish(&*store, &[new]).await;
    }
    for (after, events, bytes, expected) in [
        (0, 9, 0, vec![1]),
        (0, 9, 99, vec![1]),
        (0, 9, 250, vec![1]),
        (0, 9, 299, vec![1]),
        (0, 9, 300, vec![1, 2]),
        (1, 9, 100, vec![2]),
        (2, 9, 99, vec![3]),
        (2, 9, 100, vec![3, 4]),
        (0, 2, 1_000, vec![1, 2]),
        (0, 9, 1_000, vec![1, 2, 3, 4]),
    ] {
        let page = read(&*store, &log, Some(after), PulledMax { events, bytes }).await;
        assert_eq!(numbers(&page), expected, "{events} events and {bytes} bytes behind {after}");
    }
    let reader = reader(&*store, &log, "billing");
    let (lease, page) = reader.receive(10, PulledMax { events: 9, bytes: 100 }).await;
    assert_eq!(numbers(&page), [1], "a reader gets such pages, too");
    assert_eq!(reader.commit(lease, ids[1]).await, Committed::NotReceived, "the lease must cover the page alone");
    assert_eq!(reader.commit(lease, ids[0]).await, Committed::Done);
    let (_, page) = reader.receive(20, PulledMax { events: 1, bytes: 1_000 }).await;
    assert_eq!(numbers(&page), [2]);
}

/// One reader at a time has the events. The next one begins behind the last event that was handled. A commit may be
/// repeated until another reader receives.
pub async fn a_consumer_gets_each_event_once(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let log = log_of(&pulled(&*store, &owner).await);
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
    let owner = user("alice");
    let log = log_of(&pulled(&*store, &owner).await);
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
    // Nobody has received since the lease ended.
    assert_eq!(reader.commit(two, ids[1]).await, Committed::Done);
    assert_eq!(numbers(&reader.receive(3 * LEASE_MILLIS, EVERYTHING).await.1), [3]);
}

/// A commit names one of the events that its lease covers. Another commit changes nothing.
pub async fn only_what_was_received_is_committed(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let log = log_of(&pulled(&*store, &owner).await);
    let reader = reader(&*store, &log, "billing");
    let ids = publish_each(&*store, &owner, &[1, 2, 3, 4]).await;
    let elsewhere = pulled(&*store, &owner).await;
    let unlogged = NewEvent { only: Some(elsewhere.id), ..event_at(&owner, at(5)) };
    publish(&*store, std::slice::from_ref(&unlogged)).await;
    assert_eq!(reader.commit(new_lease(), ids[0]).await, Committed::LeaseLost, "nobody has received");
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
    let owner = user("alice");
    let log = log_of(&pulled(&*store, &owner).await);
    for (round, first) in (0..5_i64).zip((1_u64..).step_by(2)) {
        let millis = 10 * round;
        let ids = publish_each(&*store, &owner, &[millis, millis + 1]).await;
        let calls = (0..READERS).map(|_| {
            let (store, log) = (Arc::clone(&store), log.clone());
            Box::pin(async move {
                let reader = reader(&*store, &log, "billing");
                reader.receive(millis, EVERYTHING).await
            }) as Call<(LeaseId, Pulled)>
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
    let owner = user("alice");
    let log = log_of(&pulled(&*store, &owner).await);
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
    let owner = user("alice");
    let log = log_of(&pulled(&*store, &owner).await);
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

/// A log is found by its owner alone, as long as its subscription is not deleted. Other subscriptions have none.
pub async fn a_log_is_of_its_owner_alone(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let (lane, deleted) = (pulled(&*store, &owner).await, pulled(&*store, &owner).await);
    let webhook = subscribed(&*store, &owner).await;
    let ids = publish_each(&*store, &owner, &[1, 2]).await;
    let (log, gone) = (log_of(&lane), log_of(&deleted));
    let theirs = reader(&*store, &log, "billing");
    let (lease, page) = theirs.receive(10, EVERYTHING).await;
    assert_eq!(numbers(&page), [1, 2]);
    assert_eq!(numbers(&reader(&*store, &gone, "billing").receive(10, EVERYTHING).await.1), [1, 2]);
    delete(&*store, &deleted, at(20)).await;
    let before = consumers(&*store, &log).await;
    let foreign = PulledLog { owner: user("bob"), ..log.clone() };
    for wrong in [foreign, gone, log_of(&webhook), log_of(&subscription(&owner))] {
        let reader = reader(&*store, &wrong, "billing");
        assert_eq!(reader.receive(10 + LEASE_MILLIS, EVERYTHING).await.1, Pulled::NotFound, "{wrong:?}");
        assert_eq!(reader.commit(lease, ids[1]).await, Committed::NotFound, "{wrong:?}");
        for to in [SeekTo::Start, SeekTo::End, SeekTo::Time(at(0))] {
            assert_eq!(reader.seek(to).await, Sought::NotFound, "{wrong:?}");
        }
        for after in [None, Some(0)] {
            assert_eq!(read(&*store, &wrong, after, EVERYTHING).await, Pulled::NotFound, "{wrong:?}");
        }
        assert_eq!(consumers(&*store, &wrong).await, None, "{wrong:?}");
        assert!(!reader.forget().await, "{wrong:?}");
        assert!(last_numbers(&*store, &[wrong]).await.is_empty());
    }
    assert_eq!(consumers(&*store, &log).await, before, "the owner's consumer must stay as it is");
    assert_eq!(theirs.commit(lease, ids[1]).await, Committed::Done);
}

/// Events that are purged have expired for those who have not read them. Nobody gets later events in their place. The
/// numbers go on.
pub async fn what_is_purged_is_expired(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let log = log_of(&pulled(&*store, &owner).await);
    let [old, new, held] = ["old", "new", "held"].map(|name| reader(&*store, &log, name));
    publish_each(&*store, &owner, &[EARLIER, EARLIER + 1, 100, 101]).await;
    assert_eq!(old.seek(SeekTo::Start).await, Sought::Done);
    let (lease, page) = held.receive(200, EVERYTHING).await;
    purge(&*store, 100).await;
    for after in [0, 1] {
        assert_eq!(read(&*store, &log, Some(after), EVERYTHING).await, Pulled::Expired { oldest: 3 });
    }
    for after in [None, Some(2)] {
        assert_eq!(numbers(&read(&*store, &log, after, EVERYTHING).await), [3, 4]);
    }
    for _ in 0..2 {
        let pulled = old.receive(200, EVERYTHING).await.1;
        assert_eq!(pulled, Pulled::Expired { oldest: 3 }, "also again: it must lease nothing");
    }
    assert_eq!(old.seek(SeekTo::Start).await, Sought::Done);
    assert_eq!(numbers(&old.receive(200, EVERYTHING).await.1), [3, 4]);
    assert_eq!(numbers(&new.receive(200, EVERYTHING).await.1), [3, 4], "a new consumer must begin with what is stored");
    let third = events(&page)[2].event.id;
    assert_eq!(held.commit(lease, third).await, Committed::Done, "a purge must end no lease");
    purge(&*store, 2 * DAY_MILLIS).await;
    assert_eq!(read(&*store, &log, None, EVERYTHING).await, Pulled::Nothing { last: 4 });
    assert_eq!(read(&*store, &log, Some(4), EVERYTHING).await, Pulled::Nothing { last: 4 });
    assert_eq!(read(&*store, &log, Some(3), EVERYTHING).await, Pulled::Expired { oldest: 5 });
    assert_eq!(held.receive(300, EVERYTHING).await.1, Pulled::Expired { oldest: 5 });
    publish_at(&*store, &owner, at(3 * DAY_MILLIS)).await;
    assert_eq!(held.seek(SeekTo::Time(at(0))).await, Sought::Done);
    assert_eq!(numbers(&held.receive(300, EVERYTHING).await.1), [5]);
}

/// Where an event in the middle is purged, which had an earlier time, an answer ends before it. Behind it, it is
/// [`Pulled::Expired`].
pub async fn no_read_passes_over_a_gap(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let log = log_of(&pulled(&*store, &owner).await);
    let reader = reader(&*store, &log, "billing");
    let ids = publish_each(&*store, &owner, &[100, EARLIER, 101]).await;
    purge(&*store, 100).await;
    for after in [None, Some(0)] {
        assert_eq!(numbers(&read(&*store, &log, after, EVERYTHING).await), [1], "behind {after:?}");
    }
    assert_eq!(read(&*store, &log, Some(1), EVERYTHING).await, Pulled::Expired { oldest: 3 });
    assert_eq!(numbers(&read(&*store, &log, Some(2), EVERYTHING).await), [3]);
    let (lease, page) = reader.receive(200, EVERYTHING).await;
    assert_eq!(numbers(&page), [1]);
    assert_eq!(reader.commit(lease, ids[2]).await, Committed::NotReceived, "the lease must end before the gap, too");
    assert_eq!(reader.commit(lease, ids[0]).await, Committed::Done);
    assert_eq!(reader.receive(200, EVERYTHING).await.1, Pulled::Expired { oldest: 3 });
}

/// A disabled subscription collects nothing, and misses nothing that could be recovered. What it has can be read.
pub async fn a_disabled_subscription_collects_nothing(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let lane = pulled(&*store, &owner).await;
    let log = log_of(&lane);
    publish_at(&*store, &owner, at(1)).await;
    update(&*store, &lane, &switched(false), at(2)).await;
    let counts = publish(&*store, &[event_at(&owner, at(3)), event_at(&owner, at(4))]).await;
    assert_eq!(counts.iter().map(|one| one.deliveries).collect::<Vec<_>>(), [0, 0]);
    assert_eq!(last_numbers(&*store, std::slice::from_ref(&log)).await, [(lane.id, 1)]);
    assert_eq!(numbers(&read(&*store, &log, Some(0), EVERYTHING).await), [1]);
    let retry = RetryRequest { at: at(5), published_since: at(0) };
    let (theirs, what) = (owner.clone(), Recoverable::All);
    let missed = CountRecoverableRequest { owner: theirs, subscription: lane.id, retry, what, max: 10 };
    assert_eq!(store.count_recoverable(&missed).await.expect("a count must succeed"), Some(0), "while it is disabled");
    update(&*store, &lane, &switched(true), at(6)).await;
    assert_eq!(store.count_recoverable(&missed).await.expect("a count must succeed"), Some(0), "and afterwards");
    assert_eq!(deliveries(&*store, &owner).await, []);
    let id = publish_at(&*store, &owner, at(7)).await;
    let pulled = read(&*store, &log, Some(0), EVERYTHING).await;
    assert_eq!(numbers(&pulled), [1, 2], "the numbers must go on without a gap");
    assert_eq!(events(&pulled)[1].event.id, id);
}

/// A log has at most [`CONSUMERS_MAX`] consumers. Those that it has go on.
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

/// Patterns and filters decide what a log collects, as they do for deliveries. A repetition is not added again. One
/// call returns the last numbers of several logs.
pub async fn a_log_collects_what_passes(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let all = pulled(&*store, &owner).await;
    let below_ten = Some(filter(r#"{"path":"/data","op":"lt","value":10}"#));
    let small = Subscription { filter: below_ten, url: TargetUrl::pull(), ..subscription(&owner) };
    let orders = Subscription { events: patterns(&["order.*"]), url: TargetUrl::pull(), ..subscription(&owner) };
    put(&*store, &small).await;
    put(&*store, &orders).await;
    let webhook = subscribed(&*store, &owner).await;
    let foreign = pulled(&*store, &user("bob")).await;
    let mut new = [(1, 1), (2, 100), (3, 100), (4, 100)].map(|(millis, data)| {
        let payload = format!(r#"{{"type":"invoice.paid","data":{data}}}"#);
        with_payload(event_at(&owner, at(millis)), payload.into_bytes())
    });
    new[2].event.event_type = event_type("order.created");
    new[3].only = Some(small.id);
    let counts: Vec<u32> = publish(&*store, &new).await.iter().map(|one| one.deliveries).collect();
    assert_eq!(counts, [3, 2, 3, 1], "an entry of a log counts as a delivery");
    let sent: Vec<EventId> = new.iter().map(|one| one.event.id).collect();
    let collected =
        [(&all, vec![sent[0], sent[1], sent[2]]), (&small, vec![sent[0], sent[3]]), (&orders, vec![sent[2]])];
    for (lane, expected) in collected {
        let pulled = read(&*store, &log_of(lane), None, EVERYTHING).await;
        let ids: Vec<_> = events(&pulled).iter().map(|one| one.event.id).collect();
        assert_eq!(ids, expected, "the log of {lane:?}");
    }
    for is_duplicate in [false, true] {
        let repeated = named(event_at(&owner, at(10)), "order-1", "a");
        assert_eq!(publish(&*store, &[repeated]).await[0].is_duplicate, is_duplicate);
    }
    let stranger = PulledLog { owner: owner.clone(), ..log_of(&foreign) };
    let logs = [log_of(&orders), log_of(&webhook), log_of(&all), stranger, log_of(&foreign), log_of(&small)];
    let mut expected = [(all.id, 4_u64), (small.id, 2), (orders.id, 1), (foreign.id, 0)];
    expected.sort_unstable();
    assert_eq!(last_numbers(&*store, &logs).await, expected);
    assert!(last_numbers(&*store, &[]).await.is_empty());
}

/// A pulled event makes no delivery: no claim takes it, no offer hands it over, and it does not wait.
pub async fn what_is_pulled_is_never_claimed(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let lane = pulled(&*store, &owner).await;
    store.offer_claims(Some(&request(0)));
    let accepted = publish(&*store, &[event_at(&owner, at(0))]).await;
    assert_eq!(accepted[0].deliveries, 1);
    assert_eq!(store.offer_claims(None), 0, "nothing is handed over");
    assert!(claim(&*store, LEASE_MILLIS).await.is_empty(), "nothing is due");
    let webhook = subscribed(&*store, &owner).await;
    publish_at(&*store, &owner, at(1)).await;
    let held = claim_one(&*store, LEASE_MILLIS).await;
    assert_eq!(held.subscription, webhook.id);
    assert_eq!(health(&*store, &lane).await.waiting, 0);
    let listed: Vec<_> = deliveries(&*store, &owner).await.iter().map(|one| one.subscription_id).collect();
    assert_eq!(listed, [webhook.id]);
    assert_eq!(numbers(&read(&*store, &log_of(&lane), None, EVERYTHING).await), [1, 2]);
    delete(&*store, &lane, at(2)).await;
    assert_eq!(end_closed(&*store, 3 * LEASE_MILLIS).await, 0, "nothing waits that could end");
}

/// A stored subscription to everything, whose events are pulled.
async fn pulled(store: &dyn WebhookStore, owner: &OwnerId) -> Subscription {
    let stored = Subscription { url: TargetUrl::pull(), ..subscription(owner) };
    put(store, &stored).await;
    stored
}

fn log_of(subscription: &Subscription) -> PulledLog {
    PulledLog { owner: subscription.owner.clone(), subscription: subscription.id }
}

fn with_payload(mut new: NewEvent, payload: Vec<u8>) -> NewEvent {
    new.event.payload = Payload::from_bytes(payload);
    new
}

/// Publishes an event at each of these milliseconds, one by one.
async fn publish_each(store: &dyn WebhookStore, owner: &OwnerId, times: &[i64]) -> Vec<EventId> {
    let mut ids = Vec::new();
    for millis in times {
        ids.push(publish_at(store, owner, at(*millis)).await);
    }
    ids
}

async fn purge(store: &dyn WebhookStore, before_millis: i64) {
    while store.purge(Retained::Webhooks, at(before_millis), 1_000).await.expect("a purge must succeed") > 0 {}
}

async fn read(store: &dyn WebhookStore, log: &PulledLog, after: Option<u64>, max: PulledMax) -> Pulled {
    store.read(log, after, max).await.expect("a read of a log must succeed or be refused as a value")
}

async fn consumers(store: &dyn WebhookStore, log: &PulledLog) -> Option<Vec<ListedConsumer>> {
    store.consumers(log).await.expect("a list of consumers must succeed")
}

async fn last_numbers(store: &dyn WebhookStore, logs: &[PulledLog]) -> Vec<(SubscriptionId, u64)> {
    let mut last = store.last_numbers(logs).await.expect("a look-up of the last numbers must succeed");
    last.sort_unstable();
    last
}

/// Reads small pages behind this number until so many events have come, and checks that their numbers have no gap.
async fn follow(store: &dyn WebhookStore, log: &PulledLog, mut after: u64, count: usize) -> Vec<Event> {
    let mut seen = Vec::new();
    for _ in 0..TURNS_MAX {
        match read(store, log, Some(after), PulledMax { events: 7, ..EVERYTHING }).await {
            Pulled::Events(page) => {
                assert!((1..=7).contains(&page.len()), "a page must have 1 to 7 events, got {}", page.len());
                for one in page {
                    after += 1;
                    assert_eq!(one.sequence, after, "no number may be left out");
                    seen.push(one.event);
                }
            }
            nothing => assert_eq!(nothing, Pulled::Nothing { last: after }),
        }
        if seen.len() >= count {
            return seen;
        }
        yield_now().await;
    }
    panic!("{count} events must come, got {}", seen.len());
}

fn events(pulled: &Pulled) -> &[PulledEvent] {
    let Pulled::Events(events) = pulled else { panic!("there are events, got {pulled:?}") };
    events
}

fn numbers(pulled: &Pulled) -> Vec<u64> {
    events(pulled).iter().map(|one| one.sequence).collect()
}

fn consumer_name(name: &str) -> ConsumerName {
    ConsumerName::parse(name).expect("the sample's name is valid")
}

/// A lease that no other sample has.
fn new_lease() -> LeaseId {
    static NEXT: AtomicI64 = AtomicI64::new(i64::MIN);
    LeaseId::from_number(NEXT.fetch_add(0x0123_4567_89AB, Ordering::Relaxed))
}

/// A consumer of a log, and its calls.
struct Reader<'store> {
    store: &'store dyn WebhookStore,
    log: PulledLog,
    name: ConsumerName,
}

fn reader<'store>(store: &'store dyn WebhookStore, log: &PulledLog, name: &str) -> Reader<'store> {
    Reader { store, log: log.clone(), name: consumer_name(name) }
}

impl Reader<'_> {
    /// Receives this many milliseconds after the start, under a new lease.
    async fn receive(&self, millis: i64, max: PulledMax) -> (LeaseId, Pulled) {
        let (log, consumer, lease) = (self.log.clone(), self.name.clone(), new_lease());
        let request = ReceiveRequest { log, consumer, max, lease, at: at(millis), until: at(millis + LEASE_MILLIS) };
        let pulled = self.store.receive(&request).await;
        (lease, pulled.expect("events must be received or refused as a value"))
    }

    async fn commit(&self, lease: LeaseId, through: EventId) -> Committed {
        self.end(lease, Some(through)).await
    }

    async fn give_back(&self, lease: LeaseId) -> Committed {
        self.end(lease, None).await
    }

    async fn end(&self, lease: LeaseId, through: Option<EventId>) -> Committed {
        let request = CommitRequest { log: self.log.clone(), consumer: self.name.clone(), lease, through };
        self.store.commit(&request).await.expect("a commit must succeed or be refused as a value")
    }

    async fn seek(&self, to: SeekTo) -> Sought {
        let request = SeekRequest { log: self.log.clone(), consumer: self.name.clone(), to };
        self.store.seek(&request).await.expect("a seek must succeed or be refused as a value")
    }

    async fn forget(&self) -> bool {
        self.store.forget(&self.log, &self.name).await.expect("a deletion of a consumer must succeed")
    }
}
