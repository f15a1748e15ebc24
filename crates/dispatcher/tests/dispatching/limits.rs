//! The limits of attempts at a time, and the turns.

use std::sync::Arc;

use dispatcher::DispatcherSettings;
use domain::ports::{Attempt, DeliveryLog};
use domain::webhooks::{DeliveryEnd, DeliveryState};
use tokio::time::Instant;

use crate::faulty_queue::{Fate, Fault, FaultyQueue, Point};
use crate::receivers::{Reaction, Receivers, answer, takes, well};
use crate::world::{Running, World, millis, pass, seconds};

#[tokio::test(start_paused = true)]
async fn a_receiver_that_takes_everything_gets_up_to_128_at_a_time() {
    let (world, _) = World::with_lane("https://receiver.example/a").await;
    for _ in 0..24 {
        world.publish(500, None).await;
    }
    let (_, receivers, _running) = world.run(|_| well(), DispatcherSettings::default());
    pass(seconds(4)).await;
    assert_eq!(world.open().await, 0);
    assert_eq!(receivers.most("all"), 128);
}

#[tokio::test(start_paused = true)]
async fn subscriptions_of_one_host_share_its_limit_fairly() {
    let world = World::new(1);
    let urls: Vec<String> = (0..10).map(|n| format!("https://receiver.example/{n}")).collect();
    for url in &urls {
        world.subscribe(url).await;
    }
    world.publish(30, None).await;
    // One owner may take three quarters of the places of a host: 20.
    let settings = DispatcherSettings { concurrency_per_host: 26, ..DispatcherSettings::default() };
    let (_, receivers, _running) = world.run(takes(millis(100)), settings);
    pass(millis(750)).await;
    let counts: Vec<usize> = urls.iter().map(|url| receivers.seen(url).len()).collect();
    assert_eq!(counts.iter().sum::<usize>(), 8 * 20, "eight rounds of as many as the owner may have there");
    assert!(counts.iter().all(|count| (14..=18).contains(count)), "{counts:?}");
    pass(seconds(1)).await;
    assert_eq!(receivers.most("receiver.example"), 20);
    assert_eq!(world.open().await, 0, "none is forgotten at the full host");
}

/// A claim that has no room for more payloads is followed by another as soon as there is room.
#[tokio::test(start_paused = true)]
async fn payloads_of_claimed_deliveries_keep_within_the_memory() {
    let (world, lanes) = World::with_lanes(12).await;
    let (queue, _, running) = world.run(takes(millis(20)), DispatcherSettings::default());
    for round in 0..3 {
        for lane in &lanes {
            world.publish_large(6, 1024 * 1024, *lane).await;
        }
        queue.hint.notify_one();
        let mut most = 0;
        for _ in 0..200 {
            pass(millis(1)).await;
            let counts = running.dispatcher.counts();
            most = most.max(counts.in_flight + counts.waiting);
        }
        assert_eq!(most, 64, "64 MiB of payloads are claimed at a time");
        assert_eq!(world.open().await, 0, "round {round}: a claim that was full is followed by another");
    }
}

#[tokio::test(start_paused = true)]
async fn all_attempts_together_keep_within_the_limit() {
    let (world, _) = World::with_lanes(30).await;
    world.publish(10, None).await;
    // One owner may take three quarters of the places: 25.
    let settings = DispatcherSettings { concurrency: 33, ..DispatcherSettings::default() };
    let (_, receivers, running) = world.run(|_| well(), settings);
    pass(seconds(2)).await;
    assert_eq!((world.open().await, receivers.most("all")), (0, 25));
    assert_eq!(running.dispatcher.counts().delivered, 300);
}

/// Storing takes longer than the interval between claims.
struct SlowToStore;

impl Fate for SlowToStore {
    fn at(&self, point: Point) -> Fault {
        if point == Point::BeforeComplete { Fault::Delay(millis(20)) } else { Fault::None }
    }
}

