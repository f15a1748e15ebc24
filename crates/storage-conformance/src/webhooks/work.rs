//! The calls of a dispatcher: claims and completions.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use domain::ports::{ClaimId, ClaimRequest, ClaimedDelivery, ClaimedLane, Completion};
use domain::webhooks::{
    AnswerHeaders, AttemptRecord, ClaimEnd, FailureReason, FairShares, OwnerNumber, PauseLengths, Subscription,
};
use domain::{OwnerId, SubscriptionId, Timestamp};

use super::WebhookStore;
use super::sample::{publish_at, switched, update};
use crate::sample::at;

/// How long a sample's claim lasts, in milliseconds.
pub(crate) const LEASE_MILLIS: i64 = 60_000;
/// The most claims, a millisecond apart, that a drain makes.
const CLAIMS_MAX: i64 = 5_000;

/// A request with a new claim id, this many milliseconds after the start: up to 64 lanes, and 8 deliveries of each. No
/// owner has taken anything.
pub(crate) fn request(millis: i64) -> ClaimRequest {
    static NEXT: AtomicI64 = AtomicI64::new(i64::MIN);
    ClaimRequest {
        claim: ClaimId::from_number(NEXT.fetch_add(0x0123_4567_89AB, Ordering::Relaxed)),
        at: at(millis),
        until: at(millis + LEASE_MILLIS),
        lanes_max: 64,
        room: 8,
        rooms: Vec::new(),
        shares: FairShares::new(u32::MAX),
        payload_bytes_max: u64::MAX,
    }
}

/// A delivery under a claim.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub(crate) subscription: SubscriptionId,
    pub(crate) owner: OwnerNumber,
    pub(crate) claim: ClaimId,
    pub(crate) delivery: ClaimedDelivery,
}

pub(crate) async fn claim_lanes(store: &dyn WebhookStore, request: &ClaimRequest) -> Vec<ClaimedLane> {
    let lanes = store.claim(request).await.expect("a claim must succeed");
    assert!(lanes.iter().all(|lane| !lane.deliveries.is_empty()), "a claimed lane must have a delivery at least");
    lanes
}

/// Claims as requested: the deliveries, lane by lane.
pub(crate) async fn claim_as(store: &dyn WebhookStore, request: &ClaimRequest) -> Vec<Held> {
    Held::of(&claim_lanes(store, request).await, request.claim)
}

/// Claims this many milliseconds after the start.
pub(crate) async fn claim(store: &dyn WebhookStore, millis: i64) -> Vec<Held> {
    claim_as(store, &request(millis)).await
}

/// Claims the one delivery that is due then.
pub(crate) async fn claim_one(store: &dyn WebhookStore, millis: i64) -> Held {
    let mut held = claim(store, millis).await;
    assert_eq!(held.len(), 1, "one delivery is due after {millis} ms, got {held:?}");
    held.remove(0)
}

/// The number of deliveries of the lane.
pub(crate) fn of_lane(held: &[Held], lane: SubscriptionId) -> usize {
    held.iter().filter(|one| one.subscription == lane).count()
}

/// Publishes an event at this time for one subscription, and claims its delivery.
pub(crate) async fn publish_and_claim(store: &dyn WebhookStore, owner: &OwnerId, millis: i64) -> Held {
    publish_at(store, owner, at(millis)).await;
    claim_one(store, millis).await
}

impl Held {
    /// The deliveries of these lanes, which are under the claim.
    pub(crate) fn of(lanes: &[ClaimedLane], claim: ClaimId) -> Vec<Self> {
        let held = |lane: &ClaimedLane, delivery: &ClaimedDelivery| Self {
            subscription: lane.subscription,
            owner: lane.owner,
            claim,
            delivery: delivery.clone(),
        };
        lanes.iter().flat_map(|lane| lane.deliveries.iter().map(move |one| held(lane, one))).collect()
    }

    /// The record of an attempt of one second that ended at this instant.
    pub(crate) fn attempt(&self, ended_at: Timestamp, failure: Option<FailureReason>) -> AttemptRecord {
        AttemptRecord {
            number: self.delivery.attempt,
            started_at: ended_at.minus(Duration::from_secs(1)),
            duration: Duration::from_secs(1),
            failure,
            status: Some(if failure.is_some() { 500 } else { 204 }),
            headers: AnswerHeaders::default(),
            excerpt: b"so be it".to_vec(),
        }
    }

