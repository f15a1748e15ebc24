//! Subscriptions with a rate: claims follow each other as the rate allows, and their deliveries start at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dispatcher::DispatcherSettings;
use domain::webhooks::DeliveryRate;

use crate::faulty_queue::{Fair, Fate, Fault, FaultyQueue, Point};
use crate::receivers::{Receivers, Seen, takes, well};
use crate::world::{Running, World, millis, pass, seconds};

const URL: &str = "https://receiver.example/a";
const OTHER_URL: &str = "https://other.example/b";

fn rate(per_second: f64) -> DeliveryRate {
    DeliveryRate::new(per_second).unwrap()
}

/// The most attempts that began within a second.
fn most_in_a_second(seen: &[Seen]) -> usize {
    let from = |first: &Seen| seen.iter().filter(|one| (first.at..first.at + seconds(1)).contains(&one.at)).count();
    seen.iter().map(from).max().unwrap_or(0)
}

#[tokio::test(start_paused = true)]
async fn three_dispatchers_keep_a_rate_together() {
    for (per_second, count, duration) in [(0.5, 8, 15), (7.0, 70, 10), (33.0, 330, 10), (1_000.0, 2_000, 2)] {
        let (world, lane) = World::with_lane(URL).await;
        world.set_rate(lane, Some(rate(per_second))).await;
        world.publish(count, Some(lane)).await;
        let receivers = Receivers::new(|_| well());
        let queues = [(); 3].map(|()| FaultyQueue::new(&world.store, Arc::new(Fair)));
        let settings = DispatcherSettings::default;
        let _running = queues.clone().map(|queue| Running::new(world.dispatcher(queue, receivers.clone(), settings())));
        pass(seconds(duration)).await;
        let seen = receivers.seen(URL);
        let most = u32::try_from(most_in_a_second(&seen)).unwrap();
        assert!(f64::from(most) <= 1.1 * per_second + 1.0, "{most} in a second at {per_second}");
        assert!(seen.len() * 20 >= count * 19, "{} of {count} at {per_second}", seen.len());
        let claims: usize = queues.iter().map(|queue| queue.claims.lock().unwrap().len()).sum();
        let most = 10 + 4 * usize::try_from(duration).unwrap() + count;
        assert!(claims <= most, "{claims} claims at {per_second}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_rate_holds_up_no_other_lane_and_its_end_is_at_once() {
    let world = World::new(1);
    let (lane, other) = (world.subscribe(URL).await, world.subscribe(OTHER_URL).await);
    world.set_rate(lane, Some(rate(0.5))).await;
    for to in [lane, other] {
        world.publish(300, Some(to)).await;
    }
    let (queue, receivers, _running) = world.run(|_| well(), DispatcherSettings::default());
    pass(millis(900)).await;
    assert_eq!((receivers.seen(URL).len(), receivers.seen(OTHER_URL).len()), (1, 300));
    let claims = queue.claims.lock().unwrap().len();
    pass(seconds(8)).await;
    assert_eq!(receivers.seen(URL).len(), 5);
    let claims = queue.claims.lock().unwrap().len() - claims;
    assert!(claims <= 20, "{claims} claims in eight seconds: a poll each, and one at the end of each rest");
    world.set_rate(lane, None).await;
    queue.hint.notify_one();
    pass(millis(900)).await;
    assert_eq!(receivers.seen(URL).len(), 300);
}

#[tokio::test(start_paused = true)]
async fn a_slow_receiver_is_limited_by_both_its_cap_and_its_rate() {
    for (per_second, expected) in [(1.0, 20..=21), (1_000.0, 100..=130)] {
        let (world, lane) = World::with_lane(URL).await;
        world.set_rate(lane, Some(rate(per_second))).await;
        world.publish(200, Some(lane)).await;
        let (_, receivers, running) = world.run(takes(seconds(2)), DispatcherSettings::default());
        pass(millis(19_900)).await;
        let count = receivers.count();
        assert!(expected.contains(&count), "{count} at {per_second}");
        assert_eq!(running.dispatcher.counts().given_back, 0, "no more are claimed than can start");
    }
}

/// Delays the answer to one claim.
struct LateOnce(AtomicBool);

impl Fate for LateOnce {
    fn at(&self, point: Point) -> Fault {
        let is_late = point == Point::AfterClaim && !self.0.swap(true, Ordering::SeqCst);
        if is_late { Fault::Delay(millis(100)) } else { Fault::None }
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_late_claim_took_goes_back_without_an_attempt() {
    let world = World::new(1);
    let (lane, other) = (world.subscribe(URL).await, world.subscribe(OTHER_URL).await);
    world.set_rate(lane, Some(rate(20.0))).await;
    world.publish(1, None).await;
    let fate = Arc::new(LateOnce(AtomicBool::new(false)));
    let (queue, receivers) = (FaultyQueue::new(&world.store, fate), Receivers::new(|_| well()));
    let running = Running::new(world.dispatcher(queue, receivers.clone(), DispatcherSettings::default()));
    pass(millis(101)).await;
    assert_eq!((receivers.seen(URL).len(), receivers.seen(OTHER_URL).len()), (0, 1), "{lane}, not {other}");
    assert_eq!(running.dispatcher.counts().given_back, 1);
    pass(seconds(2)).await;
    assert_eq!(receivers.seen(URL).len(), 1);
    let attempts: Vec<u32> = world.deliveries().await.iter().map(|one| one.attempts).collect();
    assert_eq!(attempts, [1, 1]);
}
