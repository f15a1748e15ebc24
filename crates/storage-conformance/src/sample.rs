//! Instants and users for the samples of all wings, and requests for the tests of one adapter. Each request has ids that
//! no other one has.

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

/// `2026-11-21T01:42:03.120Z`. The milliseconds are not zero, so that a store that drops them fails.
const START_UNIX_MILLIS: i64 = 1_795_225_323_120;

/// The instant this many milliseconds after the start of the samples.
pub fn at(millis: i64) -> Timestamp {
    Timestamp::from_unix_millis(START_UNIX_MILLIS + millis).expect("samples lie within the range of timestamps")
}

/// A user of the usual issuer.
pub fn user(subject: &str) -> OwnerId {
    user_of("https://id.example", subject)
}

/// A user of any issuer.
pub(crate) fn user_of(issuer: &str, subject: &str) -> OwnerId {
    OwnerId::new(issuer, subject).expect("the sample's issuer and subject are valid")
}

/// Owners that differ in case, in spaces, in how characters are composed, in patterns of SQL, or in where the issuer ends.
pub(crate) fn look_alikes() -> [OwnerId; 18] {
    [
        ("https://id.example", "alice"),
        ("https://id.example", "Alice"),
        ("https://id.example", "alic"),
        ("https://id.example", "alice "),
        ("https://id.example", " alice"),
        ("https://id.example", "alice%"),
        ("https://id.example", "_lice"),
        ("https://id.example", "caf\u{e9}"),
        ("https://id.example", "cafe\u{301}"),
        ("https://id.example", "1"),
        ("https://id.example", "01"),
        ("https://id.example/", "alice"),
        ("organization:https://id.example", "alice"),
        ("https://ID.example", "alice"),
        ("https://other.example", "alice"),
        ("https://id.examplea", "lice"),
        ("https://id.exampl", "ealice"),
        ("alice", "https://id.example"),
    ]
    .map(|(issuer, subject)| user_of(issuer, subject))
}

/// Inserts a good key of the owner, who may have `max` of them at the start of the samples.
pub fn new_key_request(owner: &OwnerId, max: u32) -> InsertKeyRequest {
    InsertKeyRequest { view: ListView::at(at(0)), ..keys::insert_request(&keys::Sample::of(owner), max) }
}

/// Rotates the key at the start of the samples, with an overlap of a minute. At most `overlapping_max` keys may overlap.
pub fn rotate_request(owner: &OwnerId, id: KeyId, overlapping_max: u32) -> RotateKeyRequest {
    let replacement = keys::Replacement::at(at(0), 60_000).overlapping(overlapping_max);
    RotateKeyRequest { id, ..keys::rotate_request(&keys::Sample::of(owner), &replacement) }
}

/// Inserts a subscription of the owner to every event.
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

/// Claims for a minute.
pub fn claim_request(now: Timestamp) -> ClaimRequest {
    ClaimRequest { at: now, until: now.plus(Duration::from_mins(1)), ..work::request(0) }
}

/// The results of this claim if every receiver has taken its delivery by then.
pub fn delivered(claim: ClaimId, lanes: &[ClaimedLane], ended_at: Timestamp) -> Vec<Completion> {
    let completion = |one: work::Held| one.ended(ClaimEnd::Delivered(one.attempt(ended_at, None)));
    work::Held::of(lanes, claim).into_iter().map(completion).collect()
}
