//! Events that are published again under the same id of their publisher.

use std::collections::HashSet;
use std::sync::Arc;

use domain::OwnerId;
use domain::ports::{Accepted, Publication};
use domain::webhooks::{Event, Payload};

use super::WebhookStore;
use super::sample::{deliveries, event, event_at, named, publish, subscribed, subscriber, try_publish};
use super::work::claim;
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

/// The same content under the same id of the publisher is a duplicate. The answer is the first event with its number of
/// deliveries, and the store does not change. This also holds for an event without deliveries, whose payload is not
/// kept.
pub async fn a_repetition_is_a_duplicate(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let unheard = named(event(&owner), "unheard", "a");
    publish(&*store, std::slice::from_ref(&unheard)).await;
    subscribed(&*store, &owner).await;
    let first = named(event_at(&owner, at(1)), "order-1", "a");
    publish(&*store, std::slice::from_ref(&first)).await;
    subscribed(&*store, &owner).await;
    for (first, deliveries) in [(&unheard, 0), (&first, 1)] {
        let id = first.publication.as_ref().expect("it is named").id.as_str();
        let again = named(event_at(&owner, at(500)), id, "a");
        let payload = if deliveries == 0 { Payload::from_bytes(Vec::new()) } else { first.event.payload.clone() };
        let event = Event { payload, ..first.event.clone() };
        let expected = [Accepted { event, deliveries, is_duplicate: true }];
        assert_eq!(publish(&*store, &[again]).await, expected, "the answer must be the event published first");
    }
    let accepted = publish(&*store, std::slice::from_ref(&first)).await;
    assert!(accepted[0].is_duplicate, "the very same event under its id must be a duplicate, too");
    assert_eq!(deliveries(&*store, &owner).await.len(), 1, "a duplicate must not be fanned out again");
    assert_eq!(claim(&*store, 1_000).await.len(), 1, "a duplicate must not be delivered again");
}

/// Other content under the same id of the publisher is a conflict, which names the event. The store does not change.
pub async fn another_event_under_the_same_id_is_a_conflict(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    publish(&*store, &[named(event(&owner), "order-1", "a")]).await;
    for (index, before) in [0, 1, 5].map(|index| (index, (0..index).map(|_| event(&owner)))) {
        let mut events: Vec<_> = before.collect();
        events.push(named(event(&owner), "order-1", "b"));
        events.push(event(&owner));
        assert_eq!(try_publish(&*store, &events).await, Publication::Conflict { index }, "the {index}. is another");
    }
    assert_eq!(deliveries(&*store, &owner).await.len(), 1, "a conflict must change nothing");
}

/// If one event is a conflict, no event of the call is accepted, and no publisher's id is used up.
pub async fn a_publication_is_all_or_nothing(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    publish(&*store, &[named(event(&owner), "taken", "a")]).await;
    let events = [
        named(event(&owner), "first", "a"),
        event(&owner),
        named(event(&owner), "taken", "b"),
        named(event(&owner), "last", "a"),
    ];
    assert_eq!(try_publish(&*store, &events).await, Publication::Conflict { index: 2 }, "the third is a conflict");
    assert_eq!(deliveries(&*store, &owner).await.len(), 1, "nothing of a refused publication may be stored");
    assert_eq!(claim(&*store, 1).await.len(), 1, "nothing of a refused publication may be delivered");
    for new in [&events[0], &events[1], &events[3]] {
        let mut again = new.clone();
        again.event = event(&owner).event;
        let accepted = publish(&*store, &[again]).await;
        assert_eq!((accepted[0].deliveries, accepted[0].is_duplicate), (1, false), "a refused event is a new one");
    }
}

