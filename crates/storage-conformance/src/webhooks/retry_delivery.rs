//! Deliveries that their owner retries or cancels.

use std::collections::HashSet;
use std::sync::Arc;

use domain::ports::RetryByHand;
use domain::webhooks::{Delivery, DeliveryEnd, DeliveryState};
use domain::{DeliveryId, OwnerId};

use super::WebhookStore;
use super::calls::{calling, claiming};
use super::commands::{cancel, retry, retry_since};
use super::sample::{close, deliveries, event, history, publish, publish_many, subscribed, subscriber, try_history};
use super::work::{LEASE_MILLIS, claim, claim_one, complete, drain, publish_and_claim, settle};
use crate::racing::all_at_once;
use crate::sample::{at, user};

/// A waiting delivery that is retried by hand is due at once, as the first attempt of a new run. The count of attempts
/// continues.
pub async fn a_waiting_delivery_is_due_at_once(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    let held = publish_and_claim(&*store, &owner, 0).await;
    settle(&*store, held.failed(10, 1_000_000)).await;
    let due = expect_due(&*store, &owner, held.delivery.id, 20).await;
    assert_eq!((due.state, due.attempts), (DeliveryState::Waiting(at(20)), 1), "it must be due now");
    assert!(claim(&*store, 19).await.is_empty(), "and not before");
    let again = claim_one(&*store, 20).await;
    let counted = (again.delivery.attempt, again.delivery.run_attempt, again.delivery.run_started_at);
    assert_eq!(counted, (2, 1, at(20)), "the second attempt is the first of a new run");
    settle(&*store, again.failed(30, 40)).await;
    let third = claim_one(&*store, 40).await;
    let counted = (third.delivery.attempt, third.delivery.run_attempt, third.delivery.run_started_at);
    assert_eq!(counted, (3, 2, at(20)), "the run goes on");
}

/// A delivery that has ended in any way is due again when it is retried by hand, and keeps its attempts.
pub async fn an_ended_delivery_is_brought_back(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    publish_many(&*store, &owner, 3, 0).await;
    let held = claim(&*store, 1).await;
    complete(&*store, &[held[0].delivered(10), held[1].spent(10)]).await;
    cancel(&*store, &owner, held[2].delivery.id, 10).await;
    for (millis, one) in (20..).zip(&held) {
        let before = history(&*store, &owner, one.delivery.id).await;
        let due = expect_due(&*store, &owner, one.delivery.id, millis).await;
        let expected = Delivery { state: DeliveryState::Waiting(at(millis)), ..before.delivery };
        assert_eq!(due, expected, "it must wait again, and nothing else change");
        let again = claim_one(&*store, millis).await;
        assert_eq!((again.delivery.id, again.delivery.attempt), (one.delivery.id, 2), "it must be claimed again");
        assert_eq!(again.delivery.payload, one.delivery.payload, "with the same payload");
        settle(&*store, again.delivered(millis)).await;
        let after = history(&*store, &owner, one.delivery.id).await;
        let end = DeliveryState::Ended { end: DeliveryEnd::Delivered, at: at(millis) };
        assert_eq!((after.delivery.state, after.delivery.attempts), (end, 2), "and end again");
        assert_eq!(after.attempts.len(), before.attempts.len() + 1, "earlier attempts must stay in the log");
    }
    assert_eq!(deliveries(&*store, &owner).await.len(), 3, "a retry must not make another delivery");
}

/// A retry by hand does not change a delivery that is being sent. When its claim has expired, the delivery waits.
pub async fn what_is_being_sent_is_not_retried(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    let held = publish_and_claim(&*store, &owner, 0).await;
    let id = held.delivery.id;
    let due = expect_due(&*store, &owner, id, LEASE_MILLIS - 1).await;
    assert_eq!(due.state, DeliveryState::Sending(at(LEASE_MILLIS)), "what is being sent goes on");
    assert!(claim(&*store, LEASE_MILLIS - 1).await.is_empty(), "what is being sent must not be claimed");
    let due = expect_due(&*store, &owner, id, LEASE_MILLIS).await;
    assert_eq!(due.state, DeliveryState::Waiting(at(LEASE_MILLIS)), "its claim has run out");
    let again = claim_one(&*store, LEASE_MILLIS).await;
    assert_eq!((again.delivery.attempt, again.delivery.run_attempt), (2, 1), "a new run");
    settle(&*store, again.delivered(LEASE_MILLIS + 10)).await;
}

