//! Subscriptions with an order: the numbers of deliveries, and which of them a claim takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::OwnerId;
use domain::ports::{ClaimRequest, RecoverRequest};
use domain::webhooks::{DisableReason, OnExhausted, Recoverable, SealedOptions, Subscription, SubscriptionStatus};
use tokio::task::yield_now;

use super::WebhookStore;
use super::commands::{cancel, recover, recover_as, recovery, retry, retry_at};
use super::reader::publish_each;
use super::sample::{add, event_at, publish, publish_at, reread, subscribed, subscription};
use super::work::{Held, LEASE_MILLIS, claim, claim_as, claim_one, complete, complete_all, request, settle};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

/// A user with this name, and the user's stored subscription with this order.
async fn ordered(store: &dyn WebhookStore, name: &str, order: OnExhausted) -> (OwnerId, Subscription) {
    let (owner, options) = (user(name), SealedOptions { order: Some(order), ..SealedOptions::default() });
    let lane = add(store, Subscription { options, ..subscription(&owner) }).await;
    (owner, lane)
}

fn numbers(held: &[Held]) -> Vec<u64> {
    held.iter().filter_map(|one| one.delivery.sequence).collect()
}

/// A claim takes deliveries by their numbers, and none while an earlier one is under a claim or waits for its retry. Other
/// lanes have no numbers, and do not wait.
pub async fn deliveries_in_order_leave_one_after_the_other(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = ordered(&*store, "alice", OnExhausted::Skip).await;
    let other = subscribed(&*store, &user("bob")).await;
    // Later events may have earlier times: the clocks of two instances differ.
    publish_each(&*store, &owner, &[3, 2, 1, 2, 3]).await;
    let in_lane = |held: Vec<Held>| held.into_iter().filter(|one| one.subscription == lane.id).collect::<Vec<_>>();
    let first = in_lane(claim_as(&*store, &ClaimRequest { room: 3, ..request(10) }).await);
    assert_eq!(numbers(&first), [1, 2, 3], "in the order of publication, as many as there is room for");
    publish_at(&*store, &other.owner, at(10)).await;
    let beside = claim(&*store, 11).await;
    assert_eq!(beside.iter().map(|one| one.subscription).collect::<Vec<_>>(), [other.id], "the others wait");
    assert_eq!(beside[0].delivery.sequence, None, "a subscription without an order has no numbers");
    let ends = [first[0].delivered(20), first[1].failed(21, 5_000), first[2].given_back(21, 21)];
    complete(&*store, &ends).await;
    for millis in [22, 4_999] {
        assert_eq!(numbers(&in_lane(claim(&*store, millis).await)), [0_u64; 0], "2 waits for its retry until 5,000 ms");
    }
    publish_at(&*store, &owner, at(4_999)).await;
    assert_eq!(numbers(&in_lane(claim(&*store, 4_999).await)), [0_u64; 0], "a publication changes nothing");
    let second = in_lane(claim(&*store, 5_000).await);
    assert_eq!(numbers(&second), [2, 3, 4, 5, 6]);
    complete_all(&*store, &second[..4], |one| one.delivered(5_010)).await;
    assert_eq!(numbers(&in_lane(claim(&*store, 5_020).await)), [0_u64; 0], "6 is under a claim");
    let after = 5_000 + LEASE_MILLIS;
    publish_at(&*store, &owner, at(after)).await;
    assert_eq!(numbers(&in_lane(claim(&*store, after).await)), [6, 7], "a claim that has expired is taken over");
}

/// A delivery that ends without success frees the next one: its attempts are used up, or its owner cancels it.
pub async fn an_end_frees_the_next_in_order(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = ordered(&*store, "alice", OnExhausted::Skip).await;
    publish_each(&*store, &owner, &[0, 1, 2, 3]).await;
    let held = claim_as(&*store, &ClaimRequest { room: 1, ..request(10) }).await;
    settle(&*store, held[0].spent(20).clone()).await;
    let held = claim_as(&*store, &ClaimRequest { room: 1, ..request(20) }).await;
    assert_eq!(numbers(&held), [2]);
    settle(&*store, held[0].failed(30, 900_000)).await;
    assert!(claim(&*store, 31).await.is_empty(), "2 waits for its retry");
    cancel(&*store, &owner, held[0].delivery.id, 40).await;
    let held = claim(&*store, 40).await;
    assert_eq!(numbers(&held), [3, 4]);
    settle(&*store, held[0].expired(50)).await;
    assert_eq!(reread(&*store, &lane).await.status, SubscriptionStatus::Enabled);
}

