//! The outcomes of attempts are counted by the hour.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dispatcher::{COUNT_INTERVAL, DispatcherSettings};
use domain::ports::{Attempt, Clock, DeliveryLog, OutcomesRequest};
use domain::webhooks::RetrySchedule;
use domain::{HourRange, SubscriptionId};

use crate::faulty_queue::{Fate, Fault, FaultyQueue, Point};
use crate::receivers::{Reaction, Receivers, answer};
use crate::world::{Running, World, millis, pass, seconds};

const GOOD: &str = "https://good.example/";
const BAD: &str = "https://bad.example/";
const GONE: &str = "https://gone.example/";

fn react(attempt: &Attempt) -> Reaction {
    let status = match attempt.url.as_str() {
        BAD => 500,
        GONE => 410,
        _ => 200,
    };
    Reaction::After(millis(10), answer(status))
}

/// Three attempts, 4 s and 6 s apart.
fn three_attempts() -> DispatcherSettings {
    let schedule = RetrySchedule::new(vec![seconds(4), seconds(6)]).unwrap();
    DispatcherSettings { schedule, ..DispatcherSettings::default() }
}

/// The sums of the last two hours: delivered, retried, exhausted.
async fn stored(world: &World, lane: SubscriptionId) -> [u64; 3] {
    let hours = HourRange::until(world.clock.now(), 2);
    let request = OutcomesRequest { owner: world.owner.clone(), subscription: Some(lane), hours };
    let counts = world.store.outcomes(&request).await.unwrap().unwrap();
    let counts = counts.into_values().map(<[u64; 3]>::from);
    counts.fold([0; 3], |sum, counts| [sum[0] + counts[0], sum[1] + counts[1], sum[2] + counts[2]])
}

#[tokio::test(start_paused = true)]
async fn each_attempt_is_counted_with_its_outcome() {
    let world = World::new(1);
    let [good, bad, gone] = [world.subscribe(GOOD).await, world.subscribe(BAD).await, world.subscribe(GONE).await];
    world.publish(3, Some(good)).await;
    world.publish(1, Some(bad)).await;
    world.publish(1, Some(gone)).await;
    let (_, _, running) = world.run(react, three_attempts());
    pass(seconds(1)).await;
    assert_eq!(stored(&world, good).await, [0; 3], "nothing is written before the round");
    pass(COUNT_INTERVAL).await;
    assert_eq!(stored(&world, good).await, [3, 0, 0]);
    assert_eq!(stored(&world, bad).await, [0, 1, 0]);
    assert_eq!(stored(&world, gone).await, [0, 0, 1]);
    pass(seconds(60)).await;
    assert_eq!(stored(&world, bad).await, [0, 2, 1], "two that were tried again, and the last one");
    world.publish(2, Some(good)).await;
    pass(millis(100)).await;
    running.stop.cancel();
    running.task.await.unwrap();
    assert_eq!(stored(&world, good).await, [5, 0, 0], "the shutdown writes what waits");
}

/// Refuses counts while it is switched on.
struct RefusesCounts(Arc<AtomicBool>);

impl Fate for RefusesCounts {
    fn at(&self, point: Point) -> Fault {
        if point == Point::BeforeCount && self.0.load(Ordering::SeqCst) { Fault::Fail } else { Fault::None }
    }
}

#[tokio::test(start_paused = true)]
async fn a_failing_store_delays_counts_but_neither_loses_them_nor_holds_up_deliveries() {
    let (world, good) = World::with_lane(GOOD).await;
    let refuses = Arc::new(AtomicBool::new(true));
    let queue = FaultyQueue::new(&world.store, Arc::new(RefusesCounts(refuses.clone())));
    let _running = Running::new(world.dispatcher(queue, Receivers::new(react), three_attempts()));
    for _ in 0..3 {
        world.publish(2, Some(good)).await;
        pass(2 * COUNT_INTERVAL).await;
    }
    assert_eq!((world.open().await, stored(&world, good).await), (0, [0; 3]));
    refuses.store(false, Ordering::SeqCst);
    pass(2 * COUNT_INTERVAL).await;
    assert_eq!(stored(&world, good).await, [6, 0, 0]);
}
