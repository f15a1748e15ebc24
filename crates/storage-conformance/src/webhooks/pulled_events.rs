//! The logs of subscriptions whose events are pulled: what they collect, and what can be read of them.

use std::sync::Arc;

use domain::EventId;
use domain::ports::{Committed, Pulled, PulledLog, PulledMax, SeekTo, Sought};
use domain::webhooks::{Event, Recoverable, Subscription, TargetUrl};

use super::WebhookStore;
use super::commands::{count_recoverable, retry_at};
use super::filters::filter;
use super::reader::{
    EVERYTHING, consumers, events, follow, last_numbers, log_of, numbers, publish_each, pulled, purge, read, reader,
    user_with_log, with_payload,
};
use super::sample::{
    add, delete, deliveries, event_at, event_type, health, named, patterns, publish, publish_at, subscribed,
    subscription, switched, update,
};
use super::work::{LEASE_MILLIS, claim, claim_one, end_closed, request};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;
/// A time on an earlier day.
const EARLIER: i64 = -3 * DAY_MILLIS;
const WRITERS: usize = 4;
const CALLS_EACH: i64 = 8;
/// The number of events that the writers publish: two with each call.
const WRITTEN: usize = 64;

/// A log has each event once, with its payload as it is, in the order of publication and without a gap. A reader that
/// follows parallel publications passes over none.
pub async fn events_are_pulled_in_order_without_a_gap(store: Arc<dyn WebhookStore>) {
    let (owner, log) = user_with_log(&*store).await;
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

/// A page keeps the maximum number of events, and of bytes of payloads. Its first event always fits. An event that does
/// not fit is not passed over.
pub async fn pages_of_a_log_keep_their_limits(store: Arc<dyn WebhookStore>) {
    let (owner, log) = user_with_log(&*store).await;
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

/// A reader that has not read purged events gets [`Pulled::Expired`](domain::ports::Pulled::Expired), and no later events in their place. The numbers
/// continue.
pub async fn what_is_purged_is_expired(store: Arc<dyn WebhookStore>) {
    let (owner, log) = user_with_log(&*store).await;
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
    let (owner, log) = user_with_log(&*store).await;
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
    let missed = async || count_recoverable(&*store, &lane, retry_at(5, 0), Recoverable::All, 10).await;
    assert_eq!(missed().await, Some(0), "while it is disabled");
    update(&*store, &lane, &switched(true), at(6)).await;
    assert_eq!(missed().await, Some(0), "and afterwards");
    assert_eq!(deliveries(&*store, &owner).await, []);
    let id = publish_at(&*store, &owner, at(7)).await;
    let pulled = read(&*store, &log, Some(0), EVERYTHING).await;
    assert_eq!(numbers(&pulled), [1, 2], "the numbers must go on without a gap");
    assert_eq!(events(&pulled)[1].event.id, id);
}

/// Patterns and filters decide what a log collects, as they do for deliveries. A repetition is not added again. One
/// call returns the last numbers of several logs.
pub async fn a_log_collects_what_passes(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let all = pulled(&*store, &owner).await;
    let below_ten = Some(filter(r#"{"path":"/data","op":"lt","value":10}"#));
    let log_to = |events| Subscription { events, url: TargetUrl::pull(), ..subscription(&owner) };
    let small = add(&*store, Subscription { filter: below_ten, ..log_to(patterns(&["*"])) }).await;
    let orders = add(&*store, log_to(patterns(&["order.*"]))).await;
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
    assert_eq!(store.offer_claims(None), 0, "no claim is handed over");
    assert!(claim(&*store, LEASE_MILLIS).await.is_empty(), "a pulled event is never due");
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
