//! Every answer from memory rests on a read of the store that is younger than the maximum age.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::{Instant, sleep};
use verifier::VerifierSettings;

use crate::world::{Feed, World};

const MAX_AGE: Duration = Duration::from_mins(10);

#[tokio::test(start_paused = true)]
async fn a_key_that_sql_has_revoked_is_refused_within_the_maximum_age() {
    for is_single in [true, false] {
        let world = World::new();
        let settings = VerifierSettings::default();
        let here = if is_single { world.single(settings) } else { world.shared(settings) };
        here.link.set_feed(Feed::ListsNothing);
        let _stop = here.run();
        let (ended, good) = (here.create().await, here.create().await);
        sleep(Duration::from_secs(1)).await;
        assert!(here.is_good(&ended.full_key).await && here.is_good(&good.full_key).await);
        let misses = here.verifier.counts().misses;
        world.revoke_by_sql(ended.id).await;
        assert!(here.is_good(&ended.full_key).await, "the instance must not have noticed the revocation yet");
        let began = Instant::now();
        while here.is_good(&ended.full_key).await {
            assert!(began.elapsed() < MAX_AGE, "single: {is_single}");
            sleep(Duration::from_secs(1)).await;
        }
        sleep(3 * MAX_AGE).await;
        assert!(here.is_good(&good.full_key).await);
        assert_eq!(
            here.verifier.counts().misses,
            misses + 1,
            "rounds must confirm the good key, and only the revoked key is looked up"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_that_no_round_confirms_is_looked_up_again() {
    let (here, _stop) = World::new().running().await;
    let key = here.create().await;
    assert!(here.is_good(&key.full_key).await);
    let misses = || here.verifier.counts().misses;
    // No round confirms the key in this time.
    here.link.fails_look_ups.store(true, Ordering::SeqCst);
    sleep(MAX_AGE.checked_sub(Duration::from_secs(1)).unwrap()).await;
    assert!(here.is_good(&key.full_key).await);
    assert_eq!(misses(), 1, "the answer must still be young enough");
    sleep(Duration::from_secs(1)).await;
    here.link.fails_look_ups.store(false, Ordering::SeqCst);
    assert!(here.is_good(&key.full_key).await);
    assert_eq!(misses(), 2, "an old answer must be confirmed by the store");
    assert!(here.is_good(&key.full_key).await);
    assert_eq!(misses(), 2, "the confirmed answer must count for another ten minutes");
}

#[tokio::test(start_paused = true)]
async fn a_round_reads_many_keys_at_once() {
    let here = World::new().single(VerifierSettings::default());
    let keys = here.create_many(3_000).await;
    for key in &keys {
        assert!(here.is_good(key).await);
    }
    here.link.batches.lock().unwrap().clear();
    let _stop = here.run();
    sleep(Duration::from_secs(539)).await;
    let batches = here.link.batches.lock().unwrap().clone();
    assert_eq!(batches.iter().sum::<usize>(), keys.len(), "a round must read each key once");
    assert!(batches.len() <= 256, "{} reads", batches.len());
    sleep(2 * MAX_AGE).await;
    let finds = here.link.finds();
    for key in &keys {
        assert!(here.is_good(key).await);
    }
    assert_eq!(here.link.finds(), finds, "no key may need a separate look-up");
}
