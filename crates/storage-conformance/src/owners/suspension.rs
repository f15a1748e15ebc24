//! As long as an owner is suspended, nothing of the owner is accepted, and nothing is sent.

use std::sync::Arc;

use domain::ports::{CredentialChanges, CredentialStore, Found};
use domain::sessions::Session;
use domain::webhooks::{DeliveryState, SubscriptionStatus};
use domain::{ApiKey, CredentialDigest, OwnerChange, OwnerRecord, OwnerStateChange, Patch};

use super::OwnedStores;
use super::sample::{change, find, name, set_state, suspend};
use crate::keys::sample as keys;
use crate::sample::{at, user, user_of};
use crate::sessions::sample as sessions;
use crate::webhooks::sample::{deliveries, health, publish_at, reread, subscribed};
use crate::webhooks::work::{Held, claim, claim_one, request, settle};

const DAY_MILLIS: i64 = 24 * 60 * 60 * 1_000;

/// Look-ups of one digest and of several mark the keys and sessions of a suspended owner, also those that are created in
/// the meantime, and no others. When the owner is active again, none is marked, and nothing of them has changed.
pub async fn credentials_of_a_suspended_owner_are_marked(stores: Arc<OwnedStores>) {
    let (owner, other) = (user("alice"), user_of("organization:https://id.example", "alice"));
    let mut of_keys = vec![keys::Sample::of(&owner), keys::Sample::of(&other)];
    let of_sessions = [sessions::Sample::of(&owner), sessions::Sample::of(&other)];
    keys::put_all(&*stores.keys, &of_keys).await;
    for session in &of_sessions {
        sessions::open(&*stores.sessions, session, sessions::NO_MAXIMUM).await;
    }
    set_state(&*stores.owners, &owner, suspend("unpaid"), 1).await;
    of_keys.push(keys::Sample::of(&owner));
    keys::put(&*stores.keys, &of_keys[2]).await;
    for (state, marked) in [(suspend("again"), true), (OwnerStateChange::Activate, false)] {
        set_state(&*stores.owners, &owner, state, 2).await;
        let digests: Vec<CredentialDigest> = of_keys.iter().map(|sample| sample.digest).collect();
        let found: Found<ApiKey> = stores.keys.find_by_digests(&digests).await;
        assert_eq!(found.stored.len(), 3, "the keys stay: {:?}", found.stored);
        let expected = if marked { [digests[0], digests[2]].into() } else { [].into() };
        assert_eq!(found.suspended, expected, "the keys of the suspended owner, and no others");
        let alone: Found<ApiKey> = stores.keys.find_by_digests(&digests[..1]).await;
        assert_eq!(!alone.suspended.is_empty(), marked, "the look-up of one key");
        assert_eq!(keys::find(&*stores.keys, &of_keys[0]).await.as_ref(), Some(&of_keys[0].key), "as it was");

        let digests = of_sessions.each_ref().map(|sample| sample.digest);
        let found: Found<Session> = stores.sessions.find_by_digests(&digests).await;
        let expected = if marked { [digests[0]].into() } else { [].into() };
        assert_eq!((found.stored.len(), found.suspended), (2, expected), "the sessions");
        let alone = CredentialStore::<Session>::find_by_digests(&*stores.sessions, &digests[..1]).await;
        assert_eq!(!alone.suspended.is_empty(), marked, "the look-up of one session");
    }
}

