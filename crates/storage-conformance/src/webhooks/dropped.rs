//! Calls that are dropped before they end. See [`crate::keys::cancellation`].

use std::sync::Arc;

use domain::DeliveryId;
use domain::ports::{Retained, SubscriptionInsertion};
use domain::webhooks::{DeliveryFilter, DeliveryState, NewEvent};

use super::WebhookStore;
use super::sample::{
    change_of, deletion_of, deliveries, event, event_at, filtered, find, history, insert, insertion_of, named,
    only_secret, publish, publish_many, reread, secret, secrets_of, subscribed, subscriber, subscription,
    subscriptions, switched, try_history,
};
use super::work::{LEASE_MILLIS, claim, claim_as, complete, complete_all, drain, end_closed, request};
use crate::racing::{DropAt, moments, not_held_up};
use crate::sample::{at, user};

/// A dropped insertion stores the subscription with its secret or not at all, and the maximum stays exact.
pub async fn a_cancelled_subscription_is_whole_or_nothing(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    for drop_at in moments() {
        let (stored, sealed) = (subscription(&owner), secret());
        drop_at.call(store.insert_within(&insertion_of(&stored, &sealed, 60))).await;
        not_held_up(drop_at, async {
            let found = find(&*store, &owner, stored.id).await;
            if let Some((found, _)) = found {
                assert_eq!(found, stored, "a stored subscription must be whole, {drop_at}");
                let secrets = secrets_of(&*store, stored.id).await;
                assert_eq!(secrets, Some(only_secret(&sealed)), "with its secret, {drop_at}");
            }
            insert(&*store, &subscription(&owner), &secret(), 0).await;
        })
        .await;
    }
    while insert(&*store, &subscription(&owner), &secret(), 80).await == SubscriptionInsertion::Stored {}
    assert_eq!(subscriptions(&*store, &owner).await.len(), 80, "after dropped insertions the maximum must be exact");
}

/// A dropped publication accepts every event or none, each with all its deliveries and its publisher's id.
pub async fn a_cancelled_publication_is_whole_or_nothing(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    subscribed(&*store, &owner).await;
    for (round, drop_at) in (0..).zip(moments()) {
        let named_event = |n| named(event_at(&owner, at(round)), &format!("round-{round}-{n}"), "a");
        let events: Vec<NewEvent> = (0..3).map(named_event).collect();
        drop_at.call(store.publish(&events)).await;
        let only_these =
            DeliveryFilter { since: Some(at(round)), until: Some(at(round + 1)), ..DeliveryFilter::default() };
        not_held_up(drop_at, async {
            let seen = filtered(&*store, &owner, &only_these, 1_000).await.len();
            assert!([0, 6].contains(&seen), "all 6 deliveries must be stored or none, {drop_at}, got {seen}");
            let again: Vec<NewEvent> = (0..3).map(named_event).collect();
            let accepted = publish(&*store, &again).await;
            let mut duplicates: Vec<bool> = accepted.iter().map(|one| one.is_duplicate).collect();
            duplicates.dedup();
            assert_eq!(duplicates.len(), 1, "all events must be accepted or none, {drop_at}");
            let seen = filtered(&*store, &owner, &only_these, 1_000).await.len();
            assert_eq!(seen, 6, "each must be fanned out once, {drop_at}");
        })
        .await;
    }
    let delivered = drain(&*store, 1_000).await.len();
    assert_eq!(delivered, deliveries(&*store, &owner).await.len(), "what was accepted must be delivered");
}

/// All deliveries of a dropped claim are due again when the claim expires. Later calls do not hang.
pub async fn what_a_cancelled_claim_took_is_due_again(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    for (round, drop_at) in (0..).zip(moments()) {
        let start = round * 3 * LEASE_MILLIS;
        publish_many(&*store, &owner, 4, start).await;
        let dropped = request(start);
        drop_at.call(store.claim(&dropped)).await;
        not_held_up(drop_at, async {
            let mut delivered = 0;
            while delivered < 4 {
                let held = claim(&*store, start + LEASE_MILLIS).await;
                complete_all(&*store, &held, |one| one.delivered(start + LEASE_MILLIS)).await;
                delivered += held.len();
            }
            assert_eq!(delivered, 4, "each must be delivered once, {drop_at}");
        })
        .await;
    }
}

