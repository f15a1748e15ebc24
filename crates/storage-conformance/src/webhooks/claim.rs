//! The deliveries that a claim takes, and the time for which it holds them.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::ports::{ClaimRequest, RetryByHand};
use domain::webhooks::{Breaker, DeliveryState, NewEvent, OwnerNumber, Payload};
use domain::{DeliveryId, EventId, OwnerId, TraceContext};

use super::WebhookStore;
use super::commands::retry;
use super::reader::publish_each;
use super::sample::{
    event, event_at, history, named, only_secret, publish, publish_at, publish_many, put, subscribed, subscriber,
    subscription,
};
use super::work::{
    Held, LEASE_MILLIS, claim, claim_as, claim_lanes, claim_one, complete, complete_all, of_lane, publish_and_claim,
    request, settle,
};
use crate::sample::{at, user};

/// A delivery is claimed when it is due, to the millisecond, with all data for sending it. Its state is then sending,
/// until the claim ends.
pub async fn a_due_delivery_is_claimed_with_all_that_it_needs(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let stored = subscription(&owner);
    let secret = put(&*store, &stored).await;
    assert!(claim(&*store, 0).await.is_empty(), "an empty queue has nothing to claim");
    let new = event_at(&owner, at(100));
    publish(&*store, std::slice::from_ref(&new)).await;
    assert!(claim(&*store, 99).await.is_empty(), "nothing is due a millisecond before its time");

    let lanes = claim_lanes(&*store, &request(100)).await;
    assert_eq!(lanes.len(), 1, "the one lane has something due");
    let lane = &lanes[0];
    assert_eq!((lane.subscription, &lane.url), (stored.id, &stored.url), "the claim must say where to");
    assert_eq!(lane.owner, OwnerNumber::of(&owner), "the claim must say whose share the deliveries take");
    assert_eq!(lane.secrets, only_secret(&secret), "the claim must say what to sign with");
    assert_eq!(lane.breaker, Breaker::default(), "the claim must have the breaker");
    assert_eq!(lane.deliveries.len(), 1, "one delivery is due");
    let one = &lane.deliveries[0];
    let id = DeliveryId::of(new.event.id, stored.id);
    assert_eq!((one.id, one.event, &one.payload), (id, new.event.id, &new.event.payload), "what to deliver");
    assert_eq!((one.attempt, one.run_attempt, one.run_started_at), (1, 1, at(100)), "the first attempt of its run");
    let state = history(&*store, &owner, id).await.delivery.state;
    assert_eq!(state, DeliveryState::Sending(at(100 + LEASE_MILLIS)), "it is being sent until the claim ends");
}

/// The span that published an event comes with every attempt of every delivery of it, also after a retry by hand. A
/// repetition of the event does not change it.
pub async fn a_claim_brings_the_trace_of_the_event(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    subscribed(&*store, &owner).await;
    let (trace, other) = (TraceContext::from_bytes(&[1; 24]), TraceContext::from_bytes(&[2; 24]));
    let traced = NewEvent { trace, ..named(event(&owner), "traced", "") };
    publish(&*store, &[traced.clone(), event(&owner)]).await;
    publish(&*store, &[NewEvent { trace: other, ..traced.clone() }]).await;
    let expected = |held: &[Held]| {
        assert_eq!(held.len(), 4, "two events are due to two subscriptions each");
        for one in held {
            let expected = trace.filter(|_| one.delivery.event == traced.event.id);
            assert_eq!(one.delivery.trace, expected, "attempt {} must have the trace", one.delivery.attempt);
        }
    };
    let first = claim(&*store, 0).await;
    expected(&first);
    complete_all(&*store, &first, |one| one.failed(1, 2)).await;
    let second = claim(&*store, 2).await;
    expected(&second);
    complete_all(&*store, &second, |one| one.delivered(3)).await;
    for held in &second {
        let retried = retry(&*store, &owner, held.delivery.id, 4).await;
        assert!(matches!(retried, RetryByHand::Due(_)), "an ended delivery can be retried");
    }
    expected(&claim(&*store, 4).await);
}

/// A claim expires exactly at its instant, and the delivery is claimed again as the next attempt.
pub async fn a_claim_ends_at_its_instant(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    publish_at(&*store, &owner, at(0)).await;
    for attempt in 1..=3 {
        let start = i64::from(attempt - 1) * LEASE_MILLIS;
        let held = claim_one(&*store, start).await;
        let counted = (held.delivery.attempt, held.delivery.run_attempt, held.delivery.run_started_at);
        assert_eq!(counted, (attempt, attempt, at(0)), "an attempt that never came back must count");
        assert!(claim(&*store, start).await.is_empty(), "a delivery must be in one claim at a time");
        let last = start + LEASE_MILLIS - 1;
        assert!(claim(&*store, last).await.is_empty(), "a millisecond before its end a claim must hold");
    }
}

