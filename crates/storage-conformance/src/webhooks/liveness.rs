//! Every accepted delivery is delivered, with any calls in parallel: no lane sleeps while it has a due delivery.
//!
//! Each test has many short rounds of calls that start together. It looks for a lane that one call puts to sleep while
//! another call makes a delivery due. After the race no call is running, so one claim must find the delivery.

use std::sync::Arc;

use domain::OwnerId;
use domain::ports::Completion;
use domain::webhooks::{DeliveryEnd, DeliveryState};

use super::WebhookStore;
use super::calls::{calling, claiming, publishing, race};
use super::commands::retry;
use super::sample::{deliveries, health, publish_at, publish_many, subscribed, subscriber, switched, update};
use super::work::{Held, claim, claim_one, complete, complete_all, drain, end_closed, settle};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

/// The number of rounds of a race of two calls.
const ROUNDS: i64 = 80;
/// The time between two rounds in milliseconds: longer than the first pause of a breaker, and than a claim.
const ROUND_MILLIS: i64 = 200_000;
/// How long a lane has waited when the race begins, in milliseconds: a store may leave a lane awake for a while.
const LATE_MILLIS: i64 = 5_000;

/// Publishers and dispatchers work on the same lanes; some attempts fail, and some deliveries are given back. Every
/// accepted delivery is delivered in the end, once.
pub async fn everything_that_was_accepted_is_delivered(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let lanes = [subscribed(&*store, &owner).await, subscribed(&*store, &owner).await];
    let mut accepted = 0;
    for round in 0..25 {
        let start = round * ROUND_MILLIS;
        let publishers = (0..3).map(|_| publishing(&store, &owner, 2, start));
        let dispatchers = (0..3).map(|n| dispatching(&store, start, n));
        accepted += all_at_once(publishers.chain(dispatchers).collect()).await.iter().sum::<u32>();
        drain(&*store, start + ROUND_MILLIS / 2).await;
        for lane in &lanes {
            let waiting = health(&*store, lane).await.waiting;
            assert_eq!(waiting, 0, "round {round}: what was accepted must have been claimed to the end");
        }
    }
    let all = deliveries(&*store, &owner).await;
    let delivered = |state| matches!(state, DeliveryState::Ended { end: DeliveryEnd::Delivered, .. });
    let count = all.iter().filter(|one| delivered(one.state)).count();
    assert_eq!((all.len(), count), (accepted as usize, accepted as usize), "all must be delivered");
}

/// An event that is published while its lane is served for the last time is claimed by that claim or by the next.
pub async fn a_publication_beside_a_claim_is_claimed(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    for round in 0..ROUNDS {
        let start = (round + 1) * ROUND_MILLIS;
        publish_at(&*store, &owner, at(start - LATE_MILLIS)).await;
        let held = race(round, publishing_one(&store, &owner, start), claiming(&store, start)).await.concat();
        expect_rest(&store, held, 2, start, round).await;
    }
}

/// A retry that is due at once while its lane is served for the last time is claimed by that claim or by the next.
pub async fn a_retry_beside_a_claim_is_claimed(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    for round in 0..ROUNDS {
        let start = (round + 1) * ROUND_MILLIS;
        publish_at(&*store, &owner, at(start - LATE_MILLIS)).await;
        let held = claim_one(&*store, start).await;
        publish_at(&*store, &owner, at(start - LATE_MILLIS)).await;
        let completion = if round % 2 == 0 { held.failed(start, start) } else { held.given_back(start, start) };
        let held = race(round, completing(&store, completion), claiming(&store, start)).await.concat();
        expect_rest(&store, held, 2, start, round).await;
    }
}

