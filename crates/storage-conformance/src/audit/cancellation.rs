//! Calls that are dropped before they end. These promises would show a change without its event, or an event without
//! its change.

use domain::ports::{InsertKeyRequest, RevokeKeyRequest};
use std::sync::Arc;

use domain::audit::AuditAction;

use super::AuditedStores;
use super::sample::{all_of, cause, expect_seen_soon, second};
use crate::keys::sample::{Sample, all_keys, limit, put, view};
use crate::racing::{moments, not_held_up};
use crate::sample::{at, user};

/// A dropped creation stores the key and its event, or neither. Watchers see the event if it is stored.
pub async fn a_cancelled_creation_and_its_event_are_one(stores: Arc<AuditedStores>) {
    for (round, drop_at) in moments().into_iter().enumerate() {
        let owner = user(&format!("round {round}"));
        let (sample, by) = (Sample::of(&owner), cause(second(1)));
        let (limit, view) = (limit(60, at(0)), view(at(0), 0));
        drop_at
            .call(stores.keys.insert_within(&InsertKeyRequest {
                key: sample.key.clone(),
                digest: sample.digest,
                limit,
                view,
                cause: by.clone(),
            }))
            .await;
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
        let (sample, view) = (Sample::of(&owner), view(at(0), 0));
        put(&*stores.keys, &sample).await;
        let by = [cause(second(1)), cause(second(2))];
        drop_at
            .call(stores.keys.revoke(&RevokeKeyRequest {
                owner: owner.clone(),
                id: sample.id(),
                at: second(1),
                view,
                cause: by[0].clone(),
            }))
            .await;
        not_held_up(drop_at, async {
            // After this the key is revoked by one of the two calls.
            stores
                .keys
                .revoke(&RevokeKeyRequest {
                    owner: owner.clone(),
                    id: sample.id(),
                    at: second(2),
                    view,
                    cause: by[1].clone(),
                })
                .await
                .expect("a revocation succeeds");
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
