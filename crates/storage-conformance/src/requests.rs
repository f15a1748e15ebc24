//! Requests for the tests of one adapter. Each has ids that no other one has.

use std::time::Duration;

use domain::memory::unique_cause;
use domain::ports::{
    ClaimId, ClaimRequest, ClaimedLane, Completion, InsertKeyRequest, InsertSubscriptionRequest, RotateKeyRequest,
};
use domain::webhooks::{ClaimEnd, NewEvent};
use domain::{KeyId, ListView, OwnerId, Timestamp};

use crate::keys::sample as keys;
use crate::webhooks::{sample as webhooks, work};

pub use crate::keys::sample::{revoke_all_request, revoke_request};
pub use crate::sample::{at, user};

/// An insertion of a good key of the owner, who may have `max` of them at the start of the samples.
pub fn new_key_request(owner: &OwnerId, max: u32) -> InsertKeyRequest {
    InsertKeyRequest { view: ListView::at(at(0)), ..keys::insert_request(&keys::Sample::of(owner), max) }
}

/// A rotation of the key at the start of the samples, with an overlap of a minute. At most `overlapping_max` keys may overlap.
pub fn rotate_request(owner: &OwnerId, id: KeyId, overlapping_max: u32) -> RotateKeyRequest {
    let replacement = keys::Replacement::at(at(0), 60_000).overlapping(overlapping_max);
    RotateKeyRequest { id, ..keys::rotate_request(&keys::Sample::of(owner), &replacement) }
}

/// An insertion of a subscription of the owner to every event.
pub fn new_subscription_request(owner: &OwnerId) -> InsertSubscriptionRequest {
    let (subscription, secret) = (webhooks::subscription(owner), webhooks::secret());
    InsertSubscriptionRequest { subscription, secret, max: webhooks::NO_MAX, cause: unique_cause() }
}

/// An event of the owner, published at this time.
pub fn new_event(owner: &OwnerId, created_at: Timestamp) -> NewEvent {
    webhooks::event_at(owner, created_at)
}

/// The same with a publisher's id, and with content that `content` identifies.
pub fn named_event(new: NewEvent, id: &str, content: &str) -> NewEvent {
    webhooks::named(new, id, content)
}

/// A claim for a minute.
pub fn claim_request(now: Timestamp) -> ClaimRequest {
    ClaimRequest { at: now, until: now.plus(Duration::from_mins(1)), ..work::request(0) }
}

/// The results of this claim if every receiver has taken its delivery by then.
pub fn delivered(claim: ClaimId, lanes: &[ClaimedLane], ended_at: Timestamp) -> Vec<Completion> {
    let completion = |one: work::Held| one.ended(ClaimEnd::Delivered(one.attempt(ended_at, None)));
    work::Held::of(lanes, claim).into_iter().map(completion).collect()
}
