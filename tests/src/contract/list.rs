use serde_json::{Value, json};

use super::{assert_record, started};
use crate::harness::{Setup, Storage, on_both_databases};

on_both_databases!(is_empty_for_a_new_user, lists_own_keys_newest_first, survives_a_restart);

async fn is_empty_for_a_new_user(storage: Storage) {
    let gatepost = Setup::serve(&storage).await.start().await;
    let response = gatepost.user("alice").list().await;
    assert_eq!(response.status, 200);
    assert_eq!(response.header("content-type"), Some("application/json"));
    assert_eq!(response.header("cache-control"), Some("no-store"));
    assert_eq!(response.json(), json!({ "keys": [] }));
}

async fn lists_own_keys_newest_first(storage: Storage) {
    let gatepost = Setup::serve(&storage).await.start().await;
    let (alice, bob) = (gatepost.user("alice"), gatepost.user("bob"));
    for label in ["a", "b", "c", "d"] {
        alice.created(label).await;
        bob.created("bob's").await;
    }
    let keys = alice.keys().await;
    let labels: Vec<&Value> = keys.iter().map(|key| &key["label"]).collect();
    assert_eq!(labels, ["d", "c", "b", "a"]);
    keys.iter().for_each(assert_record);
    let other_issuer_same_subject = gatepost.user("Alice");
    assert_eq!(other_issuer_same_subject.keys().await, Vec::<Value>::new(), "subjects differ by case");
}

async fn survives_a_restart(storage: Storage) {
    let (mut gatepost, alice) = started(&storage).await;
    let (full_key, id) = alice.created("kept").await;
    alice.created("other").await;
    alice.revoke(&id).await;
    let before = alice.keys().await;
    gatepost.stop().await;
    gatepost.start_again().await;
    assert_eq!(alice.keys().await, before);
    assert_eq!(gatepost.whoami(&full_key).await.status, 401, "a revoked key stays revoked");
}
