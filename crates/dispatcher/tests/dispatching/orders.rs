//! Subscriptions with an order: one delivery after the other, whatever fails.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dispatcher::DispatcherSettings;
use domain::SubscriptionId;
use domain::ports::{Attempt, SubscriptionStore};
use domain::webhooks::{DisableReason, OnExhausted, RetrySchedule, SubscriptionStatus};

use crate::faulty_queue::{Fair, FaultyQueue};
use crate::receivers::{Reaction, Receivers, Seen, answer, takes, well};
use crate::world::{Running, World, millis, pass, seconds};

const URL: &str = "https://receiver.example/a";
const OTHER_URL: &str = "https://other.example/b";

async fn in_order(world: &World, order: OnExhausted) -> SubscriptionId {
    world.subscribe_in_order(&world.owner, URL, Some(order)).await
}

fn numbers(seen: &[Seen]) -> Vec<u64> {
    seen.iter().filter_map(|one| one.sequence).collect()
}

/// Two attempts, two seconds apart.
fn settings() -> DispatcherSettings {
    DispatcherSettings { schedule: RetrySchedule::new(vec![seconds(2)]).unwrap(), ..DispatcherSettings::default() }
}

#[tokio::test(start_paused = true)]
async fn three_dispatchers_keep_an_order_together() {
    let world = World::new(1);
    let lane = in_order(&world, OnExhausted::Skip).await;
    world.publish(200, Some(lane)).await;
    // Each fifth number fails at its first attempt.
    let failed = std::sync::Mutex::new(std::collections::BTreeSet::new());
    let receivers = Receivers::new(move |attempt| {
        let number = attempt.sequence.unwrap();
        let fails = number % 5 == 0 && failed.lock().unwrap().insert(number);
        if fails { Reaction::After(millis(10), answer(500)) } else { well() }
    });
    let queues = [(); 3].map(|()| FaultyQueue::new(&world.store, Arc::new(Fair)));
    let _running = queues.map(|queue| Running::new(world.dispatcher(queue, receivers.clone(), settings())));
    pass(seconds(300)).await;
    let expected: Vec<u64> = (1..=200).flat_map(|number| vec![number; if number % 5 == 0 { 2 } else { 1 }]).collect();
    assert_eq!(numbers(&receivers.seen(URL)), expected);
    assert_eq!(receivers.most(URL), 1, "one at a time");
}

#[tokio::test(start_paused = true)]
async fn a_quick_receiver_gets_a_thousand_in_a_second_in_order() {
    let world = World::new(1);
    let lane = in_order(&world, OnExhausted::Skip).await;
    world.publish(3_000, Some(lane)).await;
    let (queue, receivers, _running) = world.run(takes(std::time::Duration::from_micros(200)), settings());
    pass(seconds(3)).await;
    let seen = numbers(&receivers.seen(URL));
    assert!(seen.is_sorted() && seen.len() >= 2_500, "{} in three seconds", seen.len());
    let claims = queue.claims.lock().unwrap().len();
    assert!(claims <= 150, "{claims} claims");
}

#[tokio::test(start_paused = true)]
async fn a_delivery_that_fails_holds_up_its_lane_alone() {
    let world = World::new(1);
    let (lane, other) = (in_order(&world, OnExhausted::Skip).await, world.subscribe(OTHER_URL).await);
    for to in [lane, other] {
        world.publish(20, Some(to)).await;
    }
    let is_well = Arc::new(AtomicBool::new(false));
    let mended = Arc::clone(&is_well);
    let react = move |attempt: &Attempt| {
        let fails = attempt.sequence == Some(3) && !mended.load(Ordering::SeqCst);
        if fails { Reaction::After(millis(10), answer(500)) } else { well() }
    };
    let (queue, receivers, _running) = world.run(react, settings());
    pass(millis(1_500)).await;
    assert_eq!(numbers(&receivers.seen(URL)), [1, 2, 3], "the others wait for the retry of 3");
    assert_eq!(receivers.seen(OTHER_URL).len(), 20);
    let claims = queue.claims.lock().unwrap().len();
    pass(seconds(30)).await;
    let seen = numbers(&receivers.seen(URL));
    assert_eq!(seen[..5], [1, 2, 3, 3, 4], "3 is skipped after two attempts");
    assert_eq!(seen.last(), Some(&20));
    let claims = queue.claims.lock().unwrap().len() - claims;
    assert!(claims <= 60, "{claims} claims in 30 seconds: a lane that waits is not asked again and again");
}

#[tokio::test(start_paused = true)]
async fn an_order_that_stops_disables_its_subscription() {
    let world = World::new(1);
    let lane = in_order(&world, OnExhausted::Stop).await;
    world.publish(6, Some(lane)).await;
    let react = |attempt: &Attempt| match attempt.sequence {
        Some(4) => Reaction::After(millis(10), answer(503)),
        _ => well(),
    };
    let (_, receivers, _running) = world.run(react, settings());
    pass(seconds(60)).await;
    assert_eq!(numbers(&receivers.seen(URL)), [1, 2, 3, 4, 4]);
    let (subscription, _) = world.store.find(&world.owner, lane).await.unwrap().unwrap();
    assert_eq!(subscription.status, SubscriptionStatus::DisabledByService(DisableReason::OrderStopped));
}