/// No delivery to a disabled or deleted subscription is retried.
pub async fn a_retry_needs_an_open_lane(store: Arc<dyn WebhookStore>) {
    for (n, deleting) in [(0, false), (1, true)] {
        let (owner, lane) = subscriber(&*store, &format!("user-{n}")).await;
        let held = publish_and_claim(&*store, &owner, 0).await;
        settle(&*store, held.spent(10)).await;
        close(&*store, &lane, deleting, at(15)).await;
        let before = history(&*store, &owner, held.delivery.id).await;
        for since in [0, 1] {
            let answer = retry_since(&*store, &owner, held.delivery.id, 20, since).await;
            assert_eq!(answer, RetryByHand::LaneClosed, "its subscription is not enabled");
        }
        assert_eq!(history(&*store, &owner, held.delivery.id).await, before, "nothing must change");
    }
}

/// An event that was published earlier than allowed is not retried, to the millisecond.
pub async fn an_old_event_is_not_retried(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    let held = publish_and_claim(&*store, &owner, 100).await;
    settle(&*store, held.spent(110)).await;
    let before = history(&*store, &owner, held.delivery.id).await;
    let answer = retry_since(&*store, &owner, held.delivery.id, 200, 101).await;
    assert_eq!(answer, RetryByHand::TooOld, "it was published a millisecond too early");
    assert_eq!(history(&*store, &owner, held.delivery.id).await, before, "nothing must change");
    let answer = retry_since(&*store, &owner, held.delivery.id, 200, 100).await;
    assert!(matches!(answer, RetryByHand::Due(_)), "it was published just in time, got {answer:?}");
}

/// Parallel retries of one delivery make it due once.
pub async fn parallel_retries_make_one_delivery(store: Arc<dyn WebhookStore>) {
    for round in 0..5 {
        let (owner, _) = subscriber(&*store, &format!("round {round}")).await;
        let held = publish_and_claim(&*store, &owner, 0).await;
        settle(&*store, held.spent(10)).await;
        let calls = (0..8).map(|_| {
            let (owner, id) = (owner.clone(), held.delivery.id);
            calling(&store, move |store| async move { retry(&*store, &owner, id, 20).await })
        });
        for answer in all_at_once(calls.collect()).await {
            assert!(matches!(answer, RetryByHand::Due(_)), "a parallel retry must succeed, got {answer:?}");
        }
        assert_eq!(deliveries(&*store, &owner).await.len(), 1, "there is one delivery of the event");
        assert_eq!(drain(&*store, 20).await.len(), 1, "it must be delivered once");
    }
}

/// A delivery that waits or is being sent ends when it is cancelled. Its claim then only stores the record of the
/// attempt. A delivery that has ended does not change.
pub async fn a_cancelled_delivery_ends(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    publish(&*store, &[event(&owner), event(&owner)]).await;
    let held = claim(&*store, 1).await;
    settle(&*store, held[0].failed(10, 50)).await;
    let cancelled = DeliveryState::Ended { end: DeliveryEnd::Cancelled, at: at(20) };
    for one in &held {
        let answer = cancel(&*store, &owner, one.delivery.id, 20).await;
        assert_eq!(answer.map(|one| one.state), Some(cancelled), "it must end at the instant");
        let answer = cancel(&*store, &owner, one.delivery.id, 30).await;
        assert_eq!(answer.map(|one| one.state), Some(cancelled), "what has ended stays as it is");
        assert_eq!(history(&*store, &owner, one.delivery.id).await.delivery.state, cancelled, "it must be stored");
    }
    assert!(claim(&*store, 2 * LEASE_MILLIS).await.is_empty(), "what was cancelled must not be claimed");
    assert_eq!(complete(&*store, &[held[1].failed(40, 60)]).await, [false], "its claim no longer holds it");
    let found = history(&*store, &owner, held[1].delivery.id).await;
    assert_eq!((found.delivery.state, found.attempts.len()), (cancelled, 1), "the attempt is recorded all the same");
    let other = publish_and_claim(&*store, &owner, 3 * LEASE_MILLIS).await;
    settle(&*store, other.delivered(3 * LEASE_MILLIS)).await;
    let delivered = history(&*store, &owner, other.delivery.id).await.delivery;
    let answer = cancel(&*store, &owner, delivered.id, 4 * LEASE_MILLIS).await;
    assert_eq!(answer, Some(delivered), "what was delivered stays so");
}

