//! Owners share the room of a claim: lanes of one owner do not delay the lanes of another.

use std::sync::Arc;

use domain::OwnerId;
use domain::ports::ClaimRequest;
use domain::webhooks::{FairShares, NewEvent, OwnerNumber};

use super::WebhookStore;
use super::sample::{event_at, publish, subscribed};
use super::work::{Held, claim, claim_as, request};
use crate::sample::{at, user};

/// More lanes than a store reads at a time.
const MANY: usize = 40;

/// A lane takes at most the share of its owner that earlier lanes have left.
pub async fn owners_share_the_room_of_a_claim(store: Arc<dyn WebhookStore>) {
    let (greedy, other) = (user("greedy"), user("other"));
    lanes(&store, &greedy, 3, 8, -1_000).await;
    lanes(&store, &other, 1, 8, -10).await;
    let shares = FairShares::new(12);
    let held = claim_as(&*store, &ClaimRequest { shares, ..request(0) }).await;
    assert_eq!(of_owner(&held, &greedy), 9, "one owner may take three quarters of what is free");
    assert_eq!(of_owner(&held, &other), 3, "the lanes of another owner may take what is left");
    let held = claim(&*store, 1).await;
    assert_eq!(of_owner(&held, &greedy) + of_owner(&held, &other), 4 * 8 - 12, "what had no room is still due");
}

/// Deliveries that an owner has taken before the claim count.
pub async fn what_an_owner_has_taken_counts(store: Arc<dyn WebhookStore>) {
    let (greedy, other) = (user("greedy"), user("other"));
    lanes(&store, &greedy, 2, 8, -1_000).await;
    lanes(&store, &other, 2, 8, -10).await;
    let taken = [(OwnerNumber::of(&greedy), 16), (OwnerNumber::of(&other), 4)];
    let shares = FairShares::with_taken(8, taken);
    let held = claim_as(&*store, &ClaimRequest { shares, ..request(0) }).await;
    assert_eq!(of_owner(&held, &greedy), 2, "16 are taken and 8 are free: two more, then 18 are taken and 6 are free");
    assert_eq!(of_owner(&held, &other), 4, "4 are taken and 6 are free");
}

/// Lanes of an owner without room are skipped, for any number of them and any waiting time.
pub async fn lanes_of_a_full_owner_take_no_place(store: Arc<dyn WebhookStore>) {
    let (full, other) = (user("full"), user("other"));
    lanes(&store, &full, MANY, 1, -1_000).await;
    lanes(&store, &other, 1, 1, -10).await;
    let shares = FairShares::with_taken(2, [(OwnerNumber::of(&full), 6)]);
    let held = claim_as(&*store, &ClaimRequest { lanes_max: 1, shares, ..request(0) }).await;
    assert_eq!((of_owner(&held, &full), of_owner(&held, &other)), (0, 1), "a full owner must not hide others");
    let shares = FairShares::with_taken(3, [(OwnerNumber::of(&full), 6)]);
    let held = claim_as(&*store, &ClaimRequest { shares, ..request(1) }).await;
    assert_eq!(of_owner(&held, &full), 1, "what the full owner has is still due");
}

/// An owner whose share ends within a claim does not hide others: the same claim continues with their lanes.
pub async fn an_owner_who_fills_up_within_a_claim_hides_nobody(store: Arc<dyn WebhookStore>) {
    let (filling, second, third) = (user("filling"), user("second"), user("third"));
    lanes(&store, &filling, MANY, 1, -1_000).await;
    lanes(&store, &second, MANY, 1, -500).await;
    lanes(&store, &third, 1, 1, -10).await;
    let taken = [(OwnerNumber::of(&filling), 20), (OwnerNumber::of(&second), 20)];
    let shares = FairShares::with_taken(8, taken);
    let held = claim_as(&*store, &ClaimRequest { lanes_max: 3, room: 1, shares, ..request(0) }).await;
    let taken = [&filling, &second, &third].map(|owner| of_owner(&held, owner));
    assert_eq!(taken, [1, 1, 1], "two owners have room for one delivery, and the third one for more");
}

/// New lanes of the owner, each with this number of deliveries that have been due since this time.
async fn lanes(store: &Arc<dyn WebhookStore>, owner: &OwnerId, lanes: usize, deliveries: usize, since_millis: i64) {
    for _ in 0..lanes {
        let lane = subscribed(&**store, owner).await;
        let events: Vec<_> =
            (0..deliveries).map(|_| NewEvent { only: Some(lane.id), ..event_at(owner, at(since_millis)) }).collect();
        publish(&**store, &events).await;
    }
}

fn of_owner(held: &[Held], owner: &OwnerId) -> usize {
    held.iter().filter(|one| one.owner == OwnerNumber::of(owner)).count()
}