/// Each owner has separate publisher ids, which are compared byte for byte.
pub async fn publisher_ids_are_each_owners_own(store: Arc<dyn WebhookStore>) {
    let longest = "\u{1f980}".repeat(256);
    let almost = format!("{}\u{1f981}", "\u{1f980}".repeat(255));
    let ids = ["a", "A", "a ", " a", "%", "_", "'", "caf\u{e9}", "cafe\u{301}", "\\", "NULL", &longest, &almost];
    for owner in ["alice", "Alice", "bob"].map(user) {
        for id in ids {
            let accepted = publish(&*store, &[named(event(&owner), id, "x")]).await;
            assert!(!accepted[0].is_duplicate, "{owner:?} has not published under {id:?}");
        }
        for id in ids {
            let accepted = publish(&*store, &[named(event(&owner), id, "x")]).await;
            assert!(accepted[0].is_duplicate, "{owner:?} has published under {id:?}");
        }
    }
}

/// Within one call the second event under an id is a duplicate of the first, or a conflict.
pub async fn repetitions_within_one_call_are_seen(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    let (first, second) = (named(event(&owner), "order-1", "a"), named(event(&owner), "order-1", "a"));
    let others = named(event(&user("bob")), "order-1", "b");
    let accepted = publish(&*store, &[first.clone(), others.clone(), second]).await;
    let expected = [
        Accepted { event: first.event.clone(), deliveries: 1, is_duplicate: false },
        Accepted { event: others.event, deliveries: 0, is_duplicate: false },
        Accepted { event: first.event, deliveries: 1, is_duplicate: true },
    ];
    assert_eq!(accepted, expected, "the second under an id must be a duplicate of the first");
    let differing = [named(event(&owner), "order-2", "a"), named(event(&owner), "order-2", "b")];
    let answer = try_publish(&*store, &differing).await;
    assert_eq!(answer, Publication::Conflict { index: 1 }, "the second is another event");
    assert_eq!(deliveries(&*store, &owner).await.len(), 1, "each event must be fanned out once");
}

/// One of several parallel repetitions is accepted, and the others get the accepted event.
pub async fn parallel_repetitions_are_accepted_once(store: Arc<dyn WebhookStore>) {
    for round in 0..6 {
        let (owner, _) = subscriber(&*store, &format!("round {round}")).await;
        let calls = (0..12).map(|_| publishing(&store, &owner, vec!["order-1".to_owned()])).collect();
        let answers: Vec<Accepted> = all_at_once(calls).await.into_iter().flatten().collect();
        let firsts: Vec<&Accepted> = answers.iter().filter(|one| !one.is_duplicate).collect();
        assert_eq!(firsts.len(), 1, "of 12 parallel repetitions one must be accepted");
        for answer in &answers {
            let seen = (&answer.event, answer.deliveries);
            assert_eq!(seen, (&firsts[0].event, 1), "a repetition must get the accepted event");
        }
        assert_eq!(deliveries(&*store, &owner).await.len(), 1, "parallel repetitions must be fanned out once");
    }
}

/// Parallel publications that name the same ids in opposite orders all succeed, and each id is accepted once.
pub async fn parallel_repetitions_in_opposite_orders_all_end(store: Arc<dyn WebhookStore>) {
    for round in 0..4 {
        let (owner, _) = subscriber(&*store, &format!("round {round}")).await;
        let ids: Vec<String> = (0..10).map(|n| format!("order-{n}")).collect();
        let backwards: Vec<String> = ids.iter().rev().cloned().collect();
        let calls = (0..8).map(|n| {
            let ids = if n % 2 == 0 { &ids } else { &backwards };
            publishing(&store, &owner, ids.clone())
        });
        let answers = all_at_once(calls.collect()).await;
        let accepted = answers.iter().flatten().filter(|one| !one.is_duplicate).count();
        assert_eq!(accepted, 10, "each of 10 ids must be accepted once");
        let events: HashSet<_> = answers.iter().flatten().map(|one| one.event.id).collect();
        assert_eq!(events.len(), 10, "each of 10 ids must stand for one event");
        assert_eq!(deliveries(&*store, &owner).await.len(), 10, "each of 10 ids must be fanned out once");
    }
}

fn publishing(store: &Arc<dyn WebhookStore>, owner: &OwnerId, ids: Vec<String>) -> Call<Vec<Accepted>> {
    let (store, owner) = (Arc::clone(store), owner.clone());
    Box::pin(async move {
        let events: Vec<_> = ids.iter().map(|id| named(event(&owner), id, "a")).collect();
        publish(&*store, &events).await
    })
}