/// A claim from before a cancellation does not affect the new run that a retry by hand starts, whether the delivery waits
/// or is being sent.
pub async fn an_old_claim_means_nothing_to_a_new_run(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    let old = publish_and_claim(&*store, &owner, 0).await;
    cancel(&*store, &owner, old.delivery.id, 10).await;
    expect_due(&*store, &owner, old.delivery.id, 20).await;
    assert_eq!(complete(&*store, &[old.delivered(30)]).await, [false], "its run was cancelled");
    let new = claim_one(&*store, 40).await;
    assert_eq!(complete(&*store, &[old.failed(50, 60)]).await, [false], "another has claimed it since");
    let state = history(&*store, &owner, new.delivery.id).await.delivery.state;
    assert_eq!(state, DeliveryState::Sending(at(40 + LEASE_MILLIS)), "the new run must go on");
    settle(&*store, new.delivered(70)).await;
    assert_eq!(history(&*store, &owner, new.delivery.id).await.attempts.len(), 2, "both attempts are recorded");
}

/// Cancelling in parallel with claims: a cancelled delivery is not claimed afterwards, and no claim changes its end.
pub async fn cancelling_beside_claims_holds(store: Arc<dyn WebhookStore>) {
    for round in 0..8 {
        let (owner, _) = subscriber(&*store, &format!("round {round}")).await;
        publish(&*store, &[event(&owner), event(&owner)]).await;
        let ids: Vec<DeliveryId> = deliveries(&*store, &owner).await.iter().map(|one| one.id).collect();
        let cancels = ids.iter().map(|id| {
            let (owner, id) = (owner.clone(), *id);
            calling(&store, move |store| async move {
                cancel(&*store, &owner, id, 10).await;
                Vec::new()
            })
        });
        let claims = (0..2).map(|_| claiming(&store, 10));
        let held = all_at_once(cancels.chain(claims).collect()).await.concat();
        let completions: Vec<_> = held.iter().map(|one| one.delivered(20)).collect();
        assert!(complete(&*store, &completions).await.iter().all(|held| !held), "no claim may hold what was cancelled");
        let cancelled = DeliveryState::Ended { end: DeliveryEnd::Cancelled, at: at(10) };
        let states: HashSet<_> = deliveries(&*store, &owner).await.iter().map(|one| one.state == cancelled).collect();
        assert_eq!(states, HashSet::from([true]), "what was cancelled must stay so");
    }
}

/// No command finds another owner's delivery, or a delivery that does not exist.
pub async fn other_owners_deliveries_are_not_touched(store: Arc<dyn WebhookStore>) {
    let (alice, bob) = (user("alice"), user("bob"));
    subscribed(&*store, &alice).await;
    let theirs = subscribed(&*store, &bob).await;
    publish(&*store, &[event(&alice), event(&bob)]).await;
    let before = deliveries(&*store, &bob).await;
    let unknown = DeliveryId::of(event(&alice).event.id, theirs.id);
    for id in [before[0].id, unknown] {
        assert_eq!(try_history(&*store, &alice, id).await, None, "a look-up must not find it");
        assert_eq!(retry(&*store, &alice, id, 10).await, RetryByHand::NotFound, "nor a retry");
        assert_eq!(cancel(&*store, &alice, id, 10).await, None, "nor a cancellation");
    }
    assert_eq!(deliveries(&*store, &bob).await, before, "another owner's delivery must stay as it is");
    let seen: Vec<_> = deliveries(&*store, &alice).await.iter().map(|one| one.subscription_id).collect();
    assert!(seen.len() == 1 && seen[0] != theirs.id, "another owner's delivery must not be listed");
}

async fn expect_due(store: &dyn WebhookStore, owner: &OwnerId, id: DeliveryId, millis: i64) -> Delivery {
    match retry(store, owner, id, millis).await {
        RetryByHand::Due(delivery) => {
            assert_eq!(history(store, owner, id).await.delivery, delivery, "the answer must be what is stored");
            delivery
        }
        other => panic!("it can be retried, got {other:?}"),
    }
}
