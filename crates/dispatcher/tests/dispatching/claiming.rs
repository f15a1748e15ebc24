//! When due deliveries are claimed, and how many at a time.

use dispatcher::{DispatcherSettings, POLL_INTERVAL};
use tokio::task::yield_now;
use tokio::time::Instant;

use crate::receivers::{takes, well};
use crate::world::{World, millis, pass, seconds};

const URL: &str = "https://receiver.example/a";

#[tokio::test(start_paused = true)]
async fn a_hint_is_followed_at_once() {
    let (world, _) = World::with_lane(URL).await;
    let (queue, receivers, _running) = world.run(|_| well(), DispatcherSettings::default());
    for n in 0..20 {
        pass(millis(37)).await;
        world.publish(1, None).await;
        queue.hint.notify_one();
        let published = Instant::now();
        pass(millis(2)).await;
        let seen = receivers.seen(URL);
        assert_eq!(seen.len(), n + 1);
        assert_eq!(seen[n].at, published, "no time passes between the hint and the attempt");
    }
    let claims = queue.claims.lock().unwrap().len();
    assert!(claims <= 22, "one claim for each hint, one at the start, and one for the poll: {claims}");
}

#[tokio::test(start_paused = true)]
async fn events_that_come_one_by_one_do_not_wait_for_each_other() {
    let (world, _) = World::with_lane(URL).await;
    let (queue, receivers, _running) = world.run(|_| well(), DispatcherSettings::default());
    pass(millis(10)).await;
    let published = Instant::now();
    for n in 1..=3 {
        world.publish(1, None).await;
        queue.hint.notify_one();
        for _ in 0..20 {
            yield_now().await;
        }
        assert_eq!(receivers.count(), n);
    }
    assert_eq!(Instant::now(), published);
}

#[tokio::test(start_paused = true)]
async fn without_a_hint_the_poll_finds_it() {
    let (world, _) = World::with_lane(URL).await;
    let (_, receivers, _running) = world.run(|_| well(), DispatcherSettings::default());
    pass(millis(10)).await;
    world.publish(1, None).await;
    pass(POLL_INTERVAL).await;
    assert_eq!(receivers.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_claimed_or_swept_while_the_clock_is_uncertain() {
    let (world, _) = World::with_lane(URL).await;
    world.publish(1, None).await;
    world.clock.set_certain(false);
    let (queue, receivers, _running) = world.run(|_| well(), DispatcherSettings::default());
    for _ in 0..10 {
        queue.hint.notify_one();
        pass(POLL_INTERVAL).await;
    }
    assert_eq!((queue.claims.lock().unwrap().len(), queue.sweeps.lock().unwrap().len()), (0, 0));
    world.clock.set_certain(true);
    pass(2 * POLL_INTERVAL).await;
    assert_eq!(receivers.count(), 1);
    assert!(!queue.sweeps.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_event_that_comes_while_ends_are_gathered_waits_for_none_of_them() {
    let (world, _) = World::with_lane(URL).await;
    let (queue, receivers, _running) = world.run(takes(millis(1)), DispatcherSettings::default());
    pass(millis(10)).await;
    for _ in 0..2 {
        world.publish(1, None).await;
        queue.hint.notify_one();
        pass(millis(2)).await;
    }
    assert_eq!(receivers.count(), 2);
    assert!(queue.batches.lock().unwrap().is_empty(), "the first end is still waiting for others");
    pass(millis(20)).await;
    assert_eq!(queue.batches.lock().unwrap().iter().map(|(_, size)| *size).collect::<Vec<_>>(), [2]);
}

#[tokio::test(start_paused = true)]
async fn a_backlog_is_claimed_while_the_attempts_before_it_run() {
    let (world, lane) = World::with_lane(URL).await;
    world.publish(400, Some(lane)).await;
    let (queue, receivers, _running) = world.run(takes(millis(20)), DispatcherSettings::default());
    pass(millis(1)).await;
    assert_eq!(receivers.in_flight(URL), 8, "a new lane starts with eight at a time");
    // Whenever attempts end, others begin in the same instant: eight, then up to nine, and so on.
    for n in 1..=10 {
        pass(millis(20)).await;
        assert_eq!(receivers.in_flight(URL), 8 + n);
    }
    pass(millis(600)).await;
    assert_eq!(world.open().await, 0);
    let claims = queue.claims.lock().unwrap().len();
    assert!(claims < 60, "400 deliveries in {claims} claims");
}

#[tokio::test(start_paused = true)]
async fn a_full_lane_is_asked_for_nothing_and_its_next_event_leaves_when_a_place_is_free() {
    let (world, lane) = World::with_lane(URL).await;
    let (queue, receivers, _running) = world.run(takes(seconds(10)), DispatcherSettings::default());
    world.publish(17, Some(lane)).await;
    pass(seconds(3)).await;
    let last = queue.claims.lock().unwrap().last().unwrap().1.clone();
    assert!(last.rooms.contains(&(lane, 0)), "eight are under way");
    let began = Instant::now();
    pass(seconds(18)).await;
    let seen = receivers.seen(URL);
    assert_eq!(seen.len(), 17);
    assert!(seen[16].at < began + seconds(18));
}

#[tokio::test(start_paused = true)]
async fn what_does_not_start_soon_is_given_back_and_less_is_claimed() {
    let (world, lane) = World::with_lane(URL).await;
    world.publish(16, Some(lane)).await;
    // Eight are claimed at once, and seven of them would wait for 14 s and longer.
    let settings = DispatcherSettings { concurrency_per_host: 1, ..DispatcherSettings::default() };
    let (_, receivers, running) = world.run(takes(seconds(14)), settings);
    pass(millis(900)).await;
    assert_eq!(running.dispatcher.counts().given_back, 0);
    pass(millis(1_300)).await;
    assert_eq!(running.dispatcher.counts().given_back, 7);
    pass(seconds(10)).await;
    let counts = running.dispatcher.counts();
    assert_eq!((counts.given_back, counts.waiting), (7 + 3 + 1, 0), "each time half as many were claimed");
    pass(seconds(14 * 16)).await;
    assert_eq!((world.open().await, receivers.count()), (0, 16), "none is sent twice");
    assert_eq!(running.dispatcher.counts().overtaken, 0, "and none outlives its claim");
}

#[tokio::test(start_paused = true)]
async fn a_secret_before_a_rotation_signs_as_long_as_it_overlaps() {
    let (world, lane) = World::with_lane(URL).await;
    let (_, receivers, _running) = world.run(|_| well(), DispatcherSettings::default());
    world.rotate_secret(lane, seconds(5)).await;
    for secrets in [&["rotated", "swordfish"][..], &["rotated"]] {
        world.publish(1, None).await;
        pass(seconds(6)).await;
        assert_eq!(receivers.seen(URL).last().unwrap().secrets, secrets);
    }
}
