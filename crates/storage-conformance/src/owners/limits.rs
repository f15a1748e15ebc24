//! The limits of an owner take the place of those of the service.

use std::sync::Arc;

use domain::ports::{Insertion, Rotation, SubscriptionInsertion};
use domain::{OwnerChange, OwnerId, Patch};

use super::OwnedStores;
use super::sample::{change, events, keys_max};
use crate::keys::sample::{Replacement, Sample, all_keys, insert, insert_request_by, put_new, rotate};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user, user_of};
use crate::webhooks::sample::{insert as subscribe, secret, subscription, subscriptions};

/// The maximum of the record holds for the next key, whether it is above or below that of the service. A lower one ends no
/// key. Without one, that of the service holds again. Other owners keep theirs.
pub async fn a_changed_maximum_holds_for_the_next_key(stores: Arc<OwnedStores>) {
    let (owner, other) = (user("alice"), user("bob"));
    let next = async |max| matches!(insert(&*stores.keys, &Sample::of(&owner), max).await, Insertion::Stored(_));
    assert_eq!((next(1).await, next(1).await), (true, false), "the service's maximum");
    change(&*stores.owners, &owner, keys_max(Patch::Set(3))).await;
    assert_eq!([next(1).await, next(1).await], [true, true], "a higher maximum holds for the next keys");
    let refused = insert(&*stores.keys, &Sample::of(&owner), 1).await;
    assert_eq!(refused, Insertion::LimitReached { max: 3 }, "the refusal names the maximum that holds");
    assert!(!matches!(insert(&*stores.keys, &Sample::of(&other), 0).await, Insertion::Stored(_)), "another owner");
    let reached = events(&*stores.audit, &owner).await;
    let reached = reached.iter().filter(|event| event.action.as_str() == "key.limit_reached").count();
    assert_eq!(reached, 2, "the last place of each maximum was taken");

    change(&*stores.owners, &owner, keys_max(Patch::Set(0))).await;
    assert_eq!(all_keys(&*stores.keys, &owner).await.len(), 3, "a lower maximum ends no key");
    let refused = insert(&*stores.keys, &Sample::of(&owner), 100).await;
    assert_eq!(refused, Insertion::LimitReached { max: 0 }, "a lower maximum holds for the next key");
    change(&*stores.owners, &owner, keys_max(Patch::Reset)).await;
    assert!(next(4).await && !next(4).await, "the service's maximum applies again");
}

/// The same for the keys that are being replaced at the same time.
pub async fn a_changed_maximum_holds_for_the_next_rotation(stores: Arc<OwnedStores>) {
    let owner = user("alice");
    let samples = put_new(&*stores.keys, &owner, 4).await;
    let rotate = async |n: usize, max| {
        let replacement = Replacement::at(at(0), 100).overlapping(max);
        matches!(rotate(&*stores.keys, &samples[n], &replacement).await, Rotation::Rotated { .. })
    };
    assert_eq!([rotate(0, 1).await, rotate(1, 1).await], [true, false], "the service's maximum");
    change(&*stores.owners, &owner, keys_max(Patch::Set(2))).await;
    assert_eq!([rotate(1, 1).await, rotate(2, 1).await], [true, false], "a higher maximum holds for the next rotation");
    change(&*stores.owners, &owner, keys_max(Patch::Set(1))).await;
    assert!(!rotate(2, 9).await, "a lower maximum holds for the next rotation");
    change(&*stores.owners, &owner, keys_max(Patch::Reset)).await;
    assert_eq!([rotate(2, 3).await, rotate(3, 3).await], [true, false], "the service's maximum applies again");
}

