//! Lanes whose receiver fails: they pause, probe and recover by the rules of the breaker.

use std::sync::Arc;
use std::time::Duration;

use domain::OwnerId;
use domain::ports::{ClaimRequest, Completion};
use domain::webhooks::{Breaker, DeliveryState, DisableReason, Subscription, SubscriptionStatus};

use super::WebhookStore;
use super::calls::{calling, claiming};
use super::sample::{
    delete, deliveries, event, health, history, publish, publish_at, publish_many, reread, subscribed, subscriber,
    switched, update,
};
use super::work::{
    Held, LEASE_MILLIS, claim, claim_as, claim_lanes, claim_one, complete, complete_all, end_closed, request, settle,
};
use crate::racing::all_at_once;
use crate::sample::{at, user};

/// How long the breaker pauses a lane at first, in milliseconds.
const PAUSE_MILLIS: i64 = 30_000;
const DAY_MILLIS: i64 = 24 * 60 * 60 * 1_000;

/// The breaker takes the reports of one call in their order. Claims and the health show the result.
pub async fn reports_are_taken_in_their_order(store: Arc<dyn WebhookStore>) {
    type Ending = fn(&Held, i64) -> Completion;
    let failed: Ending = |held, millis| held.failed(millis, millis + 100);
    let delivered: Ending = |held, millis| held.delivered(millis);
    let held_off: Ending = |held, millis| held.held_off(millis, Duration::from_millis(70_001));
    let back: Ending = |held, millis| held.given_back(millis, millis + 100);
    let cases: [&[Ending]; 7] = [
        &[failed],
        &[failed, failed, failed, failed],
        &[failed, failed, failed, failed, failed],
        &[failed, delivered, failed, back],
        &[delivered, failed, failed],
        &[failed, failed, delivered, back],
        &[failed, held_off, failed, failed, failed, failed, failed],
    ];
    for (n, endings) in (0..).zip(cases) {
        let (lane, held) = lane_with(&store, &user(&format!("case {n}")), endings.len()).await;
        let completions: Vec<_> = (10..).zip(&held).zip(endings).map(|((ms, held), end)| end(held, ms)).collect();
        complete(&*store, &completions).await;
        let expected = folded(Breaker::default(), &completions);
        assert_eq!(health(&*store, &lane).await.breaker, expected, "case {n}: reports in the order given");
        publish_at(&*store, &lane.owner, at(0)).await;
        let lanes = claim_lanes(&*store, &request(10_000_000 + n * 100_000)).await;
        let claimed = lanes.iter().find(|one| one.subscription == lane.id);
        assert_eq!(claimed.map(|one| one.breaker), Some(expected), "case {n}: a claim must bring the breaker");
    }
}

/// No delivery of a paused lane is claimed before the exact end of the pause, even if more are published or due. Then
/// one delivery is claimed alone.
pub async fn a_paused_lane_waits_until_its_instant(store: Arc<dyn WebhookStore>) {
    let (lane, held) = lane_with(&store, &user("alice"), 6).await;
    trip(&store, &held[..5]).await;
    settle(&*store, held[5].given_back(20, 20)).await;
    for millis in [20, PAUSE_MILLIS, PAUSE_MILLIS + 9] {
        publish_at(&*store, &lane.owner, at(millis - 20)).await;
        assert!(claim(&*store, millis).await.is_empty(), "a paused lane must wait, claimed after {millis} ms");
    }
    claim_one(&*store, PAUSE_MILLIS + 10).await;
}

/// A probe is one delivery, for any room and any number of parallel claims. No other delivery is claimed until the claim of
/// the probe ends or expires.
pub async fn a_probe_goes_alone(store: Arc<dyn WebhookStore>) {
    for round in 0..4 {
        let (_, held) = lane_with(&store, &user(&format!("round {round}")), 8).await;
        trip(&store, &held).await;
        let start = PAUSE_MILLIS + 10 + round * 10 * LEASE_MILLIS;
        let calls = (0..8).map(|_| claiming(&store, start));
        let mut probes = all_at_once(calls.collect()).await.iter().flatten().count();
        if probes == 0 {
            probes = claim(&*store, start).await.len();
        }
        assert_eq!(probes, 1, "of parallel claims one may probe, with one delivery");
        assert!(claim(&*store, start + LEASE_MILLIS - 1).await.is_empty(), "while the probe is out, none may follow");
        let probe = claim_one(&*store, start + LEASE_MILLIS).await;
        settle(&*store, probe.delivered(start + LEASE_MILLIS + 5)).await;
        let freed = claim(&*store, start + LEASE_MILLIS + 6).await;
        assert_eq!(freed.len(), 7, "a probe that was delivered must free the lane");
        complete_all(&*store, &freed, |one| one.delivered(start + LEASE_MILLIS + 7)).await;
    }
}

