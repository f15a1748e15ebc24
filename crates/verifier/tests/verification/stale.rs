//! The behaviour of an instance that cannot read the feed, by the operator's setting.

use std::time::Duration;

use domain::ports::{ReadinessCheck, StoreError};
use tokio::time::sleep;
use tokio_util::sync::DropGuard;
use verifier::{FEED_POLL_INTERVAL, TRUST_MAX, VerifierSettings, WhenStale};

use crate::world::{Feed, Instance, World};

const STALE_MAX: Duration = Duration::from_hours(1);

/// An instance that accepts a stale cache for an hour, and has lost its connection to the database.
async fn cut_off(world: &World, key: &domain::CreatedKey) -> (Instance, DropGuard) {
    let here =
        world.shared(VerifierSettings { when_stale: WhenStale::Serve(STALE_MAX), ..VerifierSettings::default() });
    let stop = here.run();
    sleep(FEED_POLL_INTERVAL).await;
    assert!(here.is_good(&key.full_key).await);
    here.link.set_feed(Feed::Fails);
    here.link.set_down(true);
    (here, stop)
}

#[tokio::test(start_paused = true)]
async fn cached_keys_are_accepted_for_as_long_as_the_operator_allows() {
    let world = World::new();
    let other = world.shared(VerifierSettings::default());
    let (cached, uncached) = (other.create().await, other.create().await);
    let (here, _stop) = cut_off(&world, &cached).await;
    sleep(TRUST_MAX + Duration::from_mins(30)).await;
    assert!(here.is_good(&cached.full_key).await, "the maximum age must not apply while the database is down");
    let unknown = here.verifier.verify(uncached.full_key.expose()).await;
    assert!(matches!(unknown, Err(StoreError::Unavailable(_))), "a key that is not in memory must be unknown, not bad");
    here.verifier.check().await.unwrap();

    sleep(Duration::from_mins(31)).await;
    let past = here.verifier.verify(cached.full_key.expose()).await;
    assert!(matches!(past, Err(StoreError::Unavailable(_))));
    here.verifier.check().await.unwrap_err();

    here.link.set_down(false);
    here.link.set_feed(Feed::Works);
    sleep(2 * FEED_POLL_INTERVAL).await;
    assert!(here.is_good(&cached.full_key).await && here.is_good(&uncached.full_key).await);
    here.verifier.check().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_key_that_expires_during_the_outage_is_refused() {
    let world = World::new();
    let other = world.shared(VerifierSettings::default());
    let expires_at = domain::ports::Clock::now(&*world.clock).plus(Duration::from_mins(5));
    let key = other.create_until(Some(expires_at)).await;
    let (here, _stop) = cut_off(&world, &key).await;
    world.clock.advance(Duration::from_mins(5));
    assert!(!here.is_good(&key.full_key).await);
}

#[tokio::test(start_paused = true)]
async fn before_the_first_read_of_the_feed_a_stale_cache_is_not_accepted() {
    let world = World::new();
    let here =
        world.shared(VerifierSettings { when_stale: WhenStale::Serve(STALE_MAX), ..VerifierSettings::default() });
    let key = here.create().await;
    assert!(here.is_good(&key.full_key).await);
    here.link.set_down(true);
    assert!(here.verifier.verify(key.full_key.expose()).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn an_instance_is_ready_while_it_can_read_the_store() {
    let (here, _stop) = World::new().running().await;
    here.verifier.check().await.unwrap();
    here.link.set_feed(Feed::Fails);
    sleep(2 * TRUST_MAX).await;
    here.verifier.check().await.unwrap();
    here.link.set_down(true);
    let refused = here.verifier.check().await.unwrap_err();
    assert_eq!(refused.to_string(), "cannot look up keys in the database");
}