/// The same for subscriptions.
pub async fn a_changed_maximum_holds_for_the_next_subscription(stores: Arc<OwnedStores>) {
    let owner = user("alice");
    let subscribe = async |max| subscribe(&*stores.webhooks, &subscription(&owner), &secret(), max).await;
    let set = |max| OwnerChange { max_subscriptions: max, ..OwnerChange::default() };
    assert_eq!(subscribe(0).await, SubscriptionInsertion::LimitReached { max: 0 }, "the service's maximum");
    change(&*stores.owners, &owner, set(Patch::Set(2))).await;
    for answer in [subscribe(0).await, subscribe(0).await] {
        assert_eq!(answer, SubscriptionInsertion::Stored, "a higher maximum holds for the next subscriptions");
    }
    assert_eq!(subscribe(0).await, SubscriptionInsertion::LimitReached { max: 2 }, "the maximum of the record");
    change(&*stores.owners, &owner, set(Patch::Set(1))).await;
    assert_eq!(subscriptions(&*stores.webhooks, &owner).await.len(), 2, "a lower maximum ends no subscription");
    assert_eq!(subscribe(9).await, SubscriptionInsertion::LimitReached { max: 1 }, "a lower maximum holds");
    change(&*stores.owners, &owner, set(Patch::Reset)).await;
    assert_eq!(subscribe(3).await, SubscriptionInsertion::Stored, "the service's maximum applies again");
}

/// Members of an organization and the host create keys and subscriptions at the same time: exactly as many are stored as
/// the record allows.
pub async fn parallel_creations_fill_a_changed_maximum_exactly(stores: Arc<OwnedStores>) {
    let (owner, member) = (user_of("organization:https://id.example", "acme"), user("amy"));
    let change =
        OwnerChange { max_active_keys: Patch::Set(7), max_subscriptions: Patch::Set(3), ..OwnerChange::default() };
    super::sample::change(&*stores.owners, &owner, change).await;
    let keys = (0..30).map(|n| insertion(&stores, &owner, (n % 2 == 0).then_some(&member)));
    let webhooks = (0..10).map(|_| -> Call<bool> {
        let (stores, subscription) = (Arc::clone(&stores), subscription(&owner));
        Box::pin(async move {
            let answer = subscribe(&*stores.webhooks, &subscription, &secret(), 10).await;
            answer == SubscriptionInsertion::Stored
        })
    });
    let answers = all_at_once(keys.chain(webhooks).collect()).await;
    let count = |answers: &[bool]| answers.iter().filter(|is_stored| **is_stored).count();
    assert_eq!(count(&answers[..30]), 7, "of 30 parallel keys for 7 places, so many were stored");
    assert_eq!(count(&answers[30..]), 3, "of 10 parallel subscriptions for 3 places, so many were stored");
    assert_eq!(all_keys(&*stores.keys, &owner).await.len(), 7, "what was answered must be what is stored");
}

/// While the host lowers and raises the maximum, members and the host fill it. There are never more keys than the largest
/// maximum that held in the race, and the last maximum holds afterwards.
pub async fn a_maximum_that_changes_in_a_race_holds_afterwards(stores: Arc<OwnedStores>) {
    let owner = user_of("organization:https://id.example", "acme");
    change(&*stores.owners, &owner, keys_max(Patch::Set(2))).await;
    let mut calls: Vec<Call<bool>> = (0..24).map(|_| insertion(&stores, &owner, None)).collect();
    for max in [4, 1, 6] {
        let (stores, owner) = (Arc::clone(&stores), owner.clone());
        calls.insert(
            8,
            Box::pin(async move {
                change(&*stores.owners, &owner, keys_max(Patch::Set(max))).await;
                false
            }),
        );
    }
    all_at_once(calls).await;
    let taken = all_keys(&*stores.keys, &owner).await.len();
    assert!((1..=6).contains(&taken), "never more keys than the largest maximum, got {taken}");
    change(&*stores.owners, &owner, keys_max(Patch::Set(6))).await;
    for place in taken..6 {
        let answer = insert(&*stores.keys, &Sample::of(&owner), 10).await;
        assert!(matches!(answer, Insertion::Stored(_)), "place {place} is free, got {answer:?}");
    }
    let answer = insert(&*stores.keys, &Sample::of(&owner), 10).await;
    assert_eq!(answer, Insertion::LimitReached { max: 6 }, "all places are taken");
}

/// Whether a key of this member, or of the host, was stored, where the service allows ten.
fn insertion(stores: &Arc<OwnedStores>, owner: &OwnerId, member: Option<&OwnerId>) -> Call<bool> {
    let (stores, request) = (Arc::clone(stores), insert_request_by(owner, member, 10));
    Box::pin(async move {
        let answer = stores.keys.insert_within(&request).await.expect("stored, or refused as a value");
        matches!(answer, Insertion::Stored(_))
    })
}