/// No probe is claimed while an older claim on the lane holds.
pub async fn no_probe_goes_beside_an_older_claim(store: Arc<dyn WebhookStore>) {
    let (_, held) = lane_with(&store, &user("alice"), 6).await;
    trip(&store, &held[..5]).await;
    assert!(claim(&*store, PAUSE_MILLIS + 10).await.is_empty(), "one claim from before the pause is still out");
    settle(&*store, held[5].failed(PAUSE_MILLIS + 20, PAUSE_MILLIS + 20)).await;
    claim_one(&*store, PAUSE_MILLIS + 20).await;
}

/// Each failed probe doubles the pause, and the lane is ready exactly at its end.
pub async fn each_failed_probe_pauses_longer(store: Arc<dyn WebhookStore>) {
    let (lane, held) = lane_with(&store, &user("alice"), 5).await;
    trip(&store, &held).await;
    let mut now = 10 + PAUSE_MILLIS;
    for pause in [2, 4, 8, 16] {
        assert!(claim(&*store, now - 1).await.is_empty(), "the lane must pause until the instant");
        let probe = claim_one(&*store, now).await;
        // The attempt takes a second and starts after the pause.
        settle(&*store, probe.failed(now + 1_000, now + 1_001)).await;
        now += 1_000 + pause * PAUSE_MILLIS;
        let until = health(&*store, &lane).await.breaker.pause.map(|pause| pause.until);
        assert_eq!(until, Some(at(now)), "each failed probe must double the pause");
    }
    let probe = claim_one(&*store, now).await;
    settle(&*store, probe.delivered(now)).await;
    assert_eq!(claim(&*store, now).await.len(), 4, "a probe that was delivered must free the lane");
}

/// A success during a pause ends the pause at once.
pub async fn a_success_ends_the_pause_at_once(store: Arc<dyn WebhookStore>) {
    let (lane, held) = lane_with(&store, &user("alice"), 6).await;
    trip(&store, &held[..5]).await;
    publish_at(&*store, &lane.owner, at(0)).await;
    assert!(claim(&*store, 50).await.is_empty(), "the lane pauses");
    settle(&*store, held[5].delivered(60)).await;
    assert_eq!(claim(&*store, 60).await.len(), 6, "the receiver is back: all that is due may go at once");
}

/// When a receiver asks to wait, the whole lane waits.
pub async fn retry_after_pauses_the_whole_lane(store: Arc<dyn WebhookStore>) {
    let (lane, held) = lane_with(&store, &user("alice"), 2).await;
    settle(&*store, held[0].held_off(10, Duration::from_millis(1_234))).await;
    settle(&*store, held[1].given_back(10, 10)).await;
    publish_at(&*store, &lane.owner, at(0)).await;
    assert!(claim(&*store, 1_243).await.is_empty(), "the lane must wait as long as its receiver asks");
    assert_eq!(claim(&*store, 1_244).await.len(), 3, "then it goes on without a probe");
}

/// A delivery that is given back is not a failure of the receiver.
pub async fn faults_of_ours_are_not_counted(store: Arc<dyn WebhookStore>) {
    let (lane, held) = lane_with(&store, &user("alice"), 8).await;
    complete_all(&*store, &held, |one| one.given_back(10, 10)).await;
    assert_eq!(health(&*store, &lane).await.breaker, Breaker::default(), "what was given back must not be reported");
    assert_eq!(claim(&*store, 10).await.len(), 8, "what was given back is due again");
}

/// Every report of parallel completions of one lane counts, however the reports are divided among the calls.
pub async fn parallel_reports_are_all_taken(store: Arc<dyn WebhookStore>) {
    for round in 0..5 {
        let (owner, lane) = subscriber(&*store, &format!("round {round}")).await;
        publish_many(&*store, &owner, 24, 0).await;
        let room = ClaimRequest { room: 24, ..request(1) };
        let held = claim_as(&*store, &room).await;
        let calls = held.chunks(2).map(|chunk| {
            let failures: Vec<_> = chunk.iter().map(|one| one.failed(10, 500)).collect();
            calling(&store, |store| async move { complete(&*store, &failures).await })
        });
        all_at_once(calls.collect()).await;
        let failures = health(&*store, &lane).await.breaker.failures_in_a_row;
        assert_eq!(failures, 24, "of 24 reports in 12 parallel calls none may be lost");
        delete(&*store, &lane, at(1_000)).await;
    }
}

