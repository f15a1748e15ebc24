use std::sync::Arc;
use std::time::Duration;

use domain::FullKey;
use domain::ports::Clock;
use tokio::time::sleep;
use verifier::{FEED_POLL_INTERVAL, TRUST_MAX, VerifierSettings};

use crate::world::{Feed, Instance, World};
use Answer::{Good, NotGood, Unavailable};

#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Good,
    NotGood,
    Unavailable,
}

async fn answer(instance: &Instance, presented: &str) -> Answer {
    match instance.verifier.verify(presented).await {
        Ok(Some(_)) => Good,
        Ok(None) => NotGood,
        Err(_) => Unavailable,
    }
}

#[tokio::test(start_paused = true)]
async fn a_good_key_is_never_reported_as_bad() {
    let world = World::new();
    let (here, _stop) = world.running().await;
    let (cached, uncached) = (here.create().await, here.create().await);
    let expiring = here.create_until(Some(world.clock.now().plus(Duration::from_secs(1)))).await;
    assert!(here.is_good(&cached.full_key).await && here.is_good(&expiring.full_key).await);
    world.clock.advance(Duration::from_secs(1));
    sleep(2 * FEED_POLL_INTERVAL).await;
    let expose = FullKey::expose;
    let presented =
        [expose(&cached.full_key), expose(&uncached.full_key), "svc_live_unknown", expose(&expiring.full_key)];
    let answers = async || {
        let mut answers = Vec::new();
        for presented in presented {
            answers.push(answer(&here, presented).await);
        }
        answers
    };

    here.link.set_down(true);
    here.link.set_feed(Feed::Fails);
    assert_eq!(answers().await, [Good, Unavailable, Unavailable, NotGood], "just after the failure");
    sleep(TRUST_MAX.checked_sub(2 * FEED_POLL_INTERVAL).unwrap()).await;
    assert_eq!(answers().await, [Good, Unavailable, Unavailable, NotGood], "shortly before the trust ends");
    sleep(2 * FEED_POLL_INTERVAL).await;
    assert_eq!(answers().await, [Unavailable, Unavailable, Unavailable, NotGood], "after the trust has ended");
    sleep(Duration::from_mins(5)).await;
    assert_eq!(answers().await, [Unavailable, Unavailable, Unavailable, NotGood], "long after the failure");
    here.link.set_down(false);
    assert_eq!(answers().await, [Good, Good, NotGood, NotGood], "the store works again, the feed still fails");
    here.link.set_feed(Feed::Works);
    sleep(2 * FEED_POLL_INTERVAL).await;
    assert_eq!(answers().await, [Good, Good, NotGood, NotGood], "store and feed work again");
}

#[tokio::test(start_paused = true)]
async fn a_single_process_keeps_using_its_cache() {
    let here = World::new().single(VerifierSettings::default());
    let key = here.create().await;
    assert!(here.is_good(&key.full_key).await);
    here.link.set_down(true);
    sleep(Duration::from_hours(1)).await;
    assert_eq!(answer(&here, key.full_key.expose()).await, Good);
    assert_eq!(answer(&here, "svc_live_unknown").await, Unavailable);
}

#[tokio::test]
async fn calls_that_wait_for_one_read_share_its_failure() {
    let here = Arc::new(World::new().single(VerifierSettings::default()));
    here.link.gate.close();
    here.link.set_down(true);
    let asking: Vec<_> = (0..100)
        .map(|_| {
            let here = here.clone();
            tokio::spawn(async move { here.verifier.verify("svc_live_unknown").await.unwrap_err() })
        })
        .collect();
    here.link.arrived(1).await;
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
    here.link.gate.open();
    for asked in asking {
        let error = asked.await.unwrap();
        let cause = std::error::Error::source(&error).unwrap();
        assert_eq!((error.to_string(), cause.to_string()), ("the store is unavailable".into(), "switched off".into()));
    }
    assert_eq!(here.link.finds(), 1);
    here.link.set_down(false);
    assert_eq!(answer(&here, "svc_live_unknown").await, NotGood, "a failure must not be cached");
}