/// Where the order stops, the end of a schedule disables the subscription, with or without an attempt. A claim that does not
/// hold any more stops nothing.
pub async fn a_stopped_order_disables_the_subscription(store: Arc<dyn WebhookStore>) {
    for (name, with_attempt) in [("alice", true), ("bob", false)] {
        let (owner, lane) = ordered(&*store, name, OnExhausted::Stop).await;
        publish_at(&*store, &owner, at(0)).await;
        publish_at(&*store, &owner, at(1)).await;
        let stopped = |held: &Held, millis| {
            let spent = if with_attempt { held.spent(millis) } else { held.expired(millis) };
            held.ended(spent.end.in_order(Some(OnExhausted::Stop)))
        };
        let old = claim(&*store, 10).await;
        let held = claim(&*store, 10 + LEASE_MILLIS).await;
        assert_eq!((numbers(&old), numbers(&held)), (vec![1, 2], vec![1, 2]));
        assert_eq!(complete(&*store, &[stopped(&old[0], 20 + LEASE_MILLIS)]).await, [false]);
        assert_eq!(reread(&*store, &lane).await.status, SubscriptionStatus::Enabled);
        let ends = [stopped(&held[0], 30 + LEASE_MILLIS), held[1].given_back(30 + LEASE_MILLIS, 30 + LEASE_MILLIS)];
        assert_eq!(complete(&*store, &ends).await, [true, true]);
        let status = SubscriptionStatus::DisabledByService(DisableReason::OrderStopped);
        assert_eq!(reread(&*store, &lane).await.status, status);
        assert!(claim(&*store, 40 + LEASE_MILLIS).await.is_empty(), "a disabled subscription gets nothing");
    }
}

/// A delivery that has ended and is retried alone has no number, and does not wait for the others. One that waits keeps its
/// number. A recovery gives the next numbers to all that have ended, in the order of publication.
pub async fn replays_are_out_of_order_and_recoveries_are_not(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = ordered(&*store, "alice", OnExhausted::Skip).await;
    publish_each(&*store, &owner, &[0, 1, 2, 3]).await;
    let held = claim(&*store, 10).await;
    let ends = [held[0].spent(20), held[1].spent(20), held[2].failed(20, 900_000), held[3].given_back(20, 20)];
    complete(&*store, &ends).await;
    retry(&*store, &owner, held[0].delivery.id, 30).await;
    let replayed = claim_one(&*store, 30).await;
    assert_eq!((replayed.delivery.id, replayed.delivery.sequence), (held[0].delivery.id, None));
    settle(&*store, replayed.spent(40)).await;
    retry(&*store, &owner, held[2].delivery.id, 50).await;
    let in_order = claim(&*store, 50).await;
    assert_eq!(numbers(&in_order), [3, 4], "a delivery that waits keeps its place");
    settle(&*store, in_order[1].failed(60, 800_000)).await;
    settle(&*store, in_order[0].delivered(60)).await;
    assert_eq!(recover(&*store, &lane, 70, 0, 9).await, Some(3));
    publish_at(&*store, &owner, at(70)).await;
    let recovered = claim(&*store, 70).await;
    assert_eq!(numbers(&recovered), [4, 5, 6, 7], "4 waited, 1 and 2 have new numbers, and the new event comes last");
    let ids: Vec<_> = recovered.iter().take(3).map(|one| one.delivery.id).collect();
    assert_eq!(ids, [held[3].delivery.id, held[0].delivery.id, held[1].delivery.id]);
}

