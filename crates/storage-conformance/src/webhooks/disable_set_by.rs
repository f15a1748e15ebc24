//! Disabling the subscriptions whose URL one of some keys has set.

use std::sync::Arc;

use domain::memory::unique_cause;
use domain::ports::DisableSetByRequest;
use domain::webhooks::{DeliveryState, DisableReason, Subscription, SubscriptionChange, SubscriptionStatus};
use domain::{KeyId, OwnerId};

use super::WebhookStore;
use super::sample::{add, delete, deliveries, event, publish, put, reread, subscription, switched, update, url};
use super::work::{claim, end_closed};
use crate::sample::{at, user};

const REASON: DisableReason = DisableReason::KeyLeaked;

/// Enabled subscriptions of any owners whose URL was set by one of the keys are disabled, and get no more deliveries.
/// All others do not change.
pub async fn urls_set_by_these_keys_are_disabled(store: Arc<dyn WebhookStore>) {
    let (alice, bob) = (user("alice"), user("bob"));
    let (first, second) = (set_by(&alice, Some(1)), set_by(&bob, Some(2)));
    let stay = [set_by(&alice, None), set_by(&alice, Some(3))];
    for one in [&first, &second].into_iter().chain(&stay) {
        put(&*store, one).await;
    }
    let deleted = add(&*store, set_by(&bob, Some(1))).await;
    delete(&*store, &deleted, at(1)).await;
    publish(&*store, &[event(&bob)]).await;

    assert_eq!(disable(&*store, &[1, 2, 9], 10).await, 2, "two subscriptions were set by these keys");
    for one in [first, second] {
        let status = SubscriptionStatus::DisabledByService(REASON);
        let expected = Subscription { status, updated_at: at(5), ..one };
        assert_eq!(reread(&*store, &expected).await, expected, "the URL of this subscription was set by such a key");
    }
    for one in stay {
        assert_eq!(reread(&*store, &one).await, one, "this subscription must stay as it is");
    }
    assert!(claim(&*store, 10).await.is_empty(), "of a disabled subscription nothing may be claimed");
    assert_eq!(publish(&*store, &[event(&bob)]).await[0].deliveries, 0, "it must get nothing more");
    end_closed(&*store, 20).await;
    let states: Vec<_> = deliveries(&*store, &bob).await.into_iter().map(|one| one.state).collect();
    let expected = "what waited must end, and what it missed has ended";
    assert!(matches!(states[..], [DeliveryState::Ended { .. }, DeliveryState::Ended { .. }]), "{expected}: {states:?}");
}

/// Subscriptions that are disabled already get the reason too, so that it shows before they are enabled again. With the
/// reason, and deleted, they do not change.
pub async fn disabled_subscriptions_get_the_reason_of_these_keys(store: Arc<dyn WebhookStore>) {
    let (alice, bob) = (user("alice"), user("bob"));
    let gone = SubscriptionStatus::DisabledByService(DisableReason::Gone);
    let disabled = [
        Subscription { status: SubscriptionStatus::DisabledByOwner, ..set_by(&alice, Some(1)) },
        Subscription { status: gone, ..set_by(&bob, Some(1)) },
    ];
    let other = Subscription { status: gone, ..set_by(&alice, Some(2)) };
    let deleted = Subscription { status: gone, ..set_by(&alice, Some(1)) };
    for one in disabled.iter().chain([&other, &deleted]) {
        put(&*store, one).await;
    }
    delete(&*store, &deleted, at(1)).await;
    for expected in [1, 1, 0] {
        assert_eq!(disable(&*store, &[1], 1).await, expected, "two subscriptions lack the reason, one at a time");
    }
    for one in disabled {
        let status = SubscriptionStatus::DisabledByService(REASON);
        let expected = Subscription { status, updated_at: at(5), ..one };
        assert_eq!(reread(&*store, &expected).await, expected, "the URL was set by such a key");
    }
    assert_eq!(reread(&*store, &other).await, other, "the URL of this subscription was set by another key");
}

/// The key that changes the URL is the key that has set it. Other changes do not count.
pub async fn a_changed_url_is_of_the_key_that_changed_it(store: Arc<dyn WebhookStore>) {
    let none = SubscriptionChange::default;
    let elsewhere = || Some(url("https://elsewhere.example/in"));
    let key = |n| Some(KeyId::from_bytes([n; 16]));
    // The key that set the URL, the change, and how many subscriptions a leak of key 1 disables.
    let table = [
        (None, SubscriptionChange { url: elsewhere(), by: key(1), ..none() }, 1),
        (Some(1), SubscriptionChange { url: elsewhere(), by: key(2), ..none() }, 0),
        (Some(1), SubscriptionChange { url: elsewhere(), by: None, ..none() }, 0),
        (None, SubscriptionChange { by: key(1), ..switched(true) }, 0),
        (Some(1), SubscriptionChange { by: key(2), ..switched(true) }, 1),
    ];
    for (by, change, expected) in table {
        let before = add(&*store, set_by(&user("alice"), by)).await;
        update(&*store, &before, &change, at(2)).await;
        assert_eq!(disable(&*store, &[1], 10).await, expected, "{by:?} {change:?}");
    }
}

/// A call disables at most `max` subscriptions, and calls until fewer are disabled leave none.
pub async fn at_most_max_subscriptions_are_disabled(store: Arc<dyn WebhookStore>) {
    for _ in 0..5 {
        put(&*store, &set_by(&user("alice"), Some(1))).await;
    }
    for expected in [2, 2, 1, 0] {
        assert_eq!(disable(&*store, &[1], 2).await, expected, "at most two at once, until none is left");
    }
    assert_eq!(disable(&*store, &[], 2).await, 0, "without keys there is nothing to disable");
}

fn set_by(owner: &OwnerId, key: Option<u8>) -> Subscription {
    Subscription { url_set_by: key.map(|n| KeyId::from_bytes([n; 16])), ..subscription(owner) }
}

async fn disable(store: &dyn WebhookStore, keys: &[u8], max: u32) -> u32 {
    let keys: Vec<KeyId> = keys.iter().map(|n| KeyId::from_bytes([*n; 16])).collect();
    let request = DisableSetByRequest { keys, reason: REASON, at: at(5), max, cause: unique_cause() };
    store.disable_set_by(&request).await.expect("must succeed")
}
