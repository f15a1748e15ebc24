//! The claims of publications in the process of a dispatcher.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use dispatcher::{DispatcherSettings, POLL_INTERVAL};
use domain::ports::Attempt;
use domain::webhooks::DeliveryState;
use tokio::time::Instant;

use crate::faulty_queue::{Fair, Fate, Fault, FaultyQueue, Point};
use crate::receivers::{Reaction, Receivers, answer, takes, well};
use crate::world::{Running, World, millis, pass, seconds};

const URL: &str = "https://receiver.example/a";

/// The processes do not know whether their publications are stored.
struct Unsure;

impl Fate for Unsure {
    fn at(&self, point: Point) -> Fault {
        if point == Point::HandedOver { Fault::Fail } else { Fault::None }
    }
}

/// A subscription, and a dispatcher that has found no delivery, and has offered its room.
async fn started(
    fate: Arc<dyn Fate>,
    react: impl Fn(&Attempt) -> Reaction + Send + Sync + 'static,
) -> (Arc<World>, Arc<FaultyQueue>, Arc<Receivers>, Running) {
    let (world, _) = World::with_lane(URL).await;
    let (queue, receivers) = (FaultyQueue::new(&world.store, fate), Receivers::new(react));
    let running = Running::new(world.dispatcher(queue.clone(), receivers.clone(), DispatcherSettings::default()));
    pass(millis(1)).await;
    (world, queue, receivers, running)
}

async fn publish(world: &World, queue: &FaultyQueue, count: usize) {
    world.publish_beside(queue, &world.owner, count, None).await;
}

async fn waiting(world: &World) -> usize {
    let deliveries = world.deliveries().await;
    deliveries.iter().filter(|delivery| matches!(delivery.state, DeliveryState::Waiting(_))).count()
}

#[tokio::test(start_paused = true)]
async fn an_event_that_is_published_beside_it_leaves_without_a_claim() {
    let (world, queue, receivers, running) = started(Arc::new(Fair), |_| well()).await;
    for n in 1..=300 {
        let published = Instant::now();
        publish(&world, &queue, 1).await;
        pass(millis(2)).await;
        let seen = receivers.seen(URL);
        assert_eq!((seen.len(), seen[n - 1].at), (n, published));
    }
    assert_eq!(queue.claims.lock().unwrap().len(), 1, "the one at the start");
    pass(seconds(1)).await;
    assert_eq!((world.open().await, running.dispatcher.counts().overtaken), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn what_there_is_no_room_for_waits_and_comes_later() {
    let (world, queue, receivers, running) = started(Arc::new(Fair), takes(millis(100))).await;
    publish(&world, &queue, 20).await;
    assert_eq!(waiting(&world).await, 12, "a lane takes eight at first");
    pass(millis(1)).await;
    publish(&world, &queue, 20).await;
    assert_eq!(waiting(&world).await, 32, "older deliveries of the lane wait");
    pass(seconds(3)).await;
    assert_eq!((receivers.count(), world.open().await), (40, 0));
    assert_eq!(running.dispatcher.counts().overtaken, 0);
}

#[tokio::test(start_paused = true)]
async fn what_may_not_be_stored_goes_back_and_is_claimed() {
    let (world, queue, receivers, running) = started(Arc::new(Unsure), |_| well()).await;
    publish(&world, &queue, 4).await;
    assert_eq!(waiting(&world).await, 0);
    pass(millis(100)).await;
    assert_eq!((receivers.count(), running.dispatcher.counts().given_back), (0, 4));
    pass(POLL_INTERVAL).await;
    assert_eq!((receivers.count(), world.open().await), (4, 0));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_offered_while_nothing_can_be_taken() {
    let (world, queue, receivers, running) = started(Arc::new(Fair), |_| well()).await;
    let mut expected = 0;
    for is_off in [true, false, true, false] {
        queue.claims_fail.store(is_off, Ordering::SeqCst);
        world.clock.set_certain(!is_off);
        pass(3 * POLL_INTERVAL).await;
        publish(&world, &queue, 1).await;
        assert_eq!(waiting(&world).await, usize::from(is_off));
        expected += 1;
        if !is_off {
            pass(3 * POLL_INTERVAL).await;
            assert_eq!(receivers.count(), expected);
        }
    }
    running.stop.cancel();
    pass(millis(1)).await;
    publish(&world, &queue, 1).await;
    assert_eq!(waiting(&world).await, 1, "a dispatcher that has stopped takes nothing");
}

#[tokio::test(start_paused = true)]
async fn a_dispatcher_that_dies_has_taken_its_offer_back() {
    let (world, queue, _, running) = started(Arc::new(Fair), |_| well()).await;
    running.task.abort();
    pass(millis(1)).await;
    publish(&world, &queue, 1).await;
    assert_eq!(waiting(&world).await, 1);
}

#[tokio::test(start_paused = true)]
async fn a_receiver_that_hangs_does_not_take_the_room_of_others() {
    const OTHER: &str = "https://other.example/a";
    let react = |attempt: &Attempt| match attempt.url.as_str() {
        OTHER => well(),
        _ => Reaction::After(seconds(14), answer(200)),
    };
    let (world, queue, receivers, running) = started(Arc::new(Fair), react).await;
    publish(&world, &queue, 100).await;
    world.subscribe(OTHER).await;
    for n in 1..=20 {
        pass(millis(200)).await;
        publish(&world, &queue, 1).await;
        pass(millis(5)).await;
        queue.hint.notify_one();
        pass(millis(15)).await;
        assert_eq!(receivers.seen(OTHER).len(), n);
    }
    assert_eq!(running.dispatcher.counts().given_back, 0, "nothing is taken that cannot start");
}
