//! Noted uses reach the store: the first use of a key at once, later uses in batches, and all of them despite failures.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use domain::ports::{Clock, CredentialStore as _, RecentUses};
use domain::{CreatedKey, KeyId, Timestamp};
use tokio_util::sync::CancellationToken;
use verifier::{FLUSH_AT_STOP_MAX, FLUSH_BATCH_MAX, FLUSH_INTERVAL, STORED_USES_SHOWN, VerifierSettings};

use crate::world::{Instance, World};

async fn stored_last_use(world: &World, key: &CreatedKey) -> Option<Timestamp> {
    world.store.find_by_digest(&key.full_key.digest()).await.unwrap().unwrap().last_used_at
}

fn noted(instance: &Instance, key: &CreatedKey) -> Option<Timestamp> {
    instance.verifier.last_uses(&[key.id]).get(&key.id).copied()
}

/// The number of uses in each write.
fn written(instance: &Instance) -> Vec<usize> {
    instance.link.writes_of_uses.lock().unwrap().iter().map(Vec::len).collect()
}

/// Waits, in paused time, until the store has received `count` writes.
async fn writes(instance: &Instance, count: usize) {
    let seen = async {
        while written(instance).len() < count {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(10 * FLUSH_INTERVAL, seen).await.expect("the verifier must keep writing");
    tokio::task::yield_now().await;
}

#[tokio::test(start_paused = true)]
async fn the_owner_sees_a_use_at_once_and_the_store_soon() {
    let (world, here) = World::with_single();
    let key = here.create().await;
    assert!(here.is_good(&key.full_key).await);
    let used_at = Some(world.clock.now());
    assert_eq!(here.keys.list(&world.owner).await.unwrap()[0].last_used_at, used_at);
    assert_eq!(stored_last_use(&world, &key).await, None);

    let stop = CancellationToken::new();
    let running = tokio::spawn(here.verifier.clone().run(stop.clone()));
    let started = tokio::time::Instant::now();
    writes(&here, 1).await;
    assert!(started.elapsed() < FLUSH_INTERVAL, "the first use must be written at once");
    assert_eq!(stored_last_use(&world, &key).await, used_at);
    assert_eq!(noted(&here, &key), used_at, "lists that were read before the write need the use from memory");

    // Later uses wait for the batch: one write covers any number of uses of a key.
    for _ in 0..1_000 {
        world.clock.advance(Duration::from_millis(1));
        assert!(here.is_good(&key.full_key).await);
    }
    writes(&here, 2).await;
    assert!(started.elapsed() >= FLUSH_INTERVAL);
    assert_eq!(stored_last_use(&world, &key).await, Some(world.clock.now()));

    world.clock.advance(Duration::from_secs(1));
    assert!(here.is_good(&key.full_key).await);
    stop.cancel();
    running.await.unwrap();
    assert_eq!(
        stored_last_use(&world, &key).await,
        Some(world.clock.now()),
        "the last use must be written on shutdown"
    );
    assert_eq!(written(&here), [1, 1, 1]);
}

#[tokio::test(start_paused = true)]
async fn a_failing_store_delays_a_use_but_does_not_lose_it() {
    let (world, here) = World::with_single();
    let key = here.create().await;
    let stop = CancellationToken::new();
    let running = tokio::spawn(here.verifier.clone().run(stop.clone()));
    here.link.refuses_uses.store(true, Ordering::SeqCst);
    assert!(here.is_good(&key.full_key).await, "verification must not wait for the write");
    writes(&here, 3).await;
    assert_eq!(stored_last_use(&world, &key).await, None);
    assert_eq!(noted(&here, &key), Some(world.clock.now()));
    here.link.refuses_uses.store(false, Ordering::SeqCst);
    writes(&here, 4).await;
    assert_eq!(stored_last_use(&world, &key).await, Some(world.clock.now()));
    stop.cancel();
    running.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn many_uses_are_written_in_few_statements() {
    let (world, here) = World::with_single();
    let keys = here.create_many(FLUSH_BATCH_MAX + 500).await;
    for _ in 0..3 {
        world.clock.advance(Duration::from_millis(1));
        for key in &keys {
            assert!(here.is_good(key).await);
        }
    }
    here.verifier.flush().await.unwrap();
    assert_eq!(written(&here), [FLUSH_BATCH_MAX, 500], "each key must be written once, in full statements");
    for key in &keys {
        let stored = world.store.find_by_digest(&key.digest()).await.unwrap().unwrap();
        assert_eq!(stored.last_used_at, Some(world.clock.now()));
    }
    here.verifier.flush().await.unwrap();
    assert_eq!(written(&here).len(), 2, "a flush without noted uses must not run a statement");

    // While the verifier runs, it writes only one statement per interval, even for this many keys.
    world.clock.advance(Duration::from_millis(1));
    for key in &keys {
        assert!(here.is_good(key).await);
    }
    let newest = here.create().await;
    assert!(here.is_good(&newest.full_key).await);
    let _stop = here.run();
    writes(&here, 3).await;
    assert_eq!(
        stored_last_use(&world, &newest).await,
        Some(world.clock.now()),
        "a first use must be written before all other uses"
    );
    tokio::time::sleep(FLUSH_INTERVAL.saturating_sub(Duration::from_millis(10))).await;
    assert_eq!(written(&here)[2..], [FLUSH_BATCH_MAX]);
    writes(&here, 4).await;
    assert_eq!(written(&here)[2..], [FLUSH_BATCH_MAX, 501]);
}

#[tokio::test]
async fn waiting_uses_are_written_in_rounds_by_id() {
    let (world, here) = World::with_single();
    let keys = here.create_many(3 * FLUSH_BATCH_MAX).await;
    for key in &keys {
        assert!(here.is_good(key).await);
    }
    here.verifier.flush().await.unwrap();
    here.link.writes_of_uses.lock().unwrap().clear();

    world.clock.advance(Duration::from_millis(1));
    // Use the keys in another order, the newest first.
    for key in keys.iter().rev() {
        assert!(here.is_good(key).await);
    }
    here.verifier.flush().await.unwrap();
    let written = here.link.writes_of_uses.lock().unwrap().clone();
    assert_eq!(written.len(), 3);
    let all: BTreeSet<KeyId> = written.iter().flatten().copied().collect();
    assert_eq!(all.len(), keys.len(), "each key must be written once");
    for (number, write) in written.iter().enumerate() {
        let neighbours: BTreeSet<KeyId> =
            all.iter().skip(number * FLUSH_BATCH_MAX).take(FLUSH_BATCH_MAX).copied().collect();
        let outsiders = write.iter().filter(|id| !neighbours.contains(id)).count();
        // Ids are distributed over the shards at random, so the ranges of two writes overlap slightly.
        assert!(outsiders < FLUSH_BATCH_MAX / 10, "write {number} has {outsiders} ids from elsewhere");
    }
}

#[tokio::test(start_paused = true)]
async fn writing_uses_takes_at_most_a_tenth_of_the_time() {
    const TAKES: Duration = Duration::from_millis(500);
    let here = World::new().single(VerifierSettings::default());
    *here.link.writing_takes.lock().unwrap() = TAKES;
    let _stop = here.run();
    assert!(here.is_good(&here.create().await.full_key).await);
    writes(&here, 1).await;
    let began = tokio::time::Instant::now();
    // A first use does not wait for the interval, but does wait for the pause after the last write.
    assert!(here.is_good(&here.create().await.full_key).await);
    writes(&here, 2).await;
    let between = began.elapsed();
    assert!(between >= 9 * TAKES && between <= 11 * TAKES, "{between:?}");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_never_answers_does_not_delay_shutdown() {
    let here = World::new().single(VerifierSettings::default());
    *here.link.writing_takes.lock().unwrap() = Duration::from_hours(1);
    assert!(here.is_good(&here.create().await.full_key).await);
    let stop = CancellationToken::new();
    stop.cancel();
    let began = tokio::time::Instant::now();
    here.verifier.clone().run(stop).await;
    assert_eq!(written(&here), [1]);
    assert!(began.elapsed() <= FLUSH_AT_STOP_MAX, "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_use_survives_the_eviction_of_its_cached_copy() {
    let (world, here) = World::with_single();
    let key = here.create().await;
    let (older, newer) = (world.clock.now(), world.clock.now().plus(Duration::from_secs(1)));
    assert!(here.is_good(&key.full_key).await);
    // A rotation evicts the old key, so the next use is noted on a new copy.
    here.rotate(key.id, Duration::from_mins(1)).await.unwrap();
    assert_eq!(noted(&here, &key), Some(older));
    world.clock.advance(Duration::from_secs(1));
    assert!(here.is_good(&key.full_key).await);
    assert_eq!(noted(&here, &key), Some(newer));
    here.verifier.flush().await.unwrap();
    assert_eq!(stored_last_use(&world, &key).await, Some(newer));
}

#[tokio::test(start_paused = true)]
async fn a_list_in_progress_shows_a_use_that_is_written_meanwhile() {
    let (world, here) = World::with_single();
    let (key, other) = (here.create().await, here.create().await);
    assert!(here.is_good(&key.full_key).await);
    here.link.list_gate.close();
    let list = here.keys.list(&world.owner);
    let write = async {
        here.link.list_has_read().await;
        here.verifier.flush().await.unwrap();
        tokio::time::sleep(STORED_USES_SHOWN.saturating_sub(Duration::from_millis(1))).await;
        assert!(here.is_good(&other.full_key).await);
        here.verifier.flush().await.unwrap();
        here.link.list_gate.open();
    };
    let (listed, ()) = tokio::join!(list, write);
    let last_use = listed.unwrap().iter().find(|listed| listed.id == key.id).unwrap().last_used_at;
    assert_eq!(last_use, Some(world.clock.now()));

    tokio::time::sleep(Duration::from_millis(1)).await;
    world.clock.advance(Duration::from_secs(1));
    assert!(here.is_good(&other.full_key).await);
    here.verifier.flush().await.unwrap();
    assert_eq!(noted(&here, &key), None, "the stored use must not stay in memory longer");
}
