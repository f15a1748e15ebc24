use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use domain::audit::Origin;
use domain::memory::unique_cause;
use domain::ports::RevokeDigestsRequest;
use domain::{CreatedKey, Keys, Timestamp};

use crate::world::{Instance, World};

fn single() -> (World, Arc<Instance>) {
    let (world, instance) = World::with_single();
    (world, Arc::new(instance))
}

#[tokio::test]
async fn a_revoked_key_is_refused_once_the_revocation_returns() {
    let (_, instance) = single();
    let (revoked, other) = (instance.create().await, instance.create().await);
    assert!(instance.is_good(&revoked.full_key).await && instance.is_good(&other.full_key).await);
    instance.revoke(&revoked).await;
    let finds = instance.link.finds();
    for _ in 0..100 {
        assert!(!instance.is_good(&revoked.full_key).await);
    }
    assert_eq!(instance.link.finds(), finds + 1, "repeated attempts must not read the store each time");
    assert!(instance.is_good(&other.full_key).await);
    assert_eq!(instance.link.finds(), finds + 1, "other keys must stay cached");
}

#[tokio::test]
async fn a_leaked_key_is_refused_once_the_report_returns() {
    let (_, instance) = single();
    let key = instance.create().await;
    assert!(instance.is_good(&key.full_key).await);
    let reported = instance.keys.report_leaks(&["nothing", key.full_key.expose()], &Origin::SERVICE).await.unwrap();
    assert_eq!(reported[1].as_ref().map(|key| key.id), Some(key.id));
    assert!(!instance.is_good(&key.full_key).await);
}

#[tokio::test]
async fn a_rotated_key_is_good_until_its_overlap_ends() {
    let (world, instance) = single();
    for overlap in [Duration::ZERO, Duration::from_mins(1)] {
        let old = instance.create().await;
        assert!(instance.is_good(&old.full_key).await);
        let new = instance.rotate(old.id, overlap).await.unwrap();
        assert!(instance.is_good(&new.full_key).await);
        if !overlap.is_zero() {
            assert!(instance.is_good(&old.full_key).await);
            world.clock.advance(overlap.checked_sub(Duration::from_millis(1)).unwrap());
            assert!(instance.is_good(&old.full_key).await);
            world.clock.advance(Duration::from_millis(1));
        }
        assert!(!instance.is_good(&old.full_key).await, "{overlap:?}");
        assert!(instance.is_good(&new.full_key).await);
    }
}

#[tokio::test]
async fn a_read_that_a_revocation_overtakes_is_neither_cached_nor_shared() {
    let (world, instance) = single();
    let CreatedKey { id, full_key, .. } = instance.create().await;
    let key = Arc::new(full_key);
    instance.link.gate.close();
    let early = tokio::spawn({
        let (instance, key) = (instance.clone(), key.clone());
        async move { instance.is_good(&key).await }
    });
    // The look-up has read the good key and waits at the gate. The revocation bypasses the gate and evicts the key.
    instance.link.arrived(1).await;
    world.revoke_by_sql(id).await;
    let request = RevokeDigestsRequest { digests: vec![key.digest()], at: Timestamp::MIN, cause: unique_cause() };
    instance.verifier.key_stores().store.revoke_by_digests(&request).await.unwrap();
    let late = tokio::spawn({
        let (instance, key) = (instance.clone(), key.clone());
        async move { instance.is_good(&key).await }
    });
    instance.link.arrived(2).await;
    instance.link.gate.open();
    assert!(!late.await.unwrap(), "a call after the revocation must not join the earlier read");
    assert!(early.await.unwrap(), "a call before the revocation may get either answer; here it gets the one it read");
    assert!(!instance.is_good(&key).await, "the overtaken read must not be cached");
}

#[tokio::test]
async fn a_revocation_evicts_its_key_even_if_the_caller_is_dropped() {
    let (world, instance) = single();
    let key = instance.create().await;
    assert!(instance.is_good(&key.full_key).await);
    let arrived = instance.link.at_gate.load(Ordering::SeqCst);
    instance.link.gate.close();
    let request = tokio::spawn({
        let (keys, owner): (Keys, _) = (instance.keys.clone(), world.owner.clone());
        async move { keys.revoke(&owner, key.id, &Origin::SERVICE).await.map(|_| ()) }
    });
    instance.link.arrived(arrived + 1).await;
    request.abort();
    request.await.unwrap_err();
    instance.link.gate.open();
    let refused = async {
        while instance.is_good(&key.full_key).await {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), refused).await.expect("the revoked key must be refused");
}

#[tokio::test]
async fn after_a_revocation_with_unknown_outcome_the_key_is_looked_up() {
    let (world, instance) = single();
    let (key, other) = (instance.create().await, instance.create().await);
    assert!(instance.is_good(&key.full_key).await && instance.is_good(&other.full_key).await);
    instance.link.loses_answers.store(true, Ordering::SeqCst);
    instance.keys.revoke(&world.owner, key.id, &Origin::SERVICE).await.unwrap_err();
    let finds = instance.link.finds();
    assert!(!instance.is_good(&key.full_key).await);
    assert!(instance.is_good(&other.full_key).await);
    assert_eq!(instance.link.finds(), finds + 1);
    instance.keys.revoke_all(&world.owner, None, &Origin::SERVICE).await.unwrap_err();
    assert!(!instance.is_good(&other.full_key).await, "all keys of the user are looked up");
}

#[tokio::test]
async fn all_keys_of_a_user_are_refused_once_the_call_returns() {
    let (world, instance) = single();
    let keys = [instance.create().await, instance.create().await];
    for key in &keys {
        assert!(instance.is_good(&key.full_key).await);
    }
    assert_eq!(instance.keys.revoke_all(&world.owner, None, &Origin::SERVICE).await.unwrap(), 2);
    for key in &keys {
        assert!(!instance.is_good(&key.full_key).await);
    }
}
