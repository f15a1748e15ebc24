use serde_json::{Value, json};

use super::{assert_problem, assert_record, assert_timestamp, started};
use crate::harness::{Setup, Storage, on_both_databases};

on_both_databases!(
    sets_the_time_and_answers_the_list,
    a_second_revocation_changes_nothing,
    refuses_a_missing_key_id,
    unknown_and_foreign_keys_get_different_errors,
);

async fn sets_the_time_and_answers_the_list(storage: Storage) {
    let (_gatepost, alice) = started(&storage).await;
    let (_, revoked) = alice.created("revoked").await;
    let (_, kept) = alice.created("kept").await;
    let response = alice.revoke(&revoked).await;
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(response.header("cache-control"), Some("no-store"));
    let answer = response.json();
    assert_eq!(answer.as_object().unwrap().len(), 1, "the object form: {answer}");
    let keys = answer["keys"].as_array().unwrap();
    keys.iter().for_each(assert_record);
    let of = |id: &str| keys.iter().find(|key| key["id"] == id).unwrap();
    assert_timestamp(&of(&revoked)["revokedAt"]);
    assert_eq!(of(&kept)["revokedAt"], Value::Null);
    assert_eq!(&alice.keys().await, keys);
}

async fn a_second_revocation_changes_nothing(storage: Storage) {
    let (_gatepost, alice) = started(&storage).await;
    let (_, id) = alice.created("ci").await;
    let first = alice.revoke(&id).await;
    let second = alice.revoke(&id).await;
    assert_eq!(second.status, 200);
    assert_eq!(first.json(), second.json());
}

async fn refuses_a_missing_key_id(storage: Storage) {
    let (_gatepost, alice) = started(&storage).await;
    alice.created("ci").await;
    for body in
        [json!({}), json!({ "keyId": null }), json!({ "keyId": "" }), json!({ "keyId": " " }), json!({ "keyId": 7 })]
    {
        let problem = assert_problem(&alice.delete(&body).await, 400, "invalid_field");
        assert_eq!(problem["errors"][0]["field"], "keyId", "{body}");
    }
    assert_eq!(alice.keys().await[0]["revokedAt"], Value::Null);
}

async fn unknown_and_foreign_keys_get_different_errors(storage: Storage) {
    let gatepost = Setup::serve(&storage).await.start().await;
    let (alice, bob) = (gatepost.user("alice"), gatepost.user("bob"));
    let (full_key, id) = alice.created("ci").await;
    assert_problem(&bob.revoke(&id).await, 403, "key_not_owned");
    assert_eq!(gatepost.whoami(&full_key).await.status, 200, "the key stays good");
    for unknown in
        ["key_01h455vb4pex5vsknk084sn02q", "not an id of Gatepost", "key_", "sub_01h455vb4pex5vsknk084sn02q", "🔑"]
    {
        assert_problem(&alice.revoke(unknown).await, 404, "key_not_found");
    }
    assert_problem(&alice.revoke(&id.to_uppercase()).await, 404, "key_not_found");
    assert_eq!(alice.keys().await[0]["revokedAt"], Value::Null);
}
