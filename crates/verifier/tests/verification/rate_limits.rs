use std::time::Duration;

use domain::{CreatedKey, KeyChange, KeyPolicy, KeyPolicySettings, Label, Patch, RateLimit};
use tokio::time::sleep;
use verifier::{Allowance, FEED_POLL_INTERVAL, TRUST_MAX, VerifierSettings};

use crate::world::{Feed, Instance, World};

pub(crate) fn limited(limit: &str) -> VerifierSettings {
    let settings = KeyPolicySettings { rate_limit: limit.parse().ok(), ..KeyPolicySettings::default() };
    VerifierSettings { key_policy: KeyPolicy::new(settings).unwrap(), ..VerifierSettings::default() }
}

/// Uses a good key once.
async fn spend(instance: &Instance, key: &CreatedKey) -> Allowance {
    let key = instance.verifier.verify(key.full_key.expose()).await.unwrap().expect("a good key");
    instance.verifier.spend(&key).expect("the instance has a rate limit")
}

#[tokio::test(start_paused = true)]
async fn a_key_cannot_exceed_its_limit() {
    let here = World::new().single(limited("100/s"));
    let limit: RateLimit = "100/s".parse().unwrap();
    let (key, other) = (here.create().await, here.create().await);
    for used in 1..=100 {
        let allowance = spend(&here, &key).await;
        let resets_after = Duration::from_millis(10) * used;
        assert_eq!(allowance, Allowance { limit, remaining: 100 - used, resets_after, retry_after: None });
    }
    let refused = Allowance {
        limit,
        remaining: 0,
        resets_after: Duration::from_secs(1),
        retry_after: Some(Duration::from_millis(10)),
    };
    assert_eq!(spend(&here, &key).await, refused);
    assert_eq!(spend(&here, &key).await, refused, "a refused use must not use any allowance");
    assert_eq!(spend(&here, &other).await.remaining, 99, "each key must have a separate allowance");

    sleep(Duration::from_millis(10)).await;
    assert_eq!(spend(&here, &key).await.retry_after, None);
    assert!(spend(&here, &key).await.retry_after.is_some());
    sleep(Duration::from_secs(10)).await;
    assert_eq!(spend(&here, &key).await.remaining, 99, "the allowance must never exceed the burst");
}

#[tokio::test(start_paused = true)]
async fn wrong_keys_use_no_allowance() {
    let here = World::new().single(limited("5/m"));
    let key = here.create().await;
    for n in 0..1_000 {
        let almost = format!("{}{n}", key.full_key.expose());
        assert!(here.verifier.verify(&almost).await.unwrap().is_none());
    }
    assert_eq!(spend(&here, &key).await.remaining, 4);
}

#[tokio::test(start_paused = true)]
async fn looking_a_key_up_again_does_not_reset_its_allowance() {
    let here = World::new().shared(limited("5/m"));
    let key = here.create().await;
    for remaining in [4, 3, 2, 1, 0] {
        assert_eq!(spend(&here, &key).await.remaining, remaining);
    }
    assert!(spend(&here, &key).await.retry_after.is_some());
    assert_eq!(here.link.finds(), 6, "each use must read the store while the feed is not read");
    here.link.set_feed(Feed::Fails);
    sleep(TRUST_MAX + FEED_POLL_INTERVAL).await;
    assert!(spend(&here, &key).await.retry_after.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_change_of_a_key_does_not_renew_its_allowance() {
    let here = World::new().single(limited("5/h"));
    let key = here.create().await;
    let change = async |change: KeyChange| here.change(&key, change).await;
    change(KeyChange { rate_limit: Patch::Set("3/h".parse().unwrap()), ..KeyChange::default() }).await;
    for remaining in [2, 1, 0] {
        assert_eq!(spend(&here, &key).await.remaining, remaining);
        let label = Label::parse(&format!("label {remaining}")).unwrap();
        change(KeyChange { label: Some(label), ..KeyChange::default() }).await;
    }
    assert!(spend(&here, &key).await.retry_after.is_some(), "its own limit");
    change(KeyChange { rate_limit: Patch::Set("4/h".parse().unwrap()), ..KeyChange::default() }).await;
    assert!(spend(&here, &key).await.retry_after.is_some(), "another limit, as spent");
    let raised = Patch::Set("5/s".parse().unwrap());
    change(KeyChange { rate_limit: raised, is_by_host: true, ..KeyChange::default() }).await;
    let used_up = spend(&here, &key).await;
    assert_eq!(used_up.retry_after, Some(Duration::from_millis(200)), "the new limit is as used up as the old one");
    sleep(Duration::from_secs(1)).await;
    assert_eq!(spend(&here, &key).await.remaining, 4, "a higher limit counts at once");
}

/// The window of 1/m is shorter than that of 3/h, so it forgets the debt sooner.
#[tokio::test(start_paused = true)]
async fn a_shorter_limit_for_a_moment_renews_nothing() {
    let here = World::new().single(limited("5/m"));
    let key = here.create().await;
    let change = async |rate_limit| {
        here.change(&key, KeyChange { rate_limit, ..KeyChange::default() }).await;
    };
    let set = async |limit: &str| change(Patch::Set(limit.parse().unwrap())).await;
    set("3/h").await;
    for remaining in [2, 1, 0] {
        assert_eq!(spend(&here, &key).await.remaining, remaining);
    }
    set("1/m").await;
    assert!(spend(&here, &key).await.retry_after.is_some());
    set("3/h").await;
    assert!(spend(&here, &key).await.retry_after.is_some());
    change(Patch::Reset).await;
    assert_eq!(spend(&here, &key).await.remaining, 4, "the limit of the service");
    set("3/h").await;
    assert!(spend(&here, &key).await.retry_after.is_some());
    sleep(Duration::from_hours(1)).await;
    assert_eq!(spend(&here, &key).await.remaining, 2, "paid back");
}

/// The customer had a limit of 1,000/s for each key, and has none any more.
#[tokio::test(start_paused = true)]
async fn without_a_limit_of_the_owner_that_of_the_service_bounds_what_the_owner_has_set() {
    let here = World::new().single(limited("5/h"));
    let key = here.create().await;
    for (limit, is_by_host, holds) in [("1000/s", false, "5/h"), ("2/h", false, "2/h"), ("1000/s", true, "1000/s")] {
        let rate_limit = Patch::Set(limit.parse().unwrap());
        here.change(&key, KeyChange { rate_limit, is_by_host, ..KeyChange::default() }).await;
        assert_eq!(spend(&here, &key).await.limit, holds.parse().unwrap());
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_of_a_key_long_after_the_start_costs_no_allowance() {
    let here = World::new().single(limited("5/h"));
    let key = here.create().await;
    let change = async |change: KeyChange| here.change(&key, change).await;
    change(KeyChange { rate_limit: Patch::Set("3/h".parse().unwrap()), ..KeyChange::default() }).await;
    for round in 0..3 {
        assert_eq!(spend(&here, &key).await.remaining, 2, "round {round}");
        let label = Label::parse(&format!("label {round}")).unwrap();
        change(KeyChange { label: Some(label), ..KeyChange::default() }).await;
        assert_eq!(spend(&here, &key).await.remaining, 1, "round {round}");
        sleep(Duration::from_hours(5)).await;
    }
}

#[tokio::test]
async fn without_a_limit_nothing_is_spent() {
    let here = World::new().single(VerifierSettings::default());
    let key = here.create().await;
    let verified = here.verifier.verify(key.full_key.expose()).await.unwrap().unwrap();
    assert_eq!(here.verifier.spend(&verified), None);
}
