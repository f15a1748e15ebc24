use serde_json::{Value, json};

use super::{assert_problem, assert_record, assert_timestamp, started};
use crate::harness::{Setup, Storage, on_both_databases};

on_both_databases!(
    answers_the_full_key_its_id_and_the_list,
    trims_the_label_and_keeps_it,
    refuses_invalid_labels,
    stops_at_the_maximum_until_a_revocation,
    accepts_an_expiry_time,
    follows_the_configured_prefix_and_maximum,
);

async fn answers_the_full_key_its_id_and_the_list(storage: Storage) {
    let gatepost = Setup::serve(&storage).await.start().await;
    let response = gatepost.user("alice").create("ci").await;
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(response.header("content-type"), Some("application/json"));
    assert_eq!(response.header("cache-control"), Some("no-store"));

    let answer = response.json();
    let mut fields: Vec<&String> = answer.as_object().unwrap().keys().collect();
    fields.sort_unstable();
    assert_eq!(fields, ["key", "keyId", "keys"]);
    let full_key = answer["key"].as_str().unwrap();
    assert!(full_key.starts_with("svc_live_") && full_key.len() == 9 + 32 + 6, "{} characters", full_key.len());
    let id = answer["keyId"].as_str().unwrap();
    assert!(id.starts_with("key_") && id.len() == 30, "{id}");

    let [record] = answer["keys"].as_array().unwrap().as_slice() else { panic!("{}", answer["keys"]) };
    assert_record(record);
    assert_eq!(record["id"], id);
    assert_eq!(record["label"], "ci");
    assert_eq!(record["prefix"], format!("{}...", &full_key[..12]));
    assert_eq!((&record["lastUsedAt"], &record["revokedAt"]), (&Value::Null, &Value::Null));
}

async fn trims_the_label_and_keeps_it(storage: Storage) {
    let (_gatepost, alice) = started(&storage).await;
    let longest = "ü".repeat(100);
    for (given, kept) in
        [("  ci \t", "ci"), ("a \"b\" \\ 'c' <d> %s ; --", "a \"b\" \\ 'c' <d> %s ; --"), ("日本 🔑", "日本 🔑")]
            .into_iter()
            .chain([(longest.as_str(), longest.as_str())])
    {
        let response = alice.create(given).await;
        assert_eq!(response.status, 200, "{given}: {}", response.text());
        assert_eq!(response.json()["keys"][0]["label"], kept);
    }
    let twice = alice.create("ci").await;
    assert_eq!(twice.status, 200, "labels need not be unique");
}

async fn refuses_invalid_labels(storage: Storage) {
    let (_gatepost, alice) = started(&storage).await;
    let too_long = "x".repeat(101);
    let wrong = [
        json!({}),
        json!({ "label": null }),
        json!({ "label": "" }),
        json!({ "label": "  \t " }),
        json!({ "label": 7 }),
        json!({ "label": ["ci"] }),
        json!({ "label": too_long }),
        json!({ "label": "a\u{0}b" }),
        json!({ "label": "a\nb" }),
    ];
    for body in wrong {
        let response = alice.post(&body).await;
        let problem = assert_problem(&response, 400, "invalid_field");
        assert_eq!(problem["errors"][0]["field"], "label", "{body}");
        assert!(problem["errors"][0]["detail"].is_string(), "{body}");
    }
    let misspelt = alice.post(&json!({ "label": "ci", "scope": ["orders:read"] })).await;
    let problem = assert_problem(&misspelt, 400, "unknown_field");
    assert_eq!(problem["errors"][0]["detail"], "is unknown; did you mean scopes?");
    assert_eq!(alice.keys().await.len(), 0, "a refused request stores nothing");
}

async fn stops_at_the_maximum_until_a_revocation(storage: Storage) {
    let gatepost = Setup::serve(&storage).await.start().await;
    let (alice, bob) = (gatepost.user("alice"), gatepost.user("bob"));
    let mut ids = Vec::new();
    for number in 0..10 {
        ids.push(alice.created(&format!("key {number}")).await.1);
    }
    assert_problem(&alice.create("one more than the maximum").await, 400, "api_key_limit_reached");
    assert_eq!(alice.keys().await.len(), 10);
    bob.created("another user's").await;
    assert_eq!(alice.revoke(&ids[3]).await.status, 200);
    alice.created("room again").await;
    assert_problem(&alice.create("one more than the maximum").await, 400, "api_key_limit_reached");
    assert_eq!(alice.keys().await.len(), 11, "the revoked key is listed and does not count");
}

async fn accepts_an_expiry_time(storage: Storage) {
    let (_gatepost, alice) = started(&storage).await;
    let response = alice.post(&json!({ "label": "ci", "expiresAt": "2031-02-03T04:05:06.789+01:00" })).await;
    assert_eq!(response.status, 200, "{}", response.text());
    let record = &response.json()["keys"][0];
    assert_timestamp(&record["expiresAt"]);
    assert_eq!(record["expiresAt"], "2031-02-03T03:05:06.789Z");
    assert_eq!(record.as_object().unwrap().len(), 7);
    for wrong in [json!("2001-01-01T00:00:00Z"), json!("2999-01-01T00:00:00Z"), json!("tomorrow"), json!(7)] {
        let problem =
            assert_problem(&alice.post(&json!({ "label": "x", "expiresAt": wrong })).await, 400, "invalid_field");
        assert_eq!(problem["errors"][0]["field"], "expiresAt", "{wrong}");
    }
}

async fn follows_the_configured_prefix_and_maximum(storage: Storage) {
    let setup = Setup::serve(&storage).await.with("API_KEYS_MAX_ACTIVE", "1");
    let gatepost = setup.with("API_KEY_PREFIX", "acme_t_").with("API_KEY_PREFIX_LENGTH", "3").start().await;
    let alice = gatepost.user("alice");
    let (full_key, _) = alice.created("ci").await;
    assert!(full_key.starts_with("acme_t_") && full_key.len() == 7 + 38, "{} characters", full_key.len());
    assert_eq!(alice.keys().await[0]["prefix"], "acm...", "a prefix longer than the preview is cut");
    assert_problem(&alice.create("second").await, 400, "api_key_limit_reached");
}
