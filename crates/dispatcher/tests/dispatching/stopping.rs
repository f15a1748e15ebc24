//! A graceful stop.

use dispatcher::DispatcherSettings;
use domain::ports::Clock;
use domain::webhooks::{DeliveryEnd, DeliveryState};
use tokio::time::Instant;

use crate::receivers::takes;
use crate::world::{Running, World, millis, pass, seconds};

const URL: &str = "https://receiver.example/";

#[tokio::test(start_paused = true)]
async fn attempts_under_way_end_and_what_has_not_begun_goes_back_at_once() {
    let (world, lane) = World::with_lane(URL).await;
    world.publish(20, Some(lane)).await;
    let (queue, _, running) = world.run(takes(seconds(10)), DispatcherSettings::default());
    pass(seconds(2)).await;
    let claims = queue.claims.lock().unwrap().len();
    running.stop.cancel();
    pass(millis(10)).await;
    let waiting = |state| matches!(state, DeliveryState::Waiting(at) if at <= world.clock.now());
    let deliveries = world.deliveries().await;
    assert_eq!(deliveries.iter().filter(|one| waiting(one.state) && one.attempts == 0).count(), 12);
    let stopping = Instant::now();
    running.task.await.unwrap();
    assert!(stopping.elapsed() < seconds(9), "it does not wait out the grace: {:?}", stopping.elapsed());
    let delivered = |state| matches!(state, DeliveryState::Ended { end: DeliveryEnd::Delivered, .. });
    assert_eq!(world.deliveries().await.iter().filter(|one| delivered(one.state)).count(), 8);
    assert_eq!(queue.claims.lock().unwrap().len(), claims, "nothing is claimed any more");
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_outlasts_the_grace_counts_and_is_due_again() {
    let (world, lane) = World::with_lane(URL).await;
    world.publish(1, Some(lane)).await;
    let settings = DispatcherSettings { stop_grace: seconds(5), ..DispatcherSettings::default() };
    let (queue, receivers, running) = world.run(takes(seconds(14)), settings.clone());
    pass(seconds(1)).await;
    running.stop.cancel();
    let stopping = Instant::now();
    running.task.await.unwrap();
    assert!((seconds(5)..millis(5_100)).contains(&stopping.elapsed()));
    assert_eq!((receivers.in_flight(URL), running.dispatcher.counts().cut_off), (0, 1));
    let delivery = &world.deliveries().await[0];
    assert!(matches!(delivery.state, DeliveryState::Waiting(at) if at <= world.clock.now()), "{delivery:?}");
    assert_eq!(delivery.attempts, 1, "the receiver may have got it");

    let _running = Running::new(world.dispatcher(queue, receivers.clone(), settings));
    pass(seconds(16)).await;
    assert_eq!((receivers.count(), world.open().await), (2, 0));
    assert_eq!(world.deliveries().await[0].attempts, 2);
}

#[tokio::test(start_paused = true)]
async fn an_idle_dispatcher_stops_at_once() {
    let world = World::new(1);
    let (_, _, running) = world.run(takes(seconds(1)), DispatcherSettings::default());
    pass(seconds(1)).await;
    running.stop.cancel();
    let stopping = Instant::now();
    running.task.await.unwrap();
    assert!(stopping.elapsed() < millis(2));
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_in_time_even_if_nothing_can_be_stored() {
    let (world, lane) = World::with_lane(URL).await;
    world.publish(1, Some(lane)).await;
    let (queue, _, running) = world.run(takes(seconds(1)), DispatcherSettings::default());
    pass(millis(500)).await;
    queue.completions_fail.store(true, std::sync::atomic::Ordering::SeqCst);
    running.stop.cancel();
    let stopping = Instant::now();
    running.task.await.unwrap();
    assert!(stopping.elapsed() <= seconds(26), "{:?}", stopping.elapsed());
    assert_eq!(world.open().await, 1, "its lease will run out");
}