/// A recovery in several calls gives the numbers by the time of the events, and those of one millisecond in one call, by
/// their ids.
pub async fn recoveries_in_parts_keep_the_order(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = ordered(&*store, "alice", OnExhausted::Skip).await;
    for millis in 0..4 {
        let mut events: Vec<_> = (0..5).map(|_| event_at(&owner, at(millis))).collect();
        events.sort_unstable_by_key(|new| new.event.id);
        publish(&*store, &events).await;
    }
    let held = claim_as(&*store, &ClaimRequest { room: 20, ..request(10) }).await;
    let events: Vec<_> = held.iter().map(|one| one.delivery.event).collect();
    complete_all(&*store, &held, |one| one.spent(20)).await;
    let mut counts = Vec::new();
    while counts.last() != Some(&0) {
        // The first call begins with a new breaker.
        let part = recovery(&lane, retry_at(30, 0), Recoverable::All, 7);
        let recovered = recover_as(&*store, &RecoverRequest { enables: counts.is_empty(), ..part }).await;
        counts.push(recovered.expect("the subscription is there"));
    }
    assert_eq!(counts, [10, 10, 0], "a call takes seven, and the others of the same millisecond");
    let recovered = claim_as(&*store, &ClaimRequest { room: 20, ..request(30) }).await;
    assert_eq!(recovered.iter().map(|one| one.delivery.event).collect::<Vec<_>>(), events);
    assert_eq!(numbers(&recovered), (21..=40).collect::<Vec<u64>>());
}

/// An offer leaves out lanes with an order: claims take their deliveries.
pub async fn publications_leave_lanes_with_an_order_to_claims(store: Arc<dyn WebhookStore>) {
    let (owner, _) = ordered(&*store, "alice", OnExhausted::Skip).await;
    store.offer_claims(Some(&request(0)));
    publish_at(&*store, &owner, at(0)).await;
    assert_eq!(store.offer_claims(None), 0, "no claim is handed over");
    assert_eq!(claim_one(&*store, 0).await.delivery.sequence, Some(1));
}

/// Parallel publications number their deliveries without a gap, and parallel workers deliver them in this order, whatever
/// fails: no delivery is claimed before all with lower numbers have ended.
pub async fn parallel_workers_keep_the_order(store: Arc<dyn WebhookStore>) {
    let (owner, _) = ordered(&*store, "alice", OnExhausted::Skip).await;
    let ended = Arc::new(AtomicU64::new(0));
    let writers = (0..WRITERS).map(|_| {
        let (store, owner) = (Arc::clone(&store), owner.clone());
        Box::pin(async move {
            for millis in 0..EVENTS_EACH {
                publish_at(&*store, &owner, at(millis)).await;
            }
        }) as Call<()>
    });
    let workers = (0..4).map(|_| {
        let (store, ended) = (Arc::clone(&store), Arc::clone(&ended));
        Box::pin(async move {
            for _ in 0..TURNS_MAX {
                if ended.load(Ordering::SeqCst) == EVENTS {
                    return;
                }
                work_in_order(&*store, &ended).await;
                yield_now().await;
            }
            panic!("the queue must come to its end");
        }) as Call<()>
    });
    all_at_once(writers.chain(workers).collect()).await;
    assert!(claim(&*store, 2 * LEASE_MILLIS).await.is_empty(), "each event has one delivery");
}

const WRITERS: u64 = 6;
const EVENTS_EACH: i64 = 10;
const EVENTS: u64 = 60;
const TURNS_MAX: u32 = 100_000;

/// Claims and completes. The first attempt of each fifth delivery fails, and those that were claimed behind it go back.
async fn work_in_order(store: &dyn WebhookStore, ended: &AtomicU64) {
    let mut has_failed = false;
    let mut ends = Vec::new();
    for one in claim(store, 100).await {
        let number = one.delivery.sequence.expect("each delivery has a number");
        let before = ended.load(Ordering::SeqCst);
        assert!(has_failed || number == before + 1, "{number} is claimed when {before} have ended");
        let fails = !has_failed && number % 5 == 0 && one.delivery.attempt == 1;
        ends.push(match (fails, has_failed) {
            (true, _) => one.failed(100, 100),
            (false, true) => one.given_back(100, 100),
            (false, false) => {
                ended.fetch_add(1, Ordering::SeqCst);
                one.delivered(100)
            }
        });
        has_failed |= fails;
    }
    // One by one, as results come.
    for end in ends {
        settle(store, end).await;
    }
}
