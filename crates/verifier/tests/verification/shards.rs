//! A store that is composed of two, each with a feed: a feed concerns its own owners only.

use std::time::Duration;

use domain::{Home, OwnerId};
use tokio::time::sleep;
use verifier::{FEED_POLL_INTERVAL, TRUST_MAX};

use crate::world::{Feed, World};

#[tokio::test(start_paused = true)]
async fn a_feed_that_cannot_be_read_takes_the_trust_from_its_owners_only() {
    let here = World::new().of_two_shards();
    let _stop = here.run();
    sleep(FEED_POLL_INTERVAL).await;
    let keys = here.create_many(20).await;
    let shard = |n: usize| Home::of(&OwnerId::new("https://id.example", format!("user-{n}")).unwrap()).shard(2);
    let of_first = (0..20).filter(|n| shard(*n) == 0).count();
    assert!((1..20).contains(&of_first), "both shards have owners");
    let reads_of_all = async || {
        let before = here.link.finds();
        for key in &keys {
            assert!(here.is_good(key).await);
        }
        here.link.finds() - before
    };
    assert_eq!((reads_of_all().await, reads_of_all().await), (20, 0), "all are remembered");
    here.link.set_feed(Feed::Fails);
    sleep(TRUST_MAX + Duration::from_secs(1)).await;
    assert_eq!(reads_of_all().await, of_first, "only keys of the first shard are read again");
    assert_eq!(reads_of_all().await, of_first, "and each time");
    here.link.set_feed(Feed::Works);
    sleep(2 * FEED_POLL_INTERVAL).await;
    reads_of_all().await;
    assert_eq!(reads_of_all().await, 0, "all are remembered again");
}