/// The host and the identity provider each end their own suspension: as long as one is left, the credentials of the owner are
/// marked. What the store has says who is left, and a change of the record keeps it.
pub async fn each_ends_its_own_suspension_only(stores: Arc<OwnedStores>) {
    let owner = user("alice");
    let sample = keys::Sample::of(&owner);
    keys::put(&*stores.keys, &sample).await;
    let by_provider = |deactivates| OwnerStateChange::ByProvider { deactivates };
    let mut expected = OwnerRecord::default();
    for (millis, state) in [
        (1, by_provider(true)),
        (2, OwnerStateChange::Activate),
        (3, suspend("unpaid")),
        (4, by_provider(false)),
        (5, by_provider(true)),
        (6, OwnerStateChange::Activate),
        (7, by_provider(false)),
    ] {
        expected = state.apply_to(&expected, at(millis));
        let answer = set_state(&*stores.owners, &owner, state.clone(), millis).await;
        assert_eq!(answer, expected, "the answer to {state:?}");
        let renamed = OwnerChange { name: Patch::Set(name(&millis.to_string())), ..OwnerChange::default() };
        expected = change(&*stores.owners, &owner, renamed).await;
        assert_eq!(expected.suspension, answer.suspension, "a change of the record after {state:?}");
        assert_eq!(find(&*stores.owners, &owner).await, expected, "stored after {state:?}");
        let found: Found<ApiKey> = stores.keys.find_by_digests(&[sample.digest]).await;
        assert_eq!(found.suspended.is_empty(), millis == 7, "the key after {state:?}");
    }
}

/// The feed has one change for each change of the state, however many keys the owner has, and none for a repetition.
pub async fn a_change_of_the_state_is_one_change_in_the_feed(stores: Arc<OwnedStores>) {
    let owner = user("alice");
    keys::put_new(&*stores.keys, &owner, 3).await;
    let Some(feed) = &stores.feed else { return };
    let mut position = feed.changes_since(None, 100).await.expect("a read of the feed").position;
    let of_owner = CredentialDigest::of_owner(&owner);
    for (state, expected) in [
        (suspend("unpaid"), vec![of_owner]),
        (suspend("again"), Vec::new()),
        (OwnerStateChange::Activate, vec![of_owner]),
        (OwnerStateChange::Activate, Vec::new()),
    ] {
        set_state(&*stores.owners, &owner, state.clone(), 1).await;
        let read = feed.changes_since(Some(&position), 100).await.expect("a read of the feed");
        assert_eq!(read.changes, CredentialChanges::Of(expected), "after {state:?}");
        position = read.position;
    }
}

/// Events for a suspended owner are accepted and stored, and their deliveries wait: nothing is claimed, whether it was
/// published before or after, and the delay of the queue does not count it. Other owners go on. When the owner is active
/// again, everything that has waited is claimed, by its first attempt.
pub async fn deliveries_of_a_suspended_owner_wait(stores: Arc<OwnedStores>) {
    let (owner, other) = (user("alice"), user("bob"));
    let lane = subscribed(&*stores.webhooks, &owner).await;
    subscribed(&*stores.webhooks, &other).await;
    publish_at(&*stores.webhooks, &owner, at(0)).await;
    set_state(&*stores.owners, &owner, suspend("unpaid"), 1).await;
    publish_at(&*stores.webhooks, &owner, at(2)).await;
    publish_at(&*stores.webhooks, &other, at(2)).await;
    let held = claim_one(&*stores.webhooks, 10).await;
    assert_ne!(held.subscription, lane.id, "nothing of a suspended owner is claimed");
    settle(&*stores.webhooks, held.delivered(20)).await;
    assert!(claim(&*stores.webhooks, 30).await.is_empty(), "nothing else is claimed");
    let figures = stores.webhooks.queue_figures(at(DAY_MILLIS), 1_000).await.expect("figures of the queue");
    assert_eq!(figures.oldest_due, None, "what waits for an owner is not late");
    let waiting = deliveries(&*stores.webhooks, &owner).await;
    let untouched =
        |one: &domain::webhooks::Delivery| one.attempts == 0 && !matches!(one.state, DeliveryState::Ended { .. });
    assert!(waiting.len() == 2 && waiting.iter().all(untouched), "both deliveries wait: {waiting:?}");

    set_state(&*stores.owners, &owner, OwnerStateChange::Activate, DAY_MILLIS).await;
    let held = claim(&*stores.webhooks, DAY_MILLIS + 1_000).await;
    let attempts: Vec<(bool, u32)> =
        held.iter().map(|one| (one.subscription == lane.id, one.delivery.attempt)).collect();
    assert_eq!(attempts, [(true, 1), (true, 1)], "everything that has waited is claimed");
    let whole = held.iter().all(|one| one.delivery.run_started_at == at(DAY_MILLIS));
    assert!(whole, "each has its whole schedule from then on: {held:?}");
    settle(&*stores.webhooks, held[0].failed(DAY_MILLIS + 1_001, DAY_MILLIS + 2_000)).await;
    publish_at(&*stores.webhooks, &owner, at(DAY_MILLIS + 2_000)).await;
    let held = claim(&*stores.webhooks, DAY_MILLIS + 2_000).await;
    let started: Vec<_> = held.iter().map(|one| one.delivery.run_started_at).collect();
    assert_eq!(started, [at(DAY_MILLIS + 2_000), at(DAY_MILLIS)], "and again at its retry, but no new delivery");
}

