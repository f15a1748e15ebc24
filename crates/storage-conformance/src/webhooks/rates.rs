//! Subscriptions with a rate: how many deliveries a claim takes, and when the next one takes more.

use std::collections::VecDeque;
use std::sync::Arc;

use domain::webhooks::{DeliveryRate, SealedOptions, SealedOptionsChange, Subscription, SubscriptionChange};
use domain::{OwnerId, Patch};

use super::WebhookStore;
use super::calls::claiming;
use super::commands::{recover, retry};
use super::sample::{add, options, publish_many, subscribed, subscription, update};
use super::work::{LEASE_MILLIS, claim, claim_lanes, claim_one, complete, request};
use crate::racing::all_at_once;
use crate::sample::{at, user};

fn rate(per_second: f64) -> DeliveryRate {
    DeliveryRate::new(per_second).expect("the rate of a sample is valid")
}

/// A user with this name, and the user's stored subscription with this rate.
async fn at_rate(store: &dyn WebhookStore, name: &str, per_second: f64) -> (OwnerId, Subscription) {
    let (owner, options) = (user(name), SealedOptions { max_per_second: Some(rate(per_second)), ..options() });
    let lane = add(store, Subscription { options, ..subscription(&owner) }).await;
    (owner, lane)
}

async fn change(store: &dyn WebhookStore, lane: &Subscription, max_per_second: Patch<DeliveryRate>, millis: i64) {
    let options = SealedOptionsChange { max_per_second, ..SealedOptionsChange::default() };
    update(store, lane, &SubscriptionChange { options, ..SubscriptionChange::default() }, at(millis)).await;
}

/// A claim takes as many deliveries as the rate allows at once, says until when the lane rests, and none comes before.
/// Lanes without a rate wait for nothing.
pub async fn a_lane_with_a_rate_rests_between_claims(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = at_rate(&*store, "alice", 100.0).await;
    let other = subscribed(&*store, &user("bob")).await;
    publish_many(&*store, &owner, 12, 0).await;
    let (mut now, mut rests_until) = (1_000, None);
    for count in [5, 5, 2] {
        let lanes = claim_lanes(&*store, &request(now)).await;
        assert_eq!(lanes.len(), 1, "the lane is ready at {now} ms");
        assert_eq!((lanes[0].subscription, lanes[0].deliveries.len()), (lane.id, count), "at {now} ms");
        rests_until = Some(rate(100.0).rests_until(rests_until, at(now), u32::try_from(count).unwrap_or(u32::MAX)));
        assert_eq!(lanes[0].rests_until, rests_until, "the claim must say when the next one takes more");
        publish_many(&*store, &other.owner, 20, now).await;
        let until = rests_until.map_or(0, |until| until.unix_millis() - at(0).unix_millis());
        for millis in [now, now + 1, until - 1] {
            let lanes = claim_lanes(&*store, &request(millis)).await;
            assert!(lanes.iter().all(|one| one.subscription == other.id), "the lane rests at {millis} ms");
            assert!(lanes.iter().all(|one| one.rests_until.is_none()), "a lane without a rate does not rest");
            let count: usize = lanes.iter().map(|one| one.deliveries.len()).sum();
            assert_eq!(count, if millis < until - 1 { 8 } else { 4 });
        }
        now = until;
    }
    assert!(claim(&*store, now).await.is_empty(), "all is claimed");
}

/// In no second more deliveries are claimed than the rate and one claim, and over a longer time hardly fewer than the
/// rate.
pub async fn claims_keep_the_rate(store: Arc<dyn WebhookStore>) {
    let (owner, _) = at_rate(&*store, "alice", 30.0).await;
    publish_many(&*store, &owner, 60, 0).await;
    let (mut last_second, mut count) = (VecDeque::new(), 0);
    for now in (0..1_400).step_by(7) {
        for held in claim(&*store, now).await {
            complete(&*store, &[held.delivered(now)]).await;
            last_second.push_back(now);
            count += 1;
        }
        while last_second.front().is_some_and(|claimed| *claimed <= now - 1_000) {
            last_second.pop_front();
        }
        assert!(last_second.len() <= 32, "{} claims in the second before {now} ms", last_second.len());
    }
    assert!(count >= 40, "{count} claims in 1.4 s");
}

