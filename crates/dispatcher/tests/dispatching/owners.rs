//! Owners share the places: an owner with many slow receivers does not delay the others.

use dispatcher::DispatcherSettings;
use domain::OwnerId;
use domain::ports::Attempt;
use tokio::time::Instant;

use crate::faulty_queue::FaultyQueue;
use crate::receivers::{Reaction, Receivers, answer, takes, well};
use crate::world::{World, millis, pass, seconds};

const QUICK: &str = "https://quick.example/";

fn user(name: &str) -> OwnerId {
    OwnerId::new("https://id.example", name).unwrap()
}

/// Subscriptions of an owner, each with ten deliveries. `url` makes the URL of each.
async fn backlog(world: &World, owner: &OwnerId, count: usize, url: impl Fn(usize) -> String) {
    for n in 0..count {
        world.subscribe_for(owner, &url(n)).await;
    }
    world.publish_for(owner, 10, None).await;
}

/// All receivers answer after 14 s, except for the quick one.
fn slow_but_one(attempt: &Attempt) -> Reaction {
    match attempt.url.as_str() {
        QUICK => well(),
        _ => Reaction::After(seconds(14), answer(200)),
    }
}

/// Events of a third owner, at times that are spread over 40 s, are sent in the instant of their publication.
async fn nobody_delays_the_third(world: &World, queue: &FaultyQueue, receivers: &Receivers) {
    let third = user("third");
    let quick = world.subscribe_for(&third, QUICK).await;
    for n in 0..100 {
        pass(millis(397)).await;
        world.publish_for(&third, 1, Some(quick)).await;
        queue.hint.notify_one();
        let published = Instant::now();
        pass(millis(25)).await;
        let seen = receivers.seen(QUICK).get(n).map(|seen| seen.at - published);
        assert!(seen.is_some_and(|after| after <= millis(10)), "event {n}: {seen:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn slow_receivers_of_two_owners_delay_no_third_owner() {
    let world = World::new(1);
    backlog(&world, &user("first"), 200, |n| format!("https://first-{n}.example/")).await;
    backlog(&world, &user("second"), 20, |n| format!("https://second-{n}.example/")).await;
    let settings = DispatcherSettings { concurrency: 70, ..DispatcherSettings::default() };
    let (queue, receivers, running) = world.run(slow_but_one, settings);
    pass(millis(100)).await;
    let in_flight = running.dispatcher.counts().in_flight;
    assert!((60..70).contains(&in_flight), "two owners take most of the places, and some stay free: {in_flight}");
    nobody_delays_the_third(&world, &queue, &receivers).await;
}

#[tokio::test(start_paused = true)]
async fn slow_receivers_at_a_host_delay_no_other_owner_there() {
    let world = World::new(1);
    backlog(&world, &user("first"), 100, |n| format!("https://quick.example/first/{n}")).await;
    backlog(&world, &user("second"), 20, |n| format!("https://quick.example/second/{n}")).await;
    let settings = DispatcherSettings { concurrency_per_host: 14, ..DispatcherSettings::default() };
    let (queue, receivers, _running) = world.run(slow_but_one, settings);
    pass(millis(100)).await;
    let in_flight = receivers.in_flight("quick.example");
    assert!((12..14).contains(&in_flight), "two owners take most of the places, and some stay free: {in_flight}");
    nobody_delays_the_third(&world, &queue, &receivers).await;
}

#[tokio::test(start_paused = true)]
async fn lanes_that_found_their_owners_share_taken_are_claimed_when_places_are_free() {
    let (world, owner) = (World::new(1), user("first"));
    for n in 0..300 {
        world.subscribe_for(&owner, &format!("https://first-{n}.example/")).await;
    }
    world.publish_for(&owner, 1, None).await;
    let settings = DispatcherSettings { concurrency: 32, ..DispatcherSettings::default() };
    let (queue, receivers, _running) = world.run(takes(millis(20)), settings);
    // 24 at a time, every 20 ms: 13 rounds. Without hints, the next poll would be after a second.
    pass(millis(600)).await;
    assert_eq!(receivers.count(), 300);
    let claims = queue.claims.lock().unwrap().len();
    assert!(claims < 100, "300 deliveries in {claims} claims");
}
