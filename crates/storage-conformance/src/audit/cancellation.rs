//! Calls that are dropped before they end. These promises would show a change without its event, or an event without
//! its change.

use std::sync::Arc;

use domain::audit::AuditAction;
use domain::ports::{InsertKeyRequest, RevokeKeyRequest};

use super::AuditedStores;
use super::sample::{all_of, cause, expect_seen_soon, second};
use crate::keys::sample::{Sample, all_keys, insert_request, put, revoke_request};
use crate::racing::{moments, not_held_up};
use crate::sample::user;

/// A dropped creation stores the key and its event, or neither. Watchers see the event if it is stored.
pub async fn a_cancelled_creation_and_its_event_are_one(stores: Arc<AuditedStores>) {
    for (round, drop_at) in moments().into_iter().enumerate() {
        let owner = user(&format!("round {round}"));
        let (sample, by) = (Sample::of(&owner), cause(second(1)));
        let request = InsertKeyRequest { cause: by.clone(), ..insert_request(&sample, 60) };
        drop_at.call(stores.keys.insert_within(&request)).await;
        not_held_up(drop_at, async {
            // Another insertion of the same owner comes after the dropped one, whose outcome is fixed then.
            put(&*stores.keys, &Sample::of(&owner)).await;
            let is_stored = all_keys(&*stores.keys, &owner).await.iter().any(|key| key.id == sample.id());
            let events = all_of(&*stores.audit, &owner).await;
            let is_recorded = events.iter().any(|event| event.id == by.id);
            assert_eq!(is_recorded, is_stored, "a key and its event must be one, {drop_at}: {events:#?}");
        })
        .await;
    }
    expect_seen_soon(&stores).await;
}

/// A dropped revocation revokes the key and leaves its event, or neither. Watchers see the event if it is stored.
pub async fn a_cancelled_revocation_and_its_event_are_one(stores: Arc<AuditedStores>) {
    for (round, drop_at) in moments().into_iter().enumerate() {
        let owner = user(&format!("round {round}"));
        let sample = Sample::of(&owner);
        put(&*stores.keys, &sample).await;
        let [dropped, next] = [1, 2].map(|seconds| {
            let at = second(seconds);
            RevokeKeyRequest { cause: cause(at), ..revoke_request(&owner, sample.id(), at) }
        });
        drop_at.call(stores.keys.revoke(&dropped)).await;
        not_held_up(drop_at, async {
            // After this the key is revoked by one of the two calls.
            stores.keys.revoke(&next).await.expect("a revocation succeeds");
            let keys = all_keys(&*stores.keys, &owner).await;
            let events = all_of(&*stores.audit, &owner).await;
            let revoked = events.iter().filter(|event| event.action == AuditAction::KeyRevoked);
            let at: Vec<_> = revoked.map(|event| Some(event.at())).collect();
            assert_eq!(at, [keys[0].revoked_at], "the call that revokes the key must leave the event, {drop_at}");
        })
        .await;
    }
    expect_seen_soon(&stores).await;
}
