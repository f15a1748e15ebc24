//! Changing subscriptions, and deleting them.

use std::sync::Arc;

use domain::ports::{SecretRotation, SubscriptionInsertion, SubscriptionUpdate};
use domain::webhooks::{Breaker, DisableReason, Subscription, SubscriptionChange, SubscriptionStatus};
use domain::{KeyId, Patch};

use super::WebhookStore;
use super::calls::calling;
use super::commands::recover;
use super::filters::filter;
use super::sample::{
    add, delete, deletion_of, description, event_of, find, health, insert, only_secret, patterns, publish, publish_at,
    put, replace, reread, rotate, secret, secrets_of, subscribed, subscriber, subscription, subscription_to,
    subscriptions, switched, try_update, update, url,
};
use super::work::{claim, claim_lanes, complete_all, request};
use crate::racing::all_at_once;
use crate::sample::{at, user};

const FILTER: &str = r#"{"path":"/data","op":"exists"}"#;

/// A change does not touch the fields that it does not name, and returns the changed subscription. A change without an
/// effect also leaves `updated_at`.
pub async fn a_change_is_what_the_rules_say(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let none = SubscriptionChange::default;
    let changes = [
        none(),
        SubscriptionChange { url: Some(url("https://other.example/in")), ..none() },
        SubscriptionChange { events: Some(patterns(&["a.*", "b"])), ..none() },
        SubscriptionChange { filter: Patch::Set(filter(FILTER)), ..none() },
        SubscriptionChange { filter: Patch::Reset, ..none() },
        SubscriptionChange { description: Some(description("")), ..none() },
        switched(true),
        switched(false),
        SubscriptionChange { description: Some(description("Billing")), ..none() },
        SubscriptionChange { url: Some(url("https://third.example/")), description: Some(description("x")), ..none() },
        SubscriptionChange {
            url: Some(url("https://other.example/in")),
            by: Some(KeyId::from_bytes([8; 16])),
            ..none()
        },
        SubscriptionChange { description: Some(description("y")), by: Some(KeyId::from_bytes([8; 16])), ..none() },
    ];
    let statuses = [
        SubscriptionStatus::Enabled,
        SubscriptionStatus::DisabledByOwner,
        SubscriptionStatus::DisabledByService(DisableReason::Gone),
    ];
    for (change, status) in changes.iter().flat_map(|change| statuses.map(|status| (change, status))) {
        let before = Subscription { status, url_set_by: Some(KeyId::from_bytes([7; 16])), ..subscription(&owner) };
        put(&*store, &before).await;
        let expected = change.applied_to(&before, at(5)).expect("it changes no options").subscription;
        assert_eq!(update(&*store, &before, change, at(5)).await, expected, "{change:?} of {status:?}");
        assert_eq!(reread(&*store, &before).await, expected, "what an update answers must be what is stored");
    }
}

/// Parallel changes of different fields all count.
pub async fn parallel_changes_all_count(store: Arc<dyn WebhookStore>) {
    for round in 0..6 {
        let before = subscribed(&*store, &user(&format!("round {round}"))).await;
        let none = SubscriptionChange::default;
        let changes = [
            SubscriptionChange { url: Some(url("https://other.example/in")), ..none() },
            SubscriptionChange { events: Some(patterns(&["a.*", "b"])), ..none() },
            SubscriptionChange { filter: Patch::Set(filter(FILTER)), ..none() },
            SubscriptionChange { description: Some(description("changed")), ..none() },
            switched(false),
        ];
        let applied = |one, change: &SubscriptionChange| {
            change.applied_to(&one, at(5)).expect("it changes no options").subscription
        };
        let expected = changes.iter().fold(before.clone(), applied);
        let calls = changes.into_iter().map(|change| {
            let before = before.clone();
            calling(&store, |store| async move { update(&*store, &before, &change, at(5)).await })
        });
        all_at_once(calls.collect()).await;
        assert_eq!(reread(&*store, &before).await, expected, "of parallel changes none may be lost");
    }
}

/// An event is matched with the patterns of the moment when it is published.
pub async fn changed_patterns_decide_from_then_on(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let changed = add(&*store, subscription_to(&owner, &["old.*", "both"])).await;
    let change = SubscriptionChange { events: Some(patterns(&["new.*", "both"])), ..SubscriptionChange::default() };
    update(&*store, &changed, &change, at(1)).await;
    let events = ["old.a", "new.a", "both"].map(|name| event_of(&owner, name));
    let counts: Vec<u32> = publish(&*store, &events).await.iter().map(|one| one.deliveries).collect();
    assert_eq!(counts, [0, 1, 1], "the new patterns must decide, and the old ones no more");
}

