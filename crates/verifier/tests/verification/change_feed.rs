use std::sync::atomic::Ordering;
use std::time::Duration;

use domain::audit::Origin;
use domain::ports::FeedPosition;
use tokio::time::{Instant, sleep};
use verifier::{FEED_POLL_INTERVAL, FEED_READ_TIMEOUT, TRUST_MAX, VerifierSettings};

use crate::world::{Feed, Instance, World};

/// How long the instance still accepts the key, in paused time.
async fn refused_after(instance: &Instance, key: &domain::FullKey) -> Duration {
    let began = Instant::now();
    while instance.is_good(key).await {
        assert!(began.elapsed() < Duration::from_mins(1), "a revoked key stays good");
        sleep(Duration::from_millis(1)).await;
    }
    began.elapsed()
}

#[tokio::test(start_paused = true)]
async fn a_key_that_another_instance_ends_is_refused_within_one_poll() {
    let (_, (here, _stop), other) = World::with_two().await;
    for step in 0..20 {
        let (revoked, leaked, rotated) = (other.create().await, other.create().await, other.create().await);
        for key in [&revoked, &leaked, &rotated] {
            assert!(here.is_good(&key.full_key).await);
        }
        sleep(Duration::from_millis(step * 13)).await;
        let finds = here.link.finds();
        assert!(here.is_good(&revoked.full_key).await);
        assert_eq!(here.link.finds(), finds, "a trusted cache must answer without a read");
        other.revoke(&revoked).await;
        other.keys.report_leaks(&[leaked.full_key.expose()], &Origin::SERVICE).await.unwrap();
        other.rotate(rotated.id, Duration::ZERO).await.unwrap();
        assert!(refused_after(&here, &revoked.full_key).await <= FEED_POLL_INTERVAL);
        assert!(!here.is_good(&leaked.full_key).await && !here.is_good(&rotated.full_key).await);
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_hint_a_key_is_refused_at_once() {
    let (_, (here, _stop), other) = World::with_two().await;
    let key = other.create().await;
    assert!(here.is_good(&key.full_key).await);
    sleep(Duration::from_millis(100)).await;
    other.revoke(&key).await;
    here.link.hint.notify_one();
    assert!(refused_after(&here, &key.full_key).await <= Duration::from_millis(1));

    let reads = here.link.reads.load(Ordering::SeqCst);
    for _ in 0..1_000 {
        here.link.hint.notify_one();
        sleep(Duration::from_millis(1)).await;
    }
    let reads = here.link.reads.load(Ordering::SeqCst) - reads;
    assert!((40..=55).contains(&reads), "{reads} reads in a second of continuous hints");
}

#[tokio::test(start_paused = true)]
async fn without_the_feed_the_cache_is_trusted_for_three_seconds() {
    for cut in [Feed::Fails, Feed::Hangs] {
        let (_, (here, _stop), other) = World::with_two().await;
        let (revoked, good) = (other.create().await, other.create().await);
        assert!(here.is_good(&revoked.full_key).await && here.is_good(&good.full_key).await);
        here.link.set_feed(cut);
        other.revoke(&revoked).await;
        let after = refused_after(&here, &revoked.full_key).await;
        assert!(after <= TRUST_MAX, "{after:?}");
        assert!(after + 2 * FEED_POLL_INTERVAL > TRUST_MAX, "{after:?}: the cache was trusted for too short a time");

        let finds = here.link.finds();
        for _ in 0..10 {
            assert!(here.is_good(&good.full_key).await);
        }
        assert_eq!(here.link.finds(), finds + 10, "each verification must read the store");

        // The answer that was read from the store counts, even if the feed never lists the change.
        here.link.set_feed(Feed::ListsNothing);
        sleep(FEED_READ_TIMEOUT + FEED_POLL_INTERVAL).await;
        assert!(!here.is_good(&revoked.full_key).await);

        here.link.set_feed(Feed::Works);
        sleep(FEED_READ_TIMEOUT + FEED_POLL_INTERVAL).await;
        let finds = here.link.finds();
        assert!(here.is_good(&good.full_key).await);
        assert_eq!(here.link.finds(), finds, "the cache must be trusted again");
        assert!(!here.is_good(&revoked.full_key).await);
    }
}

#[tokio::test(start_paused = true)]
async fn before_the_first_read_of_the_feed_the_cache_is_not_trusted() {
    let here = World::new().shared(VerifierSettings::default());
    let key = here.create().await;
    for _ in 0..10 {
        assert!(here.is_good(&key.full_key).await);
    }
    assert_eq!(here.link.finds(), 10);
}

#[tokio::test(start_paused = true)]
async fn changes_missed_during_a_gap_are_read_after_it() {
    let (_, (here, _stop), other) = World::with_two().await;
    let (revoked, good) = (other.create().await, other.create().await);
    assert!(here.is_good(&revoked.full_key).await && here.is_good(&good.full_key).await);
    here.link.set_feed(Feed::Fails);
    other.revoke(&revoked).await;
    sleep(Duration::from_secs(30)).await;
    here.link.set_feed(Feed::Works);
    sleep(2 * FEED_POLL_INTERVAL).await;
    let finds = here.link.finds();
    assert!(here.is_good(&good.full_key).await);
    assert_eq!(here.link.finds(), finds, "a key that did not change must still be cached");
    assert!(!here.is_good(&revoked.full_key).await);
}

/// An owner revokes a key again if an instance still accepts it, whatever the reason.
#[tokio::test(start_paused = true)]
async fn a_repeated_revocation_is_listed_in_the_feed_again() {
    let (_, (here, _stop), other) = World::with_two().await;
    let key = other.create().await;
    assert!(here.is_good(&key.full_key).await);
    here.link.set_feed(Feed::ListsNothing);
    other.revoke(&key).await;
    sleep(FEED_POLL_INTERVAL).await;
    here.link.set_feed(Feed::Works);
    sleep(FEED_POLL_INTERVAL).await;
    assert!(here.is_good(&key.full_key).await, "the feed must have lost the first revocation");
    other.revoke(&key).await;
    assert!(refused_after(&here, &key.full_key).await <= FEED_POLL_INTERVAL);
}

#[tokio::test(start_paused = true)]
async fn a_long_gap_clears_the_cache() {
    for suspended in [false, true] {
        let (world, (here, _stop), other) = World::with_two().await;
        let (key, tried_at_once) = (other.create().await, other.create().await);
        for key in [&key, &tried_at_once] {
            assert!(here.is_good(&key.full_key).await);
            other.revoke(key).await;
        }
        if suspended {
            // The machine was suspended, which stops its monotonic clock.
            here.link.set_feed(Feed::ListsNothing);
            world.clock.advance(Duration::from_hours(1));
            assert!(!here.is_good(&tried_at_once.full_key).await, "the cache must not be trusted");
        } else {
            here.link.set_feed(Feed::Fails);
            sleep(Duration::from_mins(2)).await;
            here.link.set_feed(Feed::ListsNothing);
        }
        sleep(2 * FEED_POLL_INTERVAL).await;
        assert_eq!(here.verifier.cached().0, 0);
        assert!(!here.is_good(&key.full_key).await);
    }
}

#[tokio::test(start_paused = true)]
async fn too_many_changes_for_one_read_clear_the_cache() {
    let (_, (here, _stop), other) = World::with_two().await;
    let key = other.create().await;
    assert!(here.is_good(&key.full_key).await);
    other.revoke(&key).await;
    here.link.set_feed(Feed::Overflows);
    assert!(refused_after(&here, &key.full_key).await <= FEED_POLL_INTERVAL);
}

#[tokio::test(start_paused = true)]
async fn a_change_evicts_its_key_only_once() {
    let (_, (here, _stop), other) = World::with_two().await;
    let key = other.create().await;
    other.rotate(key.id, Duration::from_mins(1)).await.unwrap();
    sleep(FEED_POLL_INTERVAL).await;
    assert!(here.is_good(&key.full_key).await);
    let finds = here.link.finds();
    sleep(Duration::from_secs(5)).await;
    assert!(here.is_good(&key.full_key).await);
    assert_eq!(here.link.finds(), finds);
    // A second change of the same key is a new row of the feed.
    other.revoke(&key).await;
    assert!(refused_after(&here, &key.full_key).await <= FEED_POLL_INTERVAL);
}

#[tokio::test(start_paused = true)]
async fn old_changes_are_deleted_regularly() {
    let (here, _stop) = World::new().running().await;
    here.create().await;
    for revoked in 0..3 {
        let key = here.create().await;
        here.revoke(&key).await;
        let forgotten = here.link.forgotten.lock().unwrap().len();
        assert_eq!(forgotten, usize::from(revoked == 2), "a change must stay for at least five minutes");
        sleep(Duration::from_mins(5)).await;
    }
    sleep(Duration::from_secs(1)).await;
    let positions = ["1", "2"].map(FeedPosition::new);
    assert_eq!(
        *here.link.forgotten.lock().unwrap(),
        positions,
        "deletes changes before the position that the reader had five minutes earlier"
    );
}