/// A repeated completion is not reported again, and the attempt of a lost claim is reported once.
pub async fn an_attempt_is_reported_once(store: Arc<dyn WebhookStore>) {
    let (lane, held) = lane_with(&store, &user("alice"), 1).await;
    for expected in [true, false, false] {
        assert_eq!(complete(&*store, &[held[0].failed(10, 20)]).await, [expected], "a claim ends once");
        let failures = health(&*store, &lane).await.breaker.failures_in_a_row;
        assert_eq!(failures, 1, "a completion that comes again must not be reported again");
    }
    let lost = claim_one(&*store, 20).await;
    let holder = claim_one(&*store, 20 + LEASE_MILLIS).await;
    for _ in 0..2 {
        complete(&*store, &[lost.failed(LEASE_MILLIS, LEASE_MILLIS)]).await;
        let failures = health(&*store, &lane).await.breaker.failures_in_a_row;
        assert_eq!(failures, 2, "what a lost claim says of the receiver must be taken, and once");
    }
    settle(&*store, holder.delivered(2 * LEASE_MILLIS)).await;
}

/// 410 disables the subscription when the attempt ends: it gets no more events, and none of its deliveries is claimed.
pub async fn gone_disables_the_subscription(store: Arc<dyn WebhookStore>) {
    let (lane, held) = lane_with(&store, &user("alice"), 3).await;
    settle(&*store, held[0].given_back(5, 5)).await;
    settle(&*store, held[1].gone(77)).await;
    let expected = Subscription {
        status: SubscriptionStatus::DisabledByService(DisableReason::Gone),
        updated_at: at(77),
        ..lane.clone()
    };
    assert_eq!(reread(&*store, &lane).await, expected, "410 must disable the subscription");
    assert!(claim(&*store, 80).await.is_empty(), "of a disabled subscription nothing may be claimed");
    assert_eq!(publish(&*store, &[event(&lane.owner)]).await[0].deliveries, 0, "it must get nothing more");
    settle(&*store, held[2].failed(90, 95)).await;
    end_closed(&*store, 100).await;
    let states: Vec<_> = deliveries(&*store, &lane.owner).await.into_iter().map(|one| one.state).collect();
    let is_over = |state: &DeliveryState| matches!(state, DeliveryState::Ended { .. });
    assert!(states.len() == 4 && states.iter().all(is_over), "its deliveries must end, got {states:?}");
}

/// Five days with only failures disable the subscription; a millisecond less does not.
pub async fn nothing_but_failures_disables_the_subscription(store: Arc<dyn WebhookStore>) {
    let (lane, held) = lane_with(&store, &user("alice"), 7).await;
    trip(&store, &held[..5]).await;
    settle(&*store, held[5].failed(10 + 5 * DAY_MILLIS - 1, 20 * DAY_MILLIS)).await;
    assert_eq!(reread(&*store, &lane).await, lane, "less than five days are too few");
    settle(&*store, held[6].failed(10 + 5 * DAY_MILLIS, 20 * DAY_MILLIS)).await;
    let disabled = reread(&*store, &lane).await;
    let status = SubscriptionStatus::DisabledByService(DisableReason::OnlyFailures);
    assert_eq!((disabled.status, disabled.updated_at), (status, at(10 + 5 * DAY_MILLIS)), "after five days it is");
}

/// A subscription that its owner disabled stays disabled by the owner, whatever its receiver answers later.
pub async fn the_owners_word_stays(store: Arc<dyn WebhookStore>) {
    let (lane, held) = lane_with(&store, &user("alice"), 1).await;
    let disabled = update(&*store, &lane, &switched(false), at(5)).await;
    settle(&*store, held[0].gone(10)).await;
    assert_eq!(reread(&*store, &lane).await, disabled, "it was disabled already");
    let found = history(&*store, &lane.owner, held[0].delivery.id).await;
    assert_eq!(found.attempts.len(), 1, "the attempt must be recorded all the same");
}

/// A new lane with this number of deliveries, all of them claimed at the start.
async fn lane_with(store: &Arc<dyn WebhookStore>, owner: &OwnerId, count: usize) -> (Subscription, Vec<Held>) {
    let lane = subscribed(&**store, owner).await;
    publish_many(&**store, owner, count, 0).await;
    let held = claim(&**store, 1).await;
    assert_eq!(held.len(), count, "all that was published is due");
    (lane, held)
}

/// Lets all deliveries fail, which pauses the lane. They are due again soon.
async fn trip(store: &Arc<dyn WebhookStore>, held: &[Held]) {
    let failures: Vec<_> = held.iter().map(|one| one.failed(10, 11)).collect();
    assert!(complete(&**store, &failures).await.iter().all(|held| *held), "fresh claims must hold");
}

fn folded(mut breaker: Breaker, completions: &[Completion]) -> Breaker {
    for completion in completions {
        if let Some(report) = completion.end.report() {
            assert_eq!(breaker.record(report), None, "the sample must not disable");
        }
    }
    breaker
}
