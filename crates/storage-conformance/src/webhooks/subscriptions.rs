//! Storing subscriptions, and finding them again.

use std::sync::Arc;

use domain::ports::{Retained, StoreError, SubscriptionInsertion};
use domain::webhooks::{Breaker, DisableReason, Subscription, SubscriptionHealth, SubscriptionStatus};
use domain::{KeyId, Timestamp};

use super::WebhookStore;
use super::calls::calling;
use super::filters::filter;
use super::sample::{
    NO_MAX, add, delete, description, event, find, insert, insertion_of, list, patterns, publish, put, reread, secret,
    subscribed, subscription, subscriptions, switched, update, url,
};
use crate::racing::all_at_once;
use crate::sample::{at, look_alikes, user};

/// A stored subscription of any status comes back equal in every field, from a list and from a look-up. Its lane is new.
pub async fn every_field_of_a_subscription_comes_back(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let statuses = [
        SubscriptionStatus::Enabled,
        SubscriptionStatus::DisabledByOwner,
        SubscriptionStatus::DisabledByService(DisableReason::Gone),
        SubscriptionStatus::DisabledByService(DisableReason::OnlyFailures),
        SubscriptionStatus::DisabledByService(DisableReason::KeyLeaked),
    ];
    let mut expected = Vec::new();
    for (n, status) in (1_u8..).zip(statuses) {
        let full = Subscription {
            url: url(&format!("https://hooks.example:8443/in/{n}?key=a%20b&more")),
            events: patterns(&["order.created", "invoice.*", "*"]),
            filter: (n % 2 == 1).then(|| filter(r#"{"path":"/data/é","op":"in","value":[1.50e+400,"\u0000\u2028"]}"#)),
            url_set_by: (n % 2 == 1).then(|| KeyId::from_bytes([n; 16])),
            description: description("Everything set"),
            status,
            created_at: at(i64::from(n)),
            updated_at: at(i64::from(n) + 5),
            created_by: (n % 2 == 1).then(|| user("bob")),
            ..subscription(&owner)
        };
        put(&*store, &full).await;
        expected.push(full);
    }
    let new = SubscriptionHealth { breaker: Breaker::default(), waiting: 0, last_attempt: None };
    for one in &expected {
        let found = find(&*store, &owner, one.id).await;
        assert_eq!(found, Some((one.clone(), new.clone())), "a subscription must come back as it was stored");
    }
    expected.sort_by_key(|one| std::cmp::Reverse(one.id));
    assert_eq!(subscriptions(&*store, &owner).await, expected, "a list must hold what was stored");
}

/// Every time comes back to the millisecond, from the first to the last one that a timestamp can hold.
pub async fn times_of_subscriptions_keep_their_milliseconds(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let unix = |millis| Timestamp::from_unix_millis(millis).expect("within the range of timestamps");
    for time in [Timestamp::MIN, unix(-1_001), unix(-1), unix(0), at(0), at(879), Timestamp::MAX] {
        let stored = add(&*store, Subscription { created_at: time, updated_at: time, ..subscription(&owner) }).await;
        assert_eq!(reread(&*store, &stored).await, stored, "{time} must come back to the millisecond");
    }
}

/// Descriptions, URLs and patterns come back byte for byte: empty, with line breaks, of the maximum length.
pub async fn texts_of_subscriptions_come_back_byte_for_byte(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let longest = "\u{1f980}".repeat(1_000);
    let descriptions = ["", " ", "a\nb\tc\r\n", "'\"\\%_;--", "caf\u{e9} cafe\u{301}", "$1 ? :x {}", "NULL", &longest];
    for text in descriptions {
        let stored = add(&*store, Subscription { description: description(text), ..subscription(&owner) }).await;
        assert_eq!(reread(&*store, &stored).await, stored, "{text:?} must come back byte for byte");
    }
    let long_url = format!("https://hooks.example/{}", "p".repeat(2_048 - 22));
    for text in ["http://127.0.0.1:8080/", "https://hooks.example/it's?q=%22%5C%00", &long_url] {
        let stored = add(&*store, Subscription { url: url(text), ..subscription(&owner) }).await;
        assert_eq!(reread(&*store, &stored).await.url.as_str(), text, "a URL must come back byte for byte");
    }
    let names: Vec<String> = (0..100).map(|n| format!("{}/{n:02}.*", "a".repeat(122))).collect();
    let names: Vec<&str> = names.iter().rev().map(String::as_str).collect();
    let stored = add(&*store, Subscription { events: patterns(&names), ..subscription(&owner) }).await;
    assert_eq!(reread(&*store, &stored).await, stored, "a hundred patterns must come back in their order");
}

/// Two owners are the same only if issuer and subject are the same bytes: an owner never sees another's subscriptions or
/// events.
pub async fn look_alike_owners_have_subscriptions_of_their_own(store: Arc<dyn WebhookStore>) {
    let owners = look_alikes();
    for owner in &owners {
        subscribed(&*store, owner).await;
    }
    for owner in &owners {
        let seen = subscriptions(&*store, owner).await;
        assert_eq!(seen.len(), 1, "{owner:?} must see exactly the own subscription");
        let accepted = publish(&*store, &[event(owner)]).await;
        assert_eq!(accepted[0].deliveries, 1, "an event of {owner:?} must go to the own subscription alone");
    }
}

/// Insertions in sequence store subscriptions up to the maximum. Disabled ones count; deleted ones and other owners' do
/// not. A refused subscription is not stored.
pub async fn subscriptions_stop_at_the_maximum(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    subscribed(&*store, &user("bob")).await;
    let (first, second, refused) = (subscription(&owner), subscription(&owner), subscription(&owner));
    for one in [&first, &second] {
        let answer = insert(&*store, one, &secret(), 2).await;
        assert_eq!(answer, SubscriptionInsertion::Stored, "there is room below the maximum");
    }
    update(&*store, &first, &switched(false), at(1)).await;
    for max in [2, 1, 0] {
        let answer = insert(&*store, &refused, &secret(), max).await;
        assert_eq!(answer, SubscriptionInsertion::LimitReached { max }, "2 of {max}, a disabled one counts");
    }
    assert_eq!(find(&*store, &owner, refused.id).await, None, "what is refused must not be stored");
    delete(&*store, &first, at(2)).await;
    let answer = insert(&*store, &refused, &secret(), 2).await;
    assert_eq!(answer, SubscriptionInsertion::Stored, "a deleted one must not count");
}

/// An owner that has deleted [`SubscriptionInsertion::DELETED_MAX`] subscriptions for each one of the maximum gets
/// another when the deleted ones are purged, or when the maximum is higher. The deleted ones of other owners do not
/// count.
pub async fn deleted_subscriptions_stop_at_their_maximum(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    for n in 0..SubscriptionInsertion::DELETED_MAX {
        let one = subscription(&owner);
        let answer = insert(&*store, &one, &secret(), 1).await;
        assert_eq!(answer, SubscriptionInsertion::Stored, "{n} deleted ones are below the maximum");
        delete(&*store, &one, at(1)).await;
    }
    let (refused, other) = (subscription(&owner), subscription(&user("bob")));
    let answer = insert(&*store, &refused, &secret(), 1).await;
    assert_eq!(answer, SubscriptionInsertion::TooManyDeleted { max: 100 }, "the maximum of deleted ones is reached");
    assert_eq!(find(&*store, &owner, refused.id).await, None, "what is refused must not be stored");
    let answer = insert(&*store, &other, &secret(), 1).await;
    assert_eq!(answer, SubscriptionInsertion::Stored, "the deleted ones of another owner must not count");
    let answer = insert(&*store, &refused, &secret(), 2).await;
    assert_eq!(answer, SubscriptionInsertion::Stored, "a higher maximum allows more deleted ones");
    delete(&*store, &refused, at(1)).await;
    store.purge(Retained::Webhooks, at(2), u32::MAX).await.expect("a purge must succeed");
    let answer = insert(&*store, &refused, &secret(), 1).await;
    assert_eq!(answer, SubscriptionInsertion::Stored, "what is forgotten must not count");
}

/// Repeatedly, 24 parallel insertions for 6 places: exactly 6 are stored, the others are refused, and none fails.
pub async fn parallel_subscriptions_fill_the_maximum_exactly(store: Arc<dyn WebhookStore>) {
    for round in 0..4 {
        let owner = user(&format!("round {round}"));
        let calls = (0..24).map(|_| {
            let new = subscription(&owner);
            calling(&store, |store| async move { insert(&*store, &new, &secret(), 6).await })
        });
        let answers = all_at_once(calls.collect()).await;
        let stored = answers.iter().filter(|answer| **answer == SubscriptionInsertion::Stored).count();
        assert_eq!(stored, 6, "of 24 parallel insertions for 6 places, so many were answered as stored");
        assert_eq!(subscriptions(&*store, &owner).await.len(), 6, "what was answered as stored is what is stored");
    }
}

/// An id that is stored already is refused for every owner, and the stored subscription does not change.
pub async fn a_stored_subscription_id_is_refused(store: Arc<dyn WebhookStore>) {
    let stored = subscribed(&*store, &user("alice")).await;
    for owner in [user("alice"), user("bob")] {
        let again = Subscription { id: stored.id, description: description("again"), ..subscription(&owner) };
        let answer = store.insert_within(&insertion_of(&again, &secret(), NO_MAX)).await;
        assert!(matches!(answer, Err(StoreError::Duplicate { .. })), "a stored id must be refused, got {answer:?}");
    }
    assert_eq!(subscriptions(&*store, &stored.owner).await, [stored], "a refused duplicate must change nothing");
    assert_eq!(subscriptions(&*store, &user("bob")).await, [], "a refused duplicate must not be stored");
}

/// Lists come newest first, with at most `max` entries, and continue below the last one.
pub async fn subscriptions_are_listed_newest_first_in_pages(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let mut all = Vec::new();
    for _ in 0..7 {
        subscribed(&*store, &user("bob")).await;
        all.push(subscribed(&*store, &owner).await);
    }
    all.sort_by_key(|one| std::cmp::Reverse(one.id));
    assert_eq!(list(&*store, &owner, None, 100).await, all, "the newest must come first");
    assert_eq!(list(&*store, &owner, None, 3).await, all[..3], "a page must have as many as asked for");
    assert_eq!(list(&*store, &owner, Some(all[2].id), 3).await, all[3..6], "the next page goes on below");
    assert_eq!(list(&*store, &owner, Some(all[5].id), 3).await, all[6..], "the last page has the rest");
    assert_eq!(list(&*store, &owner, Some(all[6].id), 3).await, [], "below the last there is nothing");
    assert_eq!(list(&*store, &user("carol"), None, 3).await, [], "who has none gets an empty list");
}