/// A dropped batch of completions is stored wholly or not at all. A later one does not hang.
pub async fn a_cancelled_completion_is_whole_or_nothing(store: Arc<dyn WebhookStore>) {
    for (round, drop_at) in (0..).zip(moments()) {
        let (owner, _) = subscriber(&*store, &format!("round {round}")).await;
        publish_many(&*store, &owner, 4, 0).await;
        let held = claim_as(&*store, &request(10)).await;
        let ends: Vec<_> = held.iter().map(|one| one.delivered(20)).collect();
        drop_at.call(store.complete(&ends)).await;
        not_held_up(drop_at, async {
            let is_over = |state| matches!(state, DeliveryState::Ended { .. });
            let mut over: Vec<_> = deliveries(&*store, &owner).await.iter().map(|one| is_over(one.state)).collect();
            over.dedup();
            assert_eq!(over.len(), 1, "every completion must be taken, or none, {drop_at}");
            let mut answers = complete(&*store, &ends).await;
            answers.dedup();
            assert_eq!(answers.len(), 1, "every claim must hold, or none, {drop_at}");
            for one in &held {
                let found = history(&*store, &owner, one.delivery.id).await;
                assert!(is_over(found.delivery.state), "in the end all must be over, {drop_at}");
                assert_eq!(found.attempts.len(), 1, "with the attempt, {drop_at}");
            }
        })
        .await;
    }
}

/// A dropped deletion deletes the subscription with its secrets and closes its lane, or has no effect.
pub async fn a_cancelled_deletion_is_whole_or_nothing(store: Arc<dyn WebhookStore>) {
    for (round, drop_at) in (0..).zip(moments()) {
        let lane = subscribed(&*store, &user(&format!("round {round}"))).await;
        let new = event(&lane.owner);
        publish(&*store, std::slice::from_ref(&new)).await;
        drop_at.call(store.delete(&deletion_of(&lane, at(10)))).await;
        not_held_up(drop_at, async {
            let found = find(&*store, &lane.owner, lane.id).await;
            let secrets = secrets_of(&*store, lane.id).await;
            if found.is_none() {
                assert_eq!(secrets, None, "the secrets must be gone with the subscription, {drop_at}");
            }
            if secrets.is_none() {
                let found = find(&*store, &lane.owner, lane.id).await;
                assert_eq!(found, None, "the subscription must be gone with its secrets, {drop_at}");
                let accepted = publish(&*store, &[event(&lane.owner)]).await;
                assert_eq!(accepted[0].deliveries, 0, "its lane must be closed, {drop_at}");
            }
            let again = store.delete(&deletion_of(&lane, at(20))).await;
            again.expect("a deletion must succeed after a dropped one");
            end_closed(&*store, 20).await;
            let found = history(&*store, &lane.owner, DeliveryId::of(new.event.id, lane.id)).await;
            assert!(matches!(found.delivery.state, DeliveryState::Ended { .. }), "it must end, {drop_at}");
        })
        .await;
    }
}

/// A dropped change is made or not. A later one does not hang.
pub async fn a_cancelled_change_is_whole_or_nothing(store: Arc<dyn WebhookStore>) {
    for (round, drop_at) in (0..).zip(moments()) {
        let lane = subscribed(&*store, &user(&format!("round {round}"))).await;
        let disabled = switched(false).applied_to(&lane, at(10)).expect("it changes no options").subscription;
        drop_at.call(store.update(&change_of(&lane, &switched(false), at(10)))).await;
        not_held_up(drop_at, async {
            let found = reread(&*store, &lane).await;
            assert!(found == lane || found == disabled, "a change must be whole or nothing, {drop_at}: {found:?}");
            let accepted = publish(&*store, &[event(&lane.owner)]).await[0].deliveries;
            assert!(found == lane || accepted == 0, "what is disabled must get nothing, {drop_at}");
            let enabled = store.update(&change_of(&lane, &switched(true), at(20))).await;
            assert!(enabled.is_ok(), "a later change must succeed, {drop_at}");
        })
        .await;
    }
}

/// A caller may stop waiting for a hint and wait again. Other calls do not hang.
pub async fn a_hint_may_be_dropped_at_any_time(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    for drop_at in moments().into_iter().filter(|one| matches!(one, DropAt::Moment(_))) {
        drop_at.call(store.hint()).await;
        not_held_up(drop_at, async {
            publish(&*store, &[event(&owner)]).await;
            assert_eq!(drain(&*store, 10).await.len(), 1, "what is published must be delivered, {drop_at}");
        })
        .await;
    }
}

/// A dropped purge deletes whole deliveries: every delivery that is still listed is complete.
pub async fn a_cancelled_purge_leaves_whole_deliveries(store: Arc<dyn WebhookStore>) {
    for (round, drop_at) in (0..).zip(moments()) {
        let (owner, _) = subscriber(&*store, &format!("round {round}")).await;
        publish_many(&*store, &owner, 3, -200_000_000).await;
        drain(&*store, 10).await;
        drop_at.call(store.purge(Retained::Webhooks, at(0), 100)).await;
        not_held_up(drop_at, async {
            for one in deliveries(&*store, &owner).await {
                let found = try_history(&*store, &owner, one.id).await;
                let attempts = found.map_or(1, |found| found.attempts.len());
                assert_eq!(attempts, 1, "a delivery that is found must have its attempts, {drop_at}");
            }
            while store.purge(Retained::Webhooks, at(0), 100).await.expect("a purge must succeed after a dropped one")
                > 0
            {}
            assert_eq!(deliveries(&*store, &owner).await, [], "a later purge must come to its end, {drop_at}");
        })
        .await;
    }
}