    /// A completion with this end of the claim.
    pub(crate) fn ended(&self, end: ClaimEnd) -> Completion {
        Completion { subscription: self.subscription, delivery: self.delivery.id, claim: self.claim, end }
    }

    fn attempt_failed(&self, millis: i64, retry_after: Option<Duration>, retry_at: Option<Timestamp>) -> Completion {
        let attempt = self.attempt(at(millis), Some(FailureReason::Timeout));
        self.ended(ClaimEnd::Failed { attempt, retry_after, retry_at, pauses: PauseLengths::default() })
    }

    /// The receiver took the delivery this many milliseconds after the start.
    pub(crate) fn delivered(&self, millis: i64) -> Completion {
        self.ended(ClaimEnd::Delivered(self.attempt(at(millis), None)))
    }

    /// The attempt failed; the next one is due at `retry`.
    pub(crate) fn failed(&self, millis: i64, retry: i64) -> Completion {
        self.attempt_failed(millis, None, Some(at(retry)))
    }

    /// The last attempt failed.
    pub(crate) fn spent(&self, millis: i64) -> Completion {
        self.attempt_failed(millis, None, None)
    }

    /// The receiver asks to wait; the next attempt is due after the wait.
    pub(crate) fn held_off(&self, millis: i64, wait: Duration) -> Completion {
        self.attempt_failed(millis, Some(wait), Some(at(millis).plus(wait)))
    }

    /// The receiver answers 410.
    pub(crate) fn gone(&self, millis: i64) -> Completion {
        self.ended(ClaimEnd::Gone(self.attempt(at(millis), Some(FailureReason::Status))))
    }

    /// The attempt was cut off; the next one is due at `retry`.
    pub(crate) fn cut_off(&self, millis: i64, retry: i64) -> Completion {
        self.ended(ClaimEnd::CutOff { at: at(millis), retry_at: at(retry) })
    }

    /// There was no attempt; the delivery is due again at `due`.
    pub(crate) fn given_back(&self, millis: i64, due: i64) -> Completion {
        self.ended(ClaimEnd::GivenBack { at: at(millis), due_at: at(due) })
    }

    /// There was no attempt, and the schedule allows none.
    pub(crate) fn expired(&self, millis: i64) -> Completion {
        self.ended(ClaimEnd::Expired { at: at(millis) })
    }
}

/// Completes everything in one call.
pub(crate) async fn complete(store: &dyn WebhookStore, completions: &[Completion]) -> Vec<bool> {
    let held = store.complete(completions).await.expect("completions must be taken");
    assert_eq!(held.len(), completions.len(), "each completion must be answered");
    held
}

/// Completes all of these in one call.
pub(crate) async fn complete_all(
    store: &dyn WebhookStore,
    held: &[Held],
    end: impl Fn(&Held) -> Completion,
) -> Vec<bool> {
    complete(store, &held.iter().map(end).collect::<Vec<_>>()).await
}

/// Completes a claim that must still hold.
pub(crate) async fn settle(store: &dyn WebhookStore, completion: Completion) {
    assert_eq!(complete(store, &[completion]).await, [true], "a claim that nobody else has taken must hold");
}

/// Claims and delivers, a millisecond later each time, until no delivery is due. Returns the deliveries in the order of
/// the claims.
pub(crate) async fn drain(store: &dyn WebhookStore, from_millis: i64) -> Vec<Held> {
    let mut all = Vec::new();
    for millis in from_millis..from_millis + CLAIMS_MAX {
        let held = claim(store, millis).await;
        if held.is_empty() {
            return all;
        }
        let answers = complete_all(store, &held, |one| one.delivered(millis)).await;
        assert!(answers.iter().all(|held| *held), "what one worker claims alone must be held until it completes");
        all.extend(held);
    }
    panic!("the queue must come to its end, got {} deliveries in {CLAIMS_MAX} claims", all.len());
}

/// Disables the subscription as its owner, and ends its waiting deliveries.
pub(crate) async fn switch_off(store: &dyn WebhookStore, lane: &Subscription, millis: i64) {
    update(store, lane, &switched(false), at(millis)).await;
    end_closed(store, millis).await;
}

/// Ends all waiting deliveries of closed lanes.
pub(crate) async fn end_closed(store: &dyn WebhookStore, millis: i64) -> u32 {
    let mut all = 0;
    loop {
        let ended = store.end_closed(at(millis), 100).await.expect("ending deliveries of closed lanes must succeed");
        assert!(ended <= 100, "at most 100 deliveries were to be ended, got {ended}");
        if ended == 0 {
            return all;
        }
        all += ended;
    }
}