#[tokio::test(start_paused = true)]
async fn lanes_that_wait_for_a_slow_store_are_claimed_when_it_is_done() {
    let (world, _) = World::with_lanes(30).await;
    world.publish(10, None).await;
    let (queue, receivers) = (FaultyQueue::new(&world.store, Arc::new(SlowToStore)), Receivers::new(|_| well()));
    let settings = DispatcherSettings { concurrency: 33, ..DispatcherSettings::default() };
    let running = Running::new(world.dispatcher(queue, receivers, settings));
    pass(millis(500)).await;
    assert_eq!(running.dispatcher.counts().delivered, 300);
}

#[tokio::test(start_paused = true)]
async fn a_hanging_receiver_with_a_backlog_delays_nobody() {
    const HEALTHY: &str = "https://healthy.example/";
    let (world, dead) = World::with_lane("https://dead.example/").await;
    let healthy = world.subscribe(HEALTHY).await;
    world.publish(1_000, Some(dead)).await;
    let react = |attempt: &Attempt| match attempt.url.as_str() {
        HEALTHY => well(),
        _ => Reaction::After(seconds(15), answer(504)),
    };
    let (queue, receivers, _running) = world.run(react, DispatcherSettings::default());
    for n in 0..100 {
        pass(millis(170)).await;
        world.publish(1, Some(healthy)).await;
        queue.hint.notify_one();
        let published = Instant::now();
        pass(millis(5)).await;
        assert_eq!(receivers.seen(HEALTHY).get(n).map(|seen| seen.at), Some(published));
    }
}

#[tokio::test(start_paused = true)]
async fn what_waits_in_memory_is_given_back_when_the_lane_pauses() {
    let (world, lane) = World::with_lane("https://receiver.example/").await;
    world.publish(40, Some(lane)).await;
    let began = Instant::now();
    let react = move |_: &Attempt| {
        let status = if began.elapsed() < millis(40) { 200 } else { 500 };
        Reaction::After(millis(50), answer(status))
    };
    let (_, receivers, running) = world.run(react, DispatcherSettings::default());
    pass(seconds(29)).await;
    let attempts = receivers.count();
    assert_eq!(attempts, 8 + 9, "those that were under way when it tripped");
    let counts = running.dispatcher.counts();
    assert_eq!((counts.delivered, counts.failed, counts.waiting), (8, 9, 0));
    assert!(counts.given_back >= 8, "{counts:?}");
    // After the pause of 30 s one probes; it fails, and the lane pauses for a minute.
    pass(seconds(60)).await;
    assert_eq!(receivers.count(), attempts + 1);
    assert!(world.deliveries().await.iter().all(|delivery| delivery.attempts <= 2), "giving back counts no attempt");
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_succeeds_opens_the_lane_at_once() {
    let (world, lane) = World::with_lane("https://receiver.example/").await;
    world.publish(40, Some(lane)).await;
    let began = Instant::now();
    let react = move |_: &Attempt| {
        let status = if began.elapsed() < seconds(10) { 500 } else { 200 };
        Reaction::After(millis(10), answer(status))
    };
    let (_, receivers, _running) = world.run(react, DispatcherSettings::default());
    pass(seconds(30)).await;
    assert_eq!(receivers.count(), 8);
    pass(seconds(2)).await;
    let seen = receivers.seen("https://receiver.example/");
    let (probe, next) = (seen[8].at, seen[9].at);
    assert!(next - probe < millis(20), "the next leave {:?} after the probe began", next - probe);
    assert_eq!(world.open().await, 0);
}

#[tokio::test(start_paused = true)]
async fn a_receiver_that_is_gone_gets_nothing_more() {
    let (world, lane) = World::with_lane("https://receiver.example/").await;
    world.publish(100, Some(lane)).await;
    let (_, receivers, _running) =
        world.run(|_| Reaction::After(millis(10), answer(410)), DispatcherSettings::default());
    pass(seconds(3)).await;
    assert_eq!(receivers.count(), 8);
    for delivery in world.deliveries().await {
        let DeliveryState::Ended { end, .. } = delivery.state else { panic!("{delivery:?} has not ended") };
        assert_eq!(end, DeliveryEnd::SubscriptionDisabled);
        let history = DeliveryLog::find(&*world.store, &world.owner, delivery.id).await.unwrap().unwrap();
        assert_eq!(history.attempts.len(), delivery.attempts as usize);
    }
}