/// A delivery that is retried by hand while its lane is served for the last time is claimed by that claim or by the
/// next.
pub async fn a_retry_by_hand_beside_a_claim_is_claimed(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    for round in 0..ROUNDS / 2 {
        let start = (round + 1) * ROUND_MILLIS;
        publish_at(&*store, &owner, at(start - LATE_MILLIS)).await;
        let held = claim_one(&*store, start).await;
        settle(&*store, held.delivered(start)).await;
        publish_at(&*store, &owner, at(start - LATE_MILLIS)).await;
        let owner = owner.clone();
        let retrying: Call<Vec<Held>> = calling(&store, move |store| async move {
            retry(&*store, &owner, held.delivery.id, start).await;
            Vec::new()
        });
        let held = race(round, retrying, claiming(&store, start)).await.concat();
        expect_rest(&store, held, 2, start, round).await;
    }
}

/// An event that is published while its subscription is enabled has a delivery that is claimed, or has no delivery.
pub async fn a_publication_beside_an_enabling_is_claimed(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = subscriber(&*store, "alice").await;
    for round in 0..ROUNDS / 2 {
        let start = round * ROUND_MILLIS;
        update(&*store, &lane, &switched(false), at(start)).await;
        let enabled = lane.clone();
        let enabling = calling(&store, move |store| async move {
            update(&*store, &enabled, &switched(true), at(start)).await;
            0_u32
        });
        let accepted: u32 = race(round, enabling, publishing(&store, &owner, 1, start)).await.iter().sum();
        end_closed(&*store, start).await;
        let held = claim(&*store, start + 1).await;
        assert_eq!(held.len(), accepted as usize, "round {round}: what was accepted must be claimed");
        complete_all(&*store, &held, |one| one.delivered(start + 1)).await;
    }
}

/// A success that ends a pause during a publication wakes the lane for the new delivery.
pub async fn a_publication_beside_a_recovery_is_claimed(store: Arc<dyn WebhookStore>) {
    for round in 0..ROUNDS / 4 {
        let (owner, _) = subscriber(&*store, &format!("round {round}")).await;
        let start = round * ROUND_MILLIS;
        publish_many(&*store, &owner, 6, start).await;
        let held = claim(&*store, start).await;
        complete_all(&*store, &held[..5], |one| one.failed(start + 1, start + 2)).await;
        let success = completing(&store, held[5].delivered(start + 3));
        race(round, success, publishing_one(&store, &owner, start)).await;
        let held = claim(&*store, start + 4).await;
        assert_eq!(held.len(), 6, "round {round}: the lane is free, and all of it is due");
        complete_all(&*store, &held, |one| one.delivered(start + 5)).await;
    }
}

/// After the race, one claim finds every delivery that the race has not claimed.
async fn expect_rest(store: &Arc<dyn WebhookStore>, mut held: Vec<Held>, count: usize, start: i64, round: i64) {
    held.extend(claim(&**store, start + 1).await);
    assert_eq!(held.len(), count, "round {round}: what is due must be claimed in the race or right after it");
    complete_all(&**store, &held, |one| one.delivered(start + 2)).await;
}

fn publishing_one(store: &Arc<dyn WebhookStore>, owner: &OwnerId, millis: i64) -> Call<Vec<Held>> {
    let owner = owner.clone();
    calling(store, move |store| async move {
        publish_at(&*store, &owner, at(millis)).await;
        Vec::new()
    })
}

fn completing(store: &Arc<dyn WebhookStore>, completion: Completion) -> Call<Vec<Held>> {
    calling(store, |store| async move {
        settle(&*store, completion).await;
        Vec::new()
    })
}

/// Claims and completes a few times: every third attempt fails, every fifth is given back, each to be tried at once.
fn dispatching(store: &Arc<dyn WebhookStore>, start: i64, n: i64) -> Call<u32> {
    calling(store, move |store| async move {
        for (step, millis) in (n..n + 4).zip(start + 1..) {
            let held = claim(&*store, millis).await;
            let ends = held.iter().zip(step..).map(|(one, n)| match n {
                n if n % 3 == 0 => one.failed(millis, millis),
                n if n % 5 == 0 => one.given_back(millis, millis),
                _ => one.delivered(millis),
            });
            complete(&*store, &ends.collect::<Vec<_>>()).await;
        }
        0
    })
}
