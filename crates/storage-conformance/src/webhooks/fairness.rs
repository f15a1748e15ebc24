//! Lanes take turns: a long lane does not delay the others.

use std::collections::HashSet;
use std::sync::Arc;

use domain::SubscriptionId;
use domain::ports::ClaimRequest;

use super::WebhookStore;
use super::sample::{event, event_at, publish, publish_at, publish_many, subscribed, subscriber};
use super::work::{claim, claim_as, complete, complete_all, of_lane, request};
use crate::sample::{at, user};

/// One lane has two thousand deliveries that have waited longest, and five lanes have one each. The first claim takes
/// these five, and fills the room of the long lane.
pub async fn a_long_lane_holds_up_no_other(store: Arc<dyn WebhookStore>) {
    let long = long_lane(&store, 2_000).await;
    let small = small_lanes(&store, 5).await;
    let held = claim(&*store, 100).await;
    assert_eq!(of_lane(&held, long), 8, "of the long lane as many as there is room for");
    for lane in small {
        assert_eq!(of_lane(&held, lane), 1, "the first claim must serve every small lane");
    }
}

/// With room for one lane at a time, a short lane waits at most once for each other lane, of any length.
pub async fn lanes_take_turns(store: Arc<dyn WebhookStore>) {
    let mut lanes: HashSet<SubscriptionId> = small_lanes(&store, 3).await.into_iter().collect();
    lanes.insert(long_lane(&store, 100).await);
    lanes.insert(long_lane(&store, 50).await);
    let mut served = Vec::new();
    for millis in 100..105 {
        let held = claim_as(&*store, &ClaimRequest { lanes_max: 1, ..request(millis) }).await;
        let lane = held.first().expect("something is due").subscription;
        assert!(held.iter().all(|one| one.subscription == lane), "the claim has room for one lane");
        served.push(lane);
    }
    assert_eq!(served.iter().copied().collect::<HashSet<_>>(), lanes, "each of 5 lanes must be served once in 5 turns");
}

/// The lane that was served longest ago comes first, even if another lane has older deliveries. Claims of one delivery of
/// one lane go round in turn.
pub async fn the_lane_served_longest_ago_comes_first(store: Arc<dyn WebhookStore>) {
    for n in 0..4 {
        let (owner, _) = subscriber(&*store, &format!("user-{n}")).await;
        let events: Vec<_> = (0..6).map(|older| event_at(&owner, at(-100 * n - older))).collect();
        publish(&*store, &events).await;
    }
    let mut served = Vec::new();
    for millis in 100..124 {
        let held = claim_as(&*store, &ClaimRequest { lanes_max: 1, room: 1, ..request(millis) }).await;
        assert_eq!(held.len(), 1, "the claim has room for one delivery, and some are due");
        complete(&*store, &[held[0].delivered(millis)]).await;
        served.push(held[0].subscription);
    }
    for round in served.chunks(4) {
        let lanes: HashSet<_> = round.iter().collect();
        assert_eq!(lanes.len(), 4, "each of 4 lanes must be served once in 4 turns, got {served:?}");
        assert_eq!(round, &served[..4], "lanes must be served in the same order in every round");
    }
}

/// A lane without room is skipped, and does not take another lane's place.
pub async fn a_lane_without_room_takes_no_place(store: Arc<dyn WebhookStore>) {
    let full: Vec<_> = [long_lane(&store, 5).await, long_lane(&store, 6).await].map(|lane| (lane, 0)).into();
    let small = small_lanes(&store, 2).await;
    for millis in [100, 101] {
        let only_one = ClaimRequest { lanes_max: 1, rooms: full.clone(), ..request(millis) };
        let held = claim_as(&*store, &only_one).await;
        assert_eq!(held.len(), 1, "a lane without room must not hide those behind it");
        assert!(small.contains(&held[0].subscription), "there is no room for the others");
    }
    let held = claim(&*store, 102).await;
    assert_eq!(held.len(), 11, "what there was no room for is still due");
}

/// A paused lane, and a lane without due deliveries, do not take a place either.
pub async fn lanes_that_wait_take_no_place(store: Arc<dyn WebhookStore>) {
    let paused = user("paused");
    subscribed(&*store, &paused).await;
    publish_many(&*store, &paused, 8, -50).await;
    complete_all(&*store, &claim(&*store, 0).await, |one| one.failed(10, 20)).await;
    let later = user("later");
    subscribed(&*store, &later).await;
    publish_at(&*store, &later, at(9_000)).await;
    let small = small_lanes(&store, 2).await;
    for millis in [100, 101] {
        let held = claim_as(&*store, &ClaimRequest { lanes_max: 1, ..request(millis) }).await;
        assert_eq!(held.len(), 1, "lanes that wait must not hide those that are due");
        assert!(small.contains(&held[0].subscription), "the others wait");
    }
}

/// A lane of a new owner with this number of deliveries that have waited for a while.
async fn long_lane(store: &Arc<dyn WebhookStore>, count: usize) -> SubscriptionId {
    let (owner, lane) = subscriber(&**store, &format!("long-{count}")).await;
    let events: Vec<_> = (0..count).map(|_| event_at(&owner, at(-1_000))).collect();
    for batch in events.chunks(500) {
        publish(&**store, batch).await;
    }
    lane.id
}

/// Lanes of different owners, each with one delivery.
async fn small_lanes(store: &Arc<dyn WebhookStore>, count: usize) -> Vec<SubscriptionId> {
    let mut lanes = Vec::new();
    for n in 0..count {
        let owner = user(&format!("small-{n}"));
        lanes.push(subscribed(&**store, &owner).await.id);
        publish(&**store, &[event(&owner)]).await;
    }
    lanes
}