/// A completion under a lost claim does not change the delivery, which belongs to the next claim. The attempt is recorded.
pub async fn a_lost_claim_ends_nothing(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    let lost = publish_and_claim(&*store, &owner, 0).await;
    let holder = claim_one(&*store, LEASE_MILLIS).await;
    let before = history(&*store, &owner, holder.delivery.id).await.delivery;
    let late = LEASE_MILLIS + 10;
    for completion in [lost.delivered(late), lost.failed(late, late), lost.given_back(late, late), lost.spent(late)] {
        assert_eq!(complete(&*store, &[completion]).await, [false], "a lost claim must be reported");
        let found = history(&*store, &owner, holder.delivery.id).await;
        assert_eq!(found.delivery, before, "what a lost claim says must change nothing");
        assert_eq!(found.attempts, [lost.attempt(at(late), None)], "the attempt under a lost claim is recorded");
    }
    assert!(claim(&*store, late).await.is_empty(), "a lost claim must not make the delivery due");
    settle(&*store, holder.delivered(late + 1)).await;
    let numbers: Vec<u32> =
        history(&*store, &owner, holder.delivery.id).await.attempts.iter().map(|one| one.number).collect();
    assert_eq!(numbers, [1, 2], "both attempts must be recorded");
}

/// An expired claim still holds until another claim takes the delivery.
pub async fn a_claim_that_ran_out_holds_until_another_claims(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    let held = publish_and_claim(&*store, &owner, 0).await;
    settle(&*store, held.delivered(2 * LEASE_MILLIS)).await;
    assert!(claim(&*store, 3 * LEASE_MILLIS).await.is_empty(), "what was delivered must not be claimed again");
}

/// A claim counts an attempt, so that an attempt without a result counts. A delivery that is given back does not count an
/// attempt, and is due again at its time, to the millisecond.
pub async fn attempts_are_counted_by_claims(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    let held = publish_and_claim(&*store, &owner, 0).await;
    let id = held.delivery.id;
    assert_eq!(history(&*store, &owner, id).await.delivery.attempts, 1, "the attempt must count while it is made");
    settle(&*store, held.given_back(10, 50)).await;
    let found = history(&*store, &owner, id).await;
    assert_eq!(found.delivery.attempts, 0, "what was given back must not count");
    assert_eq!(found.delivery.state, DeliveryState::Waiting(at(50)), "it must be claimed again then");
    assert!(found.attempts.is_empty(), "no attempt, no record");
    assert!(claim(&*store, 49).await.is_empty(), "it is not due yet");
    let held = claim_one(&*store, 50).await;
    assert_eq!((held.delivery.attempt, held.delivery.run_attempt), (1, 1), "it is the first attempt still");
    let held = claim_one(&*store, 50 + LEASE_MILLIS).await;
    assert_eq!((held.delivery.attempt, held.delivery.run_attempt), (2, 2), "one that never came back counts");
    settle(&*store, held.given_back(2 * LEASE_MILLIS, 0)).await;
    let held = claim_one(&*store, 2 * LEASE_MILLIS).await;
    assert_eq!((held.delivery.attempt, held.delivery.run_attempt), (2, 2), "what was given back is uncounted alone");
}

/// The payloads of a claim fit into its room in bytes, unless it takes one event only. The other deliveries are claimed
/// by the next claims, and count no attempt before.
pub async fn payloads_fit_into_the_room_for_them(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    subscribed(&*store, &owner).await;
    let sized = |millis, size| {
        let mut new = event_at(&owner, at(millis));
        new.event.payload = Payload::from_bytes(vec![b' '; size]);
        new
    };
    publish(&*store, &[sized(0, 900), sized(1, 300), sized(2, 300), sized(3, 5_000), sized(4, 10)]).await;
    let mut attempts = Vec::new();
    for claims in 0.. {
        let request = ClaimRequest { payload_bytes_max: 1_200, ..request(10 + claims) };
        let held = claim_as(&*store, &request).await;
        if held.is_empty() {
            break;
        }
        let payloads: BTreeMap<EventId, usize> =
            held.iter().map(|one| (one.delivery.event, one.delivery.payload.bytes().len())).collect();
        assert!(payloads.values().sum::<usize>() <= 1_200 || payloads.len() == 1, "{payloads:?} do not fit");
        attempts.extend(held.iter().map(|one| one.delivery.attempt));
    }
    assert_eq!(attempts, [1; 10], "each delivery is claimed once");
}

/// A delivery that is due before the time of the last claim is claimed: another instance may publish with a clock that
/// is behind, and a publication may be slow.
pub async fn what_comes_late_is_claimed(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    publish_at(&*store, &owner, at(10_000)).await;
    for millis in [10_000, 20_000, 30_000] {
        for held in claim(&*store, millis).await {
            settle(&*store, held.delivered(millis)).await;
        }
    }
    let late = publish_at(&*store, &owner, at(5_000)).await;
    let held = claim_one(&*store, 30_000).await;
    assert_eq!(held.delivery.event, late, "what is due must be claimed, however long ago it became due");
    settle(&*store, held.given_back(30_000, 2_000)).await;
    assert_eq!(claim_one(&*store, 30_000).await.delivery.event, late, "so must what is given back");
}

