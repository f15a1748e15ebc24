use std::net::SocketAddr;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use tokio::time::Instant;

use super::REFUSED_WITHIN;
use super::delays::Delays;
use super::fleet::{Fleet, Key, accepted_for, first_refusal};
use crate::harness::{FaultProxy, Request, Storage, User};

/// How many keys are revoked in parallel.
const BATCH: usize = 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_instances_refuse_within_a_second() {
    let fleet = Fleet::of(2).await;
    assert_revoked_in_time("two instances", &fleet, 35).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_instances_refuse_within_a_second() {
    let fleet = Fleet::of(4).await;
    assert_revoked_in_time("four instances", &fleet, 10).await;
}

pub(crate) async fn two_instances_on(storage: Storage) {
    let fleet = Fleet::on(storage, 2).await;
    assert_revoked_in_time("two instances behind a pooler", &fleet, 5).await;
}

/// Polling alone meets the bound. Notifications only make it faster.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_instance_without_notifications_refuses_within_a_second() {
    let mut fleet = Fleet::of(1).await;
    let proxy = FaultProxy::swallowing(fleet.database(), "LISTEN").await;
    fleet.join_through(&proxy).await;
    assert_revoked_in_time("an instance without notifications", &fleet, 5).await;
}

/// The first instance revokes keys; the test asks every instance until it refuses them.
async fn assert_revoked_in_time(what: &str, fleet: &Fleet, batches: usize) {
    let good = fleet.used_key(&fleet.user("somebody else")).await;
    let mut delays = Vec::new();
    for batch in 0..batches {
        let user = fleet.user(&format!("user {batch}"));
        let keys = join_all((0..BATCH).map(|_| fleet.used_key(&user))).await;
        let revocations = keys.iter().map(|key| revoke_and_time(fleet, &user, key));
        delays.extend(join_all(revocations).await.into_iter().flatten());
        for instance in &fleet.instances {
            assert_eq!(instance.send(&good.question()).await.status, 200, "a good key stays good");
        }
    }
    let what = format!("refused by {what}, after {} revocations", batches * BATCH);
    delays.into_iter().collect::<Delays>().expect(&what, 999, REFUSED_WITHIN);
}

/// The times from the answer to the revocation until each of the other instances refuses. The instance that revoked
/// refuses at once.
async fn revoke_and_time(fleet: &Fleet, user: &User, key: &Key) -> Vec<Duration> {
    let [here, others @ ..] = fleet.instances.as_slice() else { panic!("there is at least one instance") };
    let refusals = others.iter().map(|other| tokio::spawn(first_refusal(other.address(), key.question())));
    let refusals: Vec<_> = refusals.collect();
    let revoked = user.revoke(&key.id).await;
    let answered = Instant::now();
    assert_eq!(revoked.status, 200, "{}", revoked.text());
    assert_eq!(here.send(&key.question()).await.status, 401, "the instance that revoked the key refuses it at once");
    let mut delays = Vec::new();
    for refusal in refusals {
        let (at, status) = refusal.await.unwrap();
        assert_eq!(status, 401);
        delays.push(accepted_for(at, answered));
    }
    for instance in &fleet.instances {
        assert_eq!(instance.send(&key.question()).await.status, 401, "a refused key stays refused");
    }
    delays
}

/// A change that ends a key on one instance ends it on the others, and the other keys stay good.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rotations_leaks_and_support_calls_reach_other_instances() {
    let fleet = Fleet::of(2).await;
    let (alice, there) = (fleet.user("alice"), &fleet.instances[1]);
    let keys = join_all((0..5).map(|_| fleet.used_key(&alice))).await;
    let [rotated, overlapping, leaked, supported, good] = keys.as_slice() else { panic!("five keys") };

    let successor = async |key: &Key, overlap_seconds| {
        let answer = alice.send(&key.rotation(&alice, overlap_seconds)).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let text = |name: &str| answer.json()[name].as_str().unwrap().to_owned();
        Key { full_key: text("key"), id: text("keyId") }
    };
    let successors = [successor(overlapping, 600).await, successor(rotated, 0).await];
    refused_in_time(there.address(), rotated, "a rotated key").await;

    let report = fleet.operate("POST", "/api/operator/leaks", &json!({ "tokens": [leaked.full_key] })).await;
    assert_eq!(report.status, 200, "{}", report.text());
    refused_in_time(there.address(), leaked, "a leaked key").await;

    let path = format!("/api/operator/users/alice/keys/{}", supported.id);
    let support = fleet.operate("DELETE", &path, &json!({})).await;
    assert!((200..300).contains(&support.status), "{}", support.text());
    refused_in_time(there.address(), supported, "a key that support revoked").await;

    let bob = fleet.user("bob");
    let all = join_all((0..3).map(|_| fleet.used_key(&bob))).await;
    let answer = fleet.operate("DELETE", "/api/operator/users/bob/keys", &json!({})).await;
    assert_eq!(answer.json(), json!({ "revokedCount": 3 }));
    for key in &all {
        refused_in_time(there.address(), key, "a key of a user whose keys were all revoked").await;
    }

    for key in successors.iter().chain([overlapping, good]) {
        assert_eq!(there.send(&key.question()).await.status, 200, "other keys stay good");
    }
    for request in [successors[1].question(), Request::new("GET", "/api/whoami").bearer(&good.full_key)] {
        assert_eq!(fleet.instances[0].send(&request).await.status, 200);
    }
}

/// A measurement that starts now.
async fn refused_in_time(address: SocketAddr, key: &Key, what: &str) {
    let start = Instant::now();
    let (at, status) = first_refusal(address, key.question()).await;
    assert_eq!(status, 401, "{what}");
    let delay = accepted_for(at, start);
    assert!(delay <= REFUSED_WITHIN, "{what} was refused after {delay:?}");
}