/// A delivery goes to the URL that its subscription has when it is claimed.
pub async fn a_changed_url_is_where_claims_go_from_then_on(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let changed = subscribed(&*store, &owner).await;
    publish_at(&*store, &owner, at(0)).await;
    let new_url = url("https://new.example/in");
    let change = SubscriptionChange { url: Some(new_url.clone()), ..SubscriptionChange::default() };
    update(&*store, &changed, &change, at(1)).await;
    let lanes = claim_lanes(&*store, &request(10)).await;
    assert_eq!(lanes[0].url, new_url, "what waited must go to the new URL");
}

/// Enabling a disabled subscription resets its breaker. Enabling an enabled one does not.
pub async fn enabling_starts_with_a_breaker_as_new(store: Arc<dyn WebhookStore>) {
    let (owner, subscription) = subscriber(&*store, "alice").await;
    publish_at(&*store, &owner, at(0)).await;
    complete_all(&*store, &claim(&*store, 1).await, |one| one.failed(10, 5_000)).await;
    let failing = health(&*store, &subscription).await.breaker;
    assert_eq!(failing.failures_in_a_row, 1, "a failed attempt must count");
    update(&*store, &subscription, &switched(true), at(20)).await;
    assert_eq!(health(&*store, &subscription).await.breaker, failing, "it was enabled: the breaker must stay");
    update(&*store, &subscription, &switched(false), at(30)).await;
    update(&*store, &subscription, &switched(true), at(40)).await;
    let breaker = health(&*store, &subscription).await.breaker;
    assert_eq!(breaker, Breaker::default(), "enabling must start with a breaker as new");
}

/// No method finds a deleted subscription. Its secrets are deleted, and its place is free.
pub async fn a_deleted_subscription_is_found_by_no_method(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let deleted = subscription(&owner);
    let secrets = only_secret(&put(&*store, &deleted).await);
    delete(&*store, &deleted, at(1)).await;
    assert_eq!(secrets_of(&*store, deleted.id).await, None, "the secrets must be gone at once");
    assert!(!replace(&*store, deleted.id, &secrets, &secrets).await, "it has none");
    assert_eq!(find(&*store, &owner, deleted.id).await, None, "a deleted subscription must not be found");
    assert_eq!(subscriptions(&*store, &owner).await, [], "a deleted subscription must not be listed");
    expect_none(&*store, &deleted, &deleted).await;
    let answer = insert(&*store, &subscription(&owner), &secret(), 1).await;
    assert_eq!(answer, SubscriptionInsertion::Stored, "the place of a deleted subscription must be free");
}

/// Another user's subscription cannot be found or changed, like one that does not exist.
pub async fn other_owners_subscriptions_are_not_seen_nor_touched(store: Arc<dyn WebhookStore>) {
    let (alice, bob) = (user("alice"), user("bob"));
    let theirs = subscription(&bob);
    let secrets = only_secret(&put(&*store, &theirs).await);
    subscribed(&*store, &alice).await;
    let stranger = Subscription { owner: alice.clone(), ..theirs.clone() };
    assert_eq!(find(&*store, &alice, theirs.id).await, None, "another user's subscription must not be found");
    expect_none(&*store, &stranger, &theirs).await;
    assert_eq!(reread(&*store, &theirs).await, theirs, "another user's subscription must stay as it is");
    assert_eq!(secrets_of(&*store, theirs.id).await, Some(secrets), "another user's secrets must stay");
    let unknown = subscription(&alice);
    expect_none(&*store, &unknown, &unknown).await;
}

/// Every method that changes a subscription finds none under this owner and id.
async fn expect_none(store: &dyn WebhookStore, asked: &Subscription, what: &Subscription) {
    let updated = try_update(store, asked, &switched(false), at(9)).await;
    let rotated = rotate(store, asked, None, &secret(), [at(9), at(99)]).await;
    let recovered = recover(store, asked, 9, 0, 9).await;
    let deleted = store.delete(&deletion_of(asked, at(9))).await.expect("a deletion must succeed");
    let found = [
        ("update", updated != SubscriptionUpdate::NotFound),
        ("rotate_secret", rotated != SecretRotation::NotFound),
        ("recover", recovered.is_some()),
        ("delete", deleted),
    ];
    for (method, found) in found {
        assert!(!found, "{method} must not find it for {:?}: {what:?}", asked.owner);
    }
}
