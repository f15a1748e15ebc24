//! Faults of Gatepost: they do not count as attempts, and they end with the schedule.

use std::sync::Arc;

use dispatcher::{Dispatcher, DispatcherPorts, DispatcherSettings};
use domain::SealingKeys;
use domain::ports::{Attempt, Clock};
use domain::webhooks::{AttemptOutcome, DeliveryEnd, DeliveryState, OurFault, RetrySchedule};
use tokio::time::Instant;
use zeroize::Zeroizing;

use crate::faulty_queue::{Fair, FaultyQueue};
use crate::receivers::{Reaction, Receivers, well};
use crate::world::{Running, World, millis, pass, seconds};

const URL: &str = "https://receiver.example/";

fn our_fault() -> Reaction {
    Reaction::After(millis(10), AttemptOutcome::NotCharged(OurFault::Resolver))
}

/// A dispatcher that cannot open the secrets of the world.
fn without_the_key(world: &World, queue: Arc<FaultyQueue>, sender: Arc<Receivers>) -> Running {
    let keys = Arc::new(SealingKeys::new(vec![Zeroizing::new([8; 32])]).unwrap());
    let (clock, entropy) = (world.clock.clone(), world.entropy.clone());
    let ports = DispatcherPorts { queue, sender, keys, clock, entropy, tracer: None };
    Running::new(Dispatcher::new(ports, DispatcherSettings::default()))
}

#[tokio::test(start_paused = true)]
async fn our_faults_are_repeated_ever_more_seldom_and_count_as_no_attempt() {
    let (world, lane) = World::with_lane(URL).await;
    world.publish(50, Some(lane)).await;
    let began = Instant::now();
    let react = move |_: &Attempt| if began.elapsed() < seconds(600) { our_fault() } else { well() };
    let (_, receivers, running) = world.run(react, DispatcherSettings::default());
    pass(seconds(599)).await;
    // After 1, 2, 4 … 256 s: ten rounds of eight.
    assert!((60..=80).contains(&receivers.count()), "{}", receivers.count());
    assert_eq!(running.dispatcher.counts().failed, 0);
    pass(seconds(600)).await;
    let deliveries = world.deliveries().await;
    assert!(deliveries.iter().all(|delivery| delivery.attempts == 1 && is_ended_as(delivery, DeliveryEnd::Delivered)));
}

#[tokio::test(start_paused = true)]
async fn a_fault_of_ours_that_outlasts_the_schedule_ends_with_it() {
    let (world, lane) = World::with_lane(URL).await;
    world.publish(3, Some(lane)).await;
    let schedule = RetrySchedule::new(Vec::new()).unwrap();
    let settings = DispatcherSettings { schedule, ..DispatcherSettings::default() };
    let _running = world.run(|_| our_fault(), settings);
    pass(seconds(20)).await;
    assert_eq!(world.open().await, 3);
    world.clock.jump(3 * 24 * 3_600_000);
    pass(seconds(20)).await;
    assert!(world.deliveries().await.iter().all(|delivery| is_ended_as(delivery, DeliveryEnd::ScheduleSpent)));
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_signed_waits_and_leaves_when_it_can() {
    let (world, lane) = World::with_lane(URL).await;
    world.publish(3, Some(lane)).await;
    let (queue, receivers) = (FaultyQueue::new(&world.store, Arc::new(Fair)), Receivers::new(|_| well()));
    let running = without_the_key(&world, queue.clone(), receivers.clone());
    pass(seconds(3_600)).await;
    assert_eq!(receivers.count(), 0);
    assert!(world.deliveries().await.iter().all(|delivery| delivery.attempts == 0));
    let given_back = running.dispatcher.counts().given_back;
    assert!(given_back < 3 * 25, "in an hour each was tried {given_back} / 3 times");
    drop(running);
    let _running = Running::new(world.dispatcher(queue, receivers, DispatcherSettings::default()));
    pass(seconds(301)).await;
    assert_eq!(world.open().await, 0);
}

/// While an encryption key is rolled, some processes may not have the key of a secret yet.
#[tokio::test(start_paused = true)]
async fn what_one_process_cannot_sign_another_sends_within_seconds() {
    let (world, lane) = World::with_lane(URL).await;
    let (queue, receivers) = (FaultyQueue::new(&world.store, Arc::new(Fair)), Receivers::new(|_| well()));
    world.publish(3, Some(lane)).await;
    let _without_the_key = without_the_key(&world, queue.clone(), receivers.clone());
    pass(seconds(400)).await;
    assert_eq!(receivers.count(), 0);
    let _with_the_key = Running::new(world.dispatcher(queue, receivers, DispatcherSettings::default()));
    for round in 0..100 {
        pass(millis(3_000)).await;
        assert_eq!(world.open().await, 0, "round {round}");
        world.publish(2, Some(lane)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_delivery_at_which_the_sender_breaks_each_time_comes_to_an_end() {
    let (world, lane) = World::with_lane(URL).await;
    world.publish(1, Some(lane)).await;
    let (_, receivers, _running) = world.run(|_| Reaction::Panic, DispatcherSettings::default());
    pass(seconds(2 * 3_600)).await;
    assert_eq!(receivers.count(), 10, "as many as the schedule has");
    assert!(is_ended_as(&world.deliveries().await[0], DeliveryEnd::ScheduleSpent));
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_never_ends_is_cut_off_before_its_claim_does() {
    let (world, lane) = World::with_lane(URL).await;
    world.publish(1, Some(lane)).await;
    let (_, _, running) = world.run(|_| Reaction::Never, DispatcherSettings::default());
    let began = world.clock.now();
    pass(millis(20_500)).await;
    let counts = running.dispatcher.counts();
    assert_eq!((counts.failed, counts.in_flight, counts.cut_off), (1, 0, 0));
    let delivery = &world.deliveries().await[0];
    assert!(matches!(delivery.state, DeliveryState::Waiting(at) if at >= began.plus(seconds(25))), "{delivery:?}");
}

fn is_ended_as(delivery: &domain::webhooks::Delivery, wanted: DeliveryEnd) -> bool {
    matches!(delivery.state, DeliveryState::Ended { end, .. } if end == wanted)
}
