use std::sync::Arc;
use std::time::Duration;

use domain::memory::unique_cause;
use domain::ports::{ActiveLimit, Clock, InsertKeyRequest, Insertion};
use domain::{ApiKey, CredentialDigest, KeyId, Label, ListView, Scopes};
use verifier::{UNKNOWN_TTL, VerifierSettings};

use crate::world::World;

#[tokio::test]
async fn a_known_key_is_read_from_the_store_once() {
    let (world, instance) = World::with_single();
    let key = instance.create().await;
    for _ in 0..1_000 {
        assert!(instance.is_good(&key.full_key).await);
    }
    assert_eq!(instance.link.finds(), 1);
    let verified = instance.verifier.verify(key.full_key.expose()).await.unwrap().unwrap();
    assert_eq!((verified.id, &verified.owner), (key.id, &world.owner));
    for implausible in ["", "a b", "\u{e9}", &"a".repeat(513)] {
        assert!(instance.verifier.verify(implausible).await.unwrap().is_none(), "{implausible}");
    }
    assert_eq!(instance.link.finds(), 1, "an implausible key must not be looked up");
}

#[tokio::test]
async fn a_cached_key_expires_to_the_millisecond() {
    let (world, instance) = World::with_single();
    let key = instance.create_until(Some(world.clock.now().plus(Duration::from_mins(1)))).await;
    assert!(instance.is_good(&key.full_key).await);
    world.clock.advance(Duration::from_millis(59_999));
    assert!(instance.is_good(&key.full_key).await);
    world.clock.advance(Duration::from_millis(1));
    assert!(!instance.is_good(&key.full_key).await);
    assert_eq!(instance.link.finds(), 1);
}

#[tokio::test]
async fn concurrent_calls_share_one_read() {
    let instance = Arc::new(World::new().single(VerifierSettings::default()));
    let key = Arc::new(instance.create().await.full_key);
    for (presented, expected) in [(key.expose(), true), ("svc_live_unknown", false)] {
        let before = instance.link.finds();
        instance.link.gate.close();
        let presented: Arc<str> = presented.into();
        let asking: Vec<_> = (0..100)
            .map(|_| {
                let (instance, presented) = (instance.clone(), presented.clone());
                tokio::spawn(async move { instance.verifier.verify(&presented).await.unwrap().is_some() })
            })
            .collect();
        instance.link.arrived(before + 1).await;
        for _ in 0..200 {
            tokio::task::yield_now().await;
        }
        instance.link.gate.open();
        for asked in asking {
            assert_eq!(asked.await.unwrap(), expected);
        }
        assert_eq!(instance.link.finds(), before + 1);
    }
}

#[tokio::test]
async fn if_the_call_that_reads_is_dropped_the_next_call_reads() {
    let instance = Arc::new(World::new().single(VerifierSettings::default()));
    let key = Arc::new(instance.create().await.full_key);
    instance.link.gate.close();
    let ask = || {
        let (instance, key) = (instance.clone(), key.clone());
        tokio::spawn(async move { instance.is_good(&key).await })
    };
    let first = ask();
    instance.link.arrived(1).await;
    let second = ask();
    tokio::task::yield_now().await;
    first.abort();
    instance.link.arrived(2).await;
    instance.link.gate.open();
    assert!(second.await.unwrap());
    assert!(instance.is_good(&key).await);
    assert_eq!(instance.link.finds(), 2);

    // No other call waits for this read. After it is dropped, no fill remains that a later call could join.
    instance.link.gate.close();
    let abandoned = tokio::spawn({
        let instance = instance.clone();
        async move { instance.verifier.verify("svc_live_unknown").await }
    });
    instance.link.arrived(3).await;
    abandoned.abort();
    abandoned.await.unwrap_err();
    instance.link.gate.open();
    assert!(instance.verifier.verify("svc_live_unknown").await.unwrap().is_none());
    assert_eq!(instance.link.finds(), 4);
}

#[tokio::test(start_paused = true)]
async fn an_unknown_key_is_remembered_for_a_second() {
    let instance = World::new().single(VerifierSettings::default());
    for _ in 0..100 {
        assert!(instance.verifier.verify("svc_live_imported").await.unwrap().is_none());
    }
    assert_eq!(instance.link.finds(), 1);
    tokio::time::sleep(UNKNOWN_TTL).await;
    assert!(instance.verifier.verify("svc_live_imported").await.unwrap().is_none());
    assert_eq!(instance.link.finds(), 2, "the key must be read again, because another process may have stored it");
}

#[tokio::test(start_paused = true)]
async fn a_key_that_this_process_stores_is_good_at_once() {
    let (world, instance) = World::with_single();
    assert!(instance.verifier.verify("svc_live_imported").await.unwrap().is_none());
    let now = world.clock.now();
    let key = ApiKey {
        id: KeyId::from_bytes([7; 16]),
        owner: world.owner.clone(),
        label: Label::parse("imported").unwrap(),
        prefix: "svc_live_imp...".into(),
        created_at: now,
        last_used_at: None,
        expires_at: None,
        revoked_at: None,
        scopes: Scopes::parse("orders:read").unwrap(),
        replaced_by: None,
        settings: domain::KeySettings::default(),
        created_by: None,
    };
    let digest = CredentialDigest::of_presented("svc_live_imported").unwrap();
    let (limit, view) = (ActiveLimit { max: 1, at: now }, ListView::at(now));
    let request = InsertKeyRequest { key, digest, limit, view, cause: unique_cause() };
    let inserted = instance.verifier.key_stores().store.insert_within(&request).await.unwrap();
    assert!(matches!(inserted, Insertion::Stored(_)));
    let verified = instance.verifier.verify("svc_live_imported").await.unwrap().unwrap();
    assert!(verified.scopes.covers(&Scopes::parse("orders:read").unwrap()));
}
