//! Verifications are counted by the hour, by their results.

use std::sync::atomic::Ordering;
use std::time::Duration;

use domain::ports::{Clock, KeyUsageStore as _, UsageRequest};
use domain::{CreatedKey, Hour, HourRange, UsageCounts};
use tokio_util::sync::CancellationToken;
use verifier::FLUSH_INTERVAL;

use crate::rate_limits::limited;
use crate::world::{Instance, World};

/// The stored counts: good, limited and refused in the hours until now, the earliest first.
async fn stored(world: &World, key: &CreatedKey) -> Vec<[u64; 3]> {
    let hours = HourRange::until(world.clock.now(), 48);
    let request = UsageRequest { owner: world.owner.clone(), id: key.id, hours };
    let usage = world.store.usage(&request).await.unwrap().expect("the key is stored");
    usage.into_values().map(Into::into).collect()
}

async fn present(instance: &Instance, key: &CreatedKey, times: u32) {
    for _ in 0..times {
        if let Some(key) = instance.verifier.verify(key.full_key.expose()).await.unwrap() {
            let _ = instance.verifier.spend(&key);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn each_result_is_counted_in_its_hour() {
    let world = World::new();
    let here = world.single(limited("5/h"));
    let key = here.create().await;
    present(&here, &key, 7).await;
    here.verifier.flush().await.unwrap();
    assert_eq!(stored(&world, &key).await, [[7, 2, 0]], "also uses that do not move the last use");
    world.clock.advance(Duration::from_hours(1));
    present(&here, &key, 1).await;
    here.verifier.flush().await.unwrap();
    assert_eq!(stored(&world, &key).await, [[7, 2, 0], [1, 1, 0]], "the allowance goes by another clock");
    here.revoke(&key).await;
    present(&here, &key, 3).await;
    here.verifier.flush().await.unwrap();
    assert_eq!(stored(&world, &key).await, [[7, 2, 0], [1, 1, 3]], "one refusal from the store, two from memory");
    here.verifier.flush().await.unwrap();
    assert_eq!(stored(&world, &key).await, [[7, 2, 0], [1, 1, 3]], "each is written once");
}

#[tokio::test(start_paused = true)]
async fn a_key_that_expired_in_memory_is_counted_as_refused() {
    let (world, here) = World::with_single();
    let key = here.create_until(Some(world.clock.now().plus(Duration::from_secs(1)))).await;
    present(&here, &key, 1).await;
    world.clock.advance(Duration::from_secs(2));
    present(&here, &key, 2).await;
    here.verifier.flush().await.unwrap();
    let usage = stored(&world, &key).await;
    let sum = |result: usize| usage.iter().map(|counts| counts[result]).sum::<u64>();
    assert_eq!((sum(0), sum(2)), (1, 2));
}

#[tokio::test(start_paused = true)]
async fn a_failing_store_delays_counts_but_does_not_lose_them() {
    let (world, here) = World::with_single();
    let (key, revoked) = (here.create().await, here.create().await);
    here.revoke(&revoked).await;
    let stop = CancellationToken::new();
    let running = tokio::spawn(here.verifier.clone().run(stop.clone()));
    here.link.refuses_usage.store(true, Ordering::SeqCst);
    present(&here, &key, 4).await;
    present(&here, &revoked, 2).await;
    tokio::time::sleep(3 * FLUSH_INTERVAL).await;
    assert_eq!(stored(&world, &key).await, [[0; 3]; 0]);
    here.link.refuses_usage.store(false, Ordering::SeqCst);
    present(&here, &key, 1).await;
    tokio::time::sleep(2 * FLUSH_INTERVAL).await;
    assert_eq!(stored(&world, &key).await, [[5, 0, 0]]);
    assert_eq!(stored(&world, &revoked).await, [[0, 0, 2]]);
    present(&here, &key, 1).await;
    stop.cancel();
    running.await.unwrap();
    assert_eq!(stored(&world, &key).await, [[6, 0, 0]], "the shutdown writes what waits");
    let hour = Hour::of(world.clock.now());
    let (owner, hours) = (world.owner.clone(), HourRange { first: hour, last: hour });
    let usage = world.store.usage(&UsageRequest { owner, id: key.id, hours }).await.unwrap().unwrap();
    assert_eq!(usage[&hour], UsageCounts { good: 6, limited: 0, refused: 0 });
}