/// In a lane, first attempts are claimed before retries, and retries before replays; each kind by its due time.
pub async fn a_lane_keeps_its_order(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = subscriber(&*store, "alice").await;
    let ids = publish_spaced(&*store, &owner, 0, 6).await;
    let delivery = |n: usize| DeliveryId::of(ids[n], lane.id);
    let held = claim(&*store, 10).await;
    assert_eq!(events(&held), ids, "first attempts must leave by their due time");
    // Two come back as replays and two as retries, each pair in another order.
    complete(&*store, &[held[0].spent(20), held[1].delivered(20)]).await;
    complete(&*store, &[held[2].failed(20, 60), held[3].failed(20, 40), held[4].delivered(20), held[5].delivered(20)])
        .await;
    for (n, millis) in [(1, 25), (0, 30)] {
        retry(&*store, &owner, delivery(n), millis).await;
    }
    let new = publish_spaced(&*store, &owner, 70, 2).await;
    let order = [new[0], new[1], ids[3], ids[2], ids[1], ids[0]];
    for (step, expected) in (0..).zip(order.chunks(2)) {
        let held = claim_as(&*store, &ClaimRequest { room: 2, ..request(100 + step) }).await;
        assert_eq!(events(&held), expected, "first attempts, then retries, then replays, each by due time");
    }
}

/// A delivery that is given back keeps its place: a first attempt is claimed before retries that have been due for longer.
pub async fn what_is_given_back_keeps_its_place(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    publish(&*store, &[event(&owner), event(&owner)]).await;
    let held = claim(&*store, 0).await;
    settle(&*store, held[0].failed(10, 20)).await;
    settle(&*store, held[1].given_back(10, 30)).await;
    for (millis, expected) in [(100, 1), (101, 0)] {
        let next = claim_as(&*store, &ClaimRequest { room: 1, ..request(millis) }).await;
        assert_eq!(next[0].delivery.id, held[expected].delivery.id, "the first attempt, then the retry");
    }
}

/// A claim takes at most the room of a lane in deliveries, for lanes that are named and for others, and at most the
/// requested number of lanes.
pub async fn rooms_limit_lanes(store: Arc<dyn WebhookStore>) {
    let mut lanes = Vec::new();
    for n in 0..4 {
        let (owner, lane) = subscriber(&*store, &format!("user-{n}")).await;
        publish_many(&*store, &owner, 30, 0).await;
        lanes.push(lane.id);
    }
    let rooms = vec![(lanes[0], 0), (lanes[1], 1), (lanes[2], 20)];
    let counts = |held: &[Held]| lanes.iter().map(|lane| of_lane(held, *lane)).collect::<Vec<_>>();
    let held = claim_as(&*store, &ClaimRequest { rooms, room: 3, ..request(10) }).await;
    assert_eq!(counts(&held), [0, 1, 20, 3], "each lane by its own room, or the usual one");
    for (lanes_max, room) in [(0, 5), (5, 0)] {
        let held = claim_as(&*store, &ClaimRequest { lanes_max, room, ..request(11) }).await;
        assert!(held.is_empty(), "no lanes or no room leave nothing to claim, got {held:?}");
    }
    let held = claim_as(&*store, &ClaimRequest { lanes_max: 3, room: 2, ..request(12) }).await;
    let mut sorted = counts(&held);
    sorted.sort_unstable();
    assert_eq!(sorted, [0, 2, 2, 2], "at most three lanes");
}

/// A claim fills the room of a lane, if the lane has enough deliveries.
pub async fn a_lane_gives_as_many_as_there_is_room_for(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = subscriber(&*store, "alice").await;
    let rooms = [1, 2, 7, 8, 9, 63, 64, 65, 130, 512, 1_000];
    for _ in 0..2 {
        publish_many(&*store, &owner, 460, 0).await;
    }
    let mut left = 920;
    for (millis, room) in (10..).zip(rooms) {
        let held = claim_as(&*store, &ClaimRequest { rooms: vec![(lane.id, room)], ..request(millis) }).await;
        assert_eq!(held.len(), left.min(room as usize), "of {left} due deliveries with room for {room}");
        left -= held.len();
    }
    assert_eq!(left, 0, "everything must have been claimed");
}

/// Publishes events a millisecond apart, each in a separate call. The last one comes first, so that a store cannot use the
/// order of arrival.
async fn publish_spaced(store: &dyn WebhookStore, owner: &OwnerId, from_millis: i64, count: i64) -> Vec<EventId> {
    let backwards: Vec<i64> = (from_millis..from_millis + count).rev().collect();
    let mut ids = publish_each(store, owner, &backwards).await;
    ids.reverse();
    ids
}

fn events(held: &[Held]) -> Vec<EventId> {
    held.iter().map(|one| one.delivery.event).collect()
}