/// A publication hands no delivery of a suspended owner to the dispatcher of its process.
pub async fn publications_to_a_suspended_owner_claim_nothing(stores: Arc<OwnedStores>) {
    let owner = user("alice");
    let lane = subscribed(&*stores.webhooks, &owner).await;
    set_state(&*stores.owners, &owner, suspend("unpaid"), 1).await;
    stores.webhooks.offer_claims(Some(&request(2)));
    publish_at(&*stores.webhooks, &owner, at(2)).await;
    stores.webhooks.offer_claims(None);
    let states: Vec<DeliveryState> =
        deliveries(&*stores.webhooks, &owner).await.into_iter().map(|one| one.state).collect();
    assert!(matches!(states[..], [DeliveryState::Waiting(_)]), "the delivery waits, got {states:?}");
    set_state(&*stores.owners, &owner, OwnerStateChange::Activate, 3).await;
    assert_eq!(claim_one(&*stores.webhooks, 2_000).await.subscription, lane.id, "and is claimed afterwards");
}

/// A lane that fails before and after a suspension of ten days has not failed for five days, and stays enabled. A failure
/// that ended during the suspension counts from its end.
pub async fn days_of_suspension_are_not_days_of_failure(stores: Arc<OwnedStores>) {
    let owner = user("alice");
    let (first, second) = (subscribed(&*stores.webhooks, &owner).await, subscribed(&*stores.webhooks, &owner).await);
    for millis in 0..5 {
        publish_at(&*stores.webhooks, &owner, at(millis)).await;
    }
    let held = claim(&*stores.webhooks, 10).await;
    let (later, earlier): (Vec<Held>, Vec<Held>) = held.into_iter().partition(|one| one.subscription == second.id);
    for one in &earlier[..4] {
        settle(&*stores.webhooks, one.failed(100, 11 * DAY_MILLIS)).await;
    }
    set_state(&*stores.owners, &owner, suspend("unpaid"), DAY_MILLIS).await;
    settle(&*stores.webhooks, later[0].failed(2 * DAY_MILLIS, 11 * DAY_MILLIS)).await;
    set_state(&*stores.owners, &owner, OwnerStateChange::Activate, 11 * DAY_MILLIS).await;
    let failing_since = async |lane| health(&*stores.webhooks, lane).await.breaker.failing_since;
    assert_eq!(failing_since(&first).await, Some(at(100 + 10 * DAY_MILLIS)), "ten days do not count as failing");
    assert_eq!(failing_since(&second).await, Some(at(11 * DAY_MILLIS)), "and nine days of the other lane do not count");
    settle(&*stores.webhooks, earlier[4].failed(11 * DAY_MILLIS + 10, 12 * DAY_MILLIS)).await;
    let status = reread(&*stores.webhooks, &first).await.status;
    assert_eq!(status, SubscriptionStatus::Enabled, "five days have not passed");
}
