//! The figures of the queue for operators.

use std::sync::Arc;
use std::time::Duration;

use domain::ports::{LaneFigures, QueueFigures};
use domain::webhooks::{DisableReason, SubscriptionStatus};

use super::WebhookStore;
use super::sample::{delete, event, event_at, publish, publish_at, subscribed, switched, update};
use super::work::{claim, claim_one, complete, publish_and_claim, settle};
use crate::sample::{at, user};

async fn figures(store: &dyn WebhookStore, millis: i64, max: u32) -> QueueFigures {
    store.queue_figures(at(millis), max).await.expect("the figures must be read")
}

/// Deliveries of all owners that wait or are being sent are counted, for any due time, and ended deliveries are not. No
/// count is above the maximum.
pub async fn deliveries_are_counted_up_to_the_maximum(store: Arc<dyn WebhookStore>) {
    let waiting = async |max| figures(&*store, 1, max).await.waiting;
    assert_eq!(waiting(10).await, 0, "an empty queue");
    let (alice, bob) = (user("alice"), user("bob"));
    subscribed(&*store, &alice).await;
    subscribed(&*store, &bob).await;
    publish(&*store, &[event(&alice), event(&alice), event_at(&alice, at(5_000_000)), event(&bob), event(&bob)]).await;
    assert_eq!(waiting(10).await, 5, "each waits, whenever it is due");
    let held = claim(&*store, 0).await;
    assert_eq!((held.len(), waiting(10).await), (4, 5), "what is being sent has not ended");
    complete(&*store, &[held[0].delivered(1), held[1].failed(1, 9_000)]).await;
    assert_eq!(waiting(10).await, 4, "what was delivered has ended");
    assert_eq!((waiting(4).await, waiting(3).await), (4, 3), "more than the maximum count as the maximum");
}

/// The delivery that has been due longest is found, unless a claim holds it, or its lane is paused or closed.
pub async fn the_oldest_due_delivery_is_found(store: Arc<dyn WebhookStore>) {
    let oldest = async |millis| figures(&*store, millis, 10).await.oldest_due;
    assert_eq!(oldest(0).await, None, "an empty queue");
    let (alice, bob) = (user("alice"), user("bob"));
    subscribed(&*store, &alice).await;
    let lane = subscribed(&*store, &bob).await;
    publish_at(&*store, &alice, at(1_000)).await;
    publish_at(&*store, &bob, at(400)).await;
    assert_eq!(oldest(399).await, None, "nothing is due yet");
    assert_eq!((oldest(400).await, oldest(2_000).await), (Some(at(400)), Some(at(400))), "the oldest of all lanes");
    let held = claim_one(&*store, 400).await;
    assert_eq!(oldest(2_000).await, Some(at(1_000)), "a delivery under a claim does not wait");
    settle(&*store, held.failed(500, 3_000)).await;
    let others = claim_one(&*store, 1_000).await;
    assert_eq!(oldest(2_999).await, None, "one is claimed, the other is due later");
    assert_eq!(oldest(3_000).await, Some(at(3_000)), "a retry counts from its own time");
    settle(&*store, others.delivered(1_001)).await;
    let probe = claim_one(&*store, 3_000).await;
    publish_at(&*store, &bob, at(3_000)).await;
    settle(&*store, probe.held_off(3_001, Duration::from_mins(1))).await;
    assert_eq!(oldest(3_001 + 59_999).await, None, "a paused lane does not wait for us");
    assert_eq!(oldest(3_001 + 60_000).await, Some(at(3_000)), "after the pause it does");
    update(&*store, &lane, &switched(false), at(70_000)).await;
    assert_eq!(oldest(80_000).await, None, "nothing waits in a closed lane");
}

/// Lanes are counted by their state, and subscriptions by their status, up to the maximum of each.
pub async fn lanes_and_subscriptions_are_counted_by_their_states(store: Arc<dyn WebhookStore>) {
    let (alice, bob) = (user("alice"), user("bob"));
    let paused = subscribed(&*store, &alice).await;
    settle(&*store, publish_and_claim(&*store, &alice, 0).await.held_off(1, Duration::from_mins(1))).await;
    let gone = subscribed(&*store, &bob).await;
    settle(&*store, publish_and_claim(&*store, &bob, 2).await.gone(3)).await;
    assert_ne!(paused.id, gone.id);
    let (off, deleted) = (subscribed(&*store, &alice).await, subscribed(&*store, &alice).await);
    update(&*store, &off, &switched(false), at(4)).await;
    subscribed(&*store, &bob).await;
    subscribed(&*store, &bob).await;
    let lanes = async |millis| figures(&*store, millis, 10).await.lanes;
    assert_eq!(lanes(5).await, LaneFigures { open: 3, paused: 1, closed: 2 });
    assert_eq!(lanes(60_001).await, LaneFigures { open: 4, paused: 0, closed: 2 }, "the pause has ended");
    delete(&*store, &deleted, at(5)).await;
    let LaneFigures { open, paused, closed } = lanes(5).await;
    assert!((open, paused) == (2, 1) && (2..=3).contains(&closed), "the lane of a deleted one may be there: {closed}");
    let mut counts = figures(&*store, 5, 10).await.subscriptions;
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    assert_eq!(counts[0], (SubscriptionStatus::Enabled, 3));
    for status in [SubscriptionStatus::DisabledByOwner, SubscriptionStatus::DisabledByService(DisableReason::Gone)] {
        assert!(counts.contains(&(status, 1)), "{status:?}: {counts:?}");
    }
    assert_eq!(counts.len(), 3, "a deleted subscription has no status: {counts:?}");
    let few = figures(&*store, 5, 2).await;
    let LaneFigures { open, paused, closed } = few.lanes;
    assert_eq!(open + paused + closed, 2, "two lanes are counted");
    assert!(few.subscriptions.iter().map(|(_, count)| count).sum::<u32>() <= 2, "two subscriptions are counted");
}