/// Each claim counts: of a retry, of a delivery that is given back, retried by hand or recovered, and of one whose claim
/// has ended. Nothing that makes a delivery due ends the rest, and no delivery is forgotten.
pub async fn every_claim_counts_for_the_rate(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = at_rate(&*store, "alice", 0.1).await;
    publish_many(&*store, &owner, 1, 0).await;
    // A claim takes a delivery, what follows makes it due again, and the lane rests for ten seconds.
    let mut start = 0;
    for round in 0..6 {
        let held = claim_one(&*store, start).await;
        let (soon, id) = (start + 5, held.delivery.id);
        let next = match round {
            0 => held.failed(soon, soon),
            1 => held.given_back(soon, soon),
            2 => held.cut_off(soon, soon),
            _ => held.delivered(soon),
        };
        if round < 5 {
            complete(&*store, &[next]).await;
        }
        if round == 3 || round == 4 {
            retry(&*store, &owner, id, soon).await;
        }
        if round == 4 {
            recover(&*store, &lane, soon, 0, 9).await;
        }
        // A claim that never ends: its time passes.
        let ends = if round == 5 { start + LEASE_MILLIS } else { start + 10_000 };
        for millis in [soon, ends - 20] {
            assert!(claim(&*store, millis).await.is_empty(), "round {round}: the lane rests at {millis} ms");
        }
        start = ends;
    }
    publish_many(&*store, &owner, 1, start).await;
    claim_one(&*store, start).await;
    assert!(claim(&*store, start + 9_000).await.is_empty(), "a publication does not end the rest");
    claim_one(&*store, start + 10_000).await;
}

/// A change of the rate holds for the next claim, which comes no later than one delivery at the new rate needs. Without
/// a rate the lane is ready at once.
pub async fn a_changed_rate_holds_for_the_next_claim(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = at_rate(&*store, "alice", 0.1).await;
    publish_many(&*store, &owner, 40, 0).await;
    claim_one(&*store, 0).await;
    change(&*store, &lane, Patch::Set(rate(40.0)), 100).await;
    assert!(claim(&*store, 124).await.is_empty(), "one delivery at the new rate takes 25 ms");
    assert_eq!(claim(&*store, 125).await.len(), 2, "the new rate allows two at once");
    change(&*store, &lane, Patch::Set(rate(1.0)), 130).await;
    assert!(claim(&*store, 164).await.is_empty(), "a lower rate leaves the rest as it was");
    claim_one(&*store, 175).await;
    change(&*store, &lane, Patch::Keep, 180).await;
    assert!(claim(&*store, 181).await.is_empty(), "a change of nothing ends no rest");
    change(&*store, &lane, Patch::Reset, 200).await;
    assert_eq!(claim(&*store, 200).await.len(), 8, "without a rate the lane is ready at once, for its whole room");
    change(&*store, &lane, Patch::Set(rate(1.0)), 201).await;
    claim_one(&*store, 202).await;
    assert!(claim(&*store, 300).await.is_empty(), "the new rate holds");
}

/// Parallel claims take together what one may take.
pub async fn parallel_claims_keep_the_rate(store: Arc<dyn WebhookStore>) {
    for round in 0..5 {
        let (owner, _) = at_rate(&*store, &format!("round {round}"), 60.0).await;
        publish_many(&*store, &owner, 12, 0).await;
        let mut counts = Vec::new();
        for step in 0..6 {
            let calls = (0..8).map(|_| claiming(&store, step * 50));
            let together = all_at_once(calls.collect()).await.iter().flatten().count();
            // Claims pass over a lane that another one has locked, and that one may end with a conflict.
            counts.push(together + claim(&*store, step * 50).await.len());
        }
        assert_eq!(counts, [3, 3, 3, 3, 0, 0], "three in 50 ms are 60 in a second");
    }
}

/// An offer leaves out lanes with a rate: claims take their deliveries.
pub async fn publications_leave_lanes_with_a_rate_to_claims(store: Arc<dyn WebhookStore>) {
    let (owner, _) = at_rate(&*store, "alice", 10.0).await;
    store.offer_claims(Some(&request(0)));
    publish_many(&*store, &owner, 3, 0).await;
    assert_eq!(store.offer_claims(None), 0, "no claim is handed over");
    claim_one(&*store, 0).await;
}
