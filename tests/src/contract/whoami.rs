use serde_json::{Value, json};

use super::{assert_problem, assert_refused, assert_timestamp, started, without_request_id};
use crate::harness::{Request, Storage, on_both_databases};

on_both_databases!(shows_what_a_credential_is, notes_the_use_of_a_key, all_bad_keys_get_the_same_answer);

const PATH: &str = "/api/whoami";

async fn shows_what_a_credential_is(storage: Storage) {
    let (gatepost, alice) = started(&storage).await;
    let (full_key, id) = alice.created("ci").await;
    for request in [
        Request::new("GET", PATH).header("x-api-key", &full_key),
        Request::new("GET", PATH).header("X-API-KEY", &full_key),
        Request::new("GET", PATH).bearer(&full_key),
    ] {
        let response = gatepost.send(&request).await;
        assert_eq!(response.status, 200, "{}", response.text());
        assert_eq!(response.header("cache-control"), Some("no-store"));
        let answer = response.json();
        assert_eq!(answer["userId"], "alice");
        assert_eq!(answer["credential"]["kind"], "apiKey");
        assert_eq!(answer["credential"]["keyId"], id);
        assert_eq!(answer["credential"]["label"], "ci");
    }
    for request in
        [Request::new("GET", PATH).bearer(&alice.token), Request::new("GET", PATH).header("x-id-token", &alice.token)]
    {
        let answer = gatepost.send(&request).await.json();
        assert_eq!(answer, json!({ "userId": "alice", "credential": { "kind": "idToken" } }));
    }
}

async fn notes_the_use_of_a_key(storage: Storage) {
    let (gatepost, alice) = started(&storage).await;
    let (full_key, used) = alice.created("used").await;
    alice.created("unused").await;
    assert_eq!(gatepost.whoami(&full_key).await.status, 200);
    let keys = alice.keys().await;
    let last_use = |id: &str| keys.iter().find(|key| key["id"] == id).unwrap()["lastUsedAt"].clone();
    assert_timestamp(&last_use(&used));
    assert_eq!(keys[0]["lastUsedAt"], Value::Null, "the other key was never used");
}

async fn all_bad_keys_get_the_same_answer(storage: Storage) {
    let (gatepost, alice) = started(&storage).await;
    let (full_key, id) = alice.created("ci").await;
    assert_eq!(gatepost.whoami(&full_key).await.status, 200, "a key that is in memory");
    assert_eq!(alice.revoke(&id).await.status, 200);
    let mistyped = format!("{}0000", &full_key[..full_key.len() - 4]);
    let bad = [&full_key, &mistyped, "svc_live_", "nonsense", "ü", &"x".repeat(600), &full_key.to_uppercase()];
    let mut bodies = Vec::new();
    for key in bad {
        let response = gatepost.whoami(key).await;
        assert_refused(&response);
        bodies.push(without_request_id(&response));
    }
    assert!(bodies.windows(2).all(|two| two[0] == two[1]), "{bodies:?}");
    let none = gatepost.send(&Request::new("GET", PATH)).await;
    assert_problem(&none, 401, "credential_missing");
    assert_eq!(none.header("www-authenticate"), Some("Bearer realm=\"gatepost\""));
}
