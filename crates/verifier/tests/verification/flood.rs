use domain::{KeyPolicy, KeyPolicySettings};
use verifier::VerifierSettings;

use crate::world::World;

#[tokio::test]
async fn a_flood_of_unknown_keys_evicts_no_good_key() {
    let world = World::new();
    // The limit applies to each of 64 shards: 32 keys, of which 500 keys need eight on average. With half the limit, one
    // run in five hundred puts more keys into a shard than fit.
    let settings = VerifierSettings { keys_max: 2_000, unknown_max: 5_000, ..VerifierSettings::default() };
    let here = world.single(settings);
    let good = here.create_many(500).await;
    for key in &good {
        assert!(here.is_good(key).await);
    }
    assert_eq!(here.link.finds(), 500);
    for n in 0..100_000 {
        assert!(here.verifier.verify(&format!("svc_live_{n}")).await.unwrap().is_none());
    }
    let (good_count, unknown_count) = here.verifier.cached();
    assert_eq!(good_count, 500);
    // Each of up to 64 shards rounds its limit up.
    assert!(unknown_count <= 5_064, "{unknown_count}");
    assert_eq!(here.link.finds(), 100_500, "each unknown key must be read once");
    for key in &good {
        assert!(here.is_good(key).await);
    }
    assert_eq!(here.link.finds(), 100_500, "every good key must still be cached");
}

#[tokio::test]
async fn a_key_with_a_wrong_check_never_reaches_the_store() {
    let (world, here) = World::with_single();
    let key = here.create().await.full_key;
    let mistyped = |digit: char| format!("{}{digit}", &key.expose()[..key.expose().len() - 1]);
    let (right, wrong): (Vec<_>, Vec<_>) =
        ('0'..='9').chain('A'..='Z').chain('a'..='z').map(mistyped).partition(|text| text == key.expose());
    for presented in &wrong {
        assert!(here.verifier.verify(presented).await.unwrap().is_none());
    }
    assert_eq!((here.link.finds(), here.verifier.cached(), wrong.len()), (0, (0, 0), 61));
    assert!(here.verifier.verify(&right[0]).await.unwrap().is_some());
    assert_eq!(here.link.finds(), 1);

    let settings = KeyPolicySettings { prefix: "other_".into(), ..KeyPolicySettings::default() };
    let key_policy = KeyPolicy::new(settings).unwrap();
    let other = world.single(VerifierSettings { key_policy, ..VerifierSettings::default() });
    assert!(other.is_good(&key).await, "keys with an earlier prefix stay good");
    assert!(other.verifier.verify(&wrong[0]).await.unwrap().is_none());
    assert_eq!(other.link.finds(), 2, "a key of another form is looked up");
}

#[tokio::test]
async fn the_number_of_cached_good_keys_is_bounded() {
    let here = World::new().single(VerifierSettings { keys_max: 100, ..VerifierSettings::default() });
    for key in here.create_many(2_000).await {
        assert!(here.is_good(&key).await);
    }
    let (good_count, _) = here.verifier.cached();
    assert!((1..=164).contains(&good_count), "{good_count}");
}
