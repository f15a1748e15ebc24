//! The store fails.

use std::sync::atomic::Ordering;

use dispatcher::DispatcherSettings;
use domain::webhooks::{DeliveryEnd, DeliveryState, SubscriptionChange};

use crate::receivers::well;
use crate::world::{World, millis, pass, seconds};

const URL: &str = "https://receiver.example/";

#[tokio::test(start_paused = true)]
async fn ends_that_cannot_be_stored_are_kept_and_nothing_is_claimed_meanwhile() {
    let (world, _) = World::with_lane(URL).await;
    world.publish(5, None).await;
    let (queue, receivers, running) = world.run(|_| well(), DispatcherSettings::default());
    queue.completions_fail.store(true, Ordering::SeqCst);
    pass(millis(100)).await;
    world.publish(50, None).await;
    let claims = queue.claims.lock().unwrap().len();
    // Longer than the lease: no other dispatcher could claim them either.
    pass(seconds(120)).await;
    assert_eq!(queue.claims.lock().unwrap().len(), claims);
    assert_eq!((receivers.count(), running.dispatcher.counts().unwritten), (5, 5));
    let batches = queue.batches.lock().unwrap().len();
    assert!((20..=35).contains(&batches), "tried {batches} times in two minutes");
    queue.completions_fail.store(false, Ordering::SeqCst);
    pass(seconds(10)).await;
    assert_eq!((world.open().await, receivers.count()), (0, 55), "each is delivered once");
}

#[tokio::test(start_paused = true)]
async fn claims_that_fail_are_repeated_with_growing_waits() {
    let (world, _) = World::with_lane(URL).await;
    world.publish(1, None).await;
    let (queue, receivers, _running) = world.run(|_| well(), DispatcherSettings::default());
    queue.claims_fail.store(true, Ordering::SeqCst);
    pass(seconds(60)).await;
    let claims = queue.claims.lock().unwrap().len();
    assert!((15..=20).contains(&claims), "{claims}");
    queue.claims_fail.store(false, Ordering::SeqCst);
    pass(seconds(6)).await;
    assert_eq!(receivers.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn deliveries_of_a_lane_that_was_closed_elsewhere_end_with_the_poll() {
    let (world, lane) = World::with_lane(URL).await;
    let (queue, _, running) = world.run(|_| well(), DispatcherSettings::default());
    pass(millis(10)).await;
    queue.claims_fail.store(true, Ordering::SeqCst);
    world.publish(3, None).await;
    let disable = SubscriptionChange { enabled: Some(false), ..SubscriptionChange::default() };
    world.change(lane, disable).await;
    pass(millis(1_100)).await;
    for delivery in world.deliveries().await {
        assert!(matches!(delivery.state, DeliveryState::Ended { end: DeliveryEnd::SubscriptionDisabled, .. }));
    }
    assert_eq!(queue.sweeps.lock().unwrap().len(), 2);
    assert_eq!(running.dispatcher.counts().delivered, 0);
}
