use serde_json::json;

use super::{assert_problem, assert_refused, without_request_id};
use crate::harness::{Request, Setup, Storage, User, on_both_databases};

on_both_databases!(
    the_token_comes_in_three_forms,
    several_credentials_must_be_equal,
    a_missing_credential_is_401_before_anything_else,
    all_bad_tokens_get_the_same_answer,
    access_tokens_are_accepted_if_the_settings_say_so,
    an_api_key_manages_no_keys,
);

const PATH: &str = "/api/api-keys";

async fn the_token_comes_in_three_forms(storage: Storage) {
    let gatepost = Setup::serve(&storage).await.start().await;
    let token = gatepost.provider().token("alice");
    let create = Request::new("POST", PATH);
    let forms = [
        create.clone().header("Authorization", &format!("Bearer {token}")).json(&json!({ "label": "header" })),
        create.clone().header("authorization", &format!("bEARER {token}")).json(&json!({ "label": "scheme" })),
        create.clone().header("X-ID-Token", &token).json(&json!({ "label": "x-id-token" })),
        create.clone().json(&json!({ "label": "body", "idToken": token })),
        create.bearer(&token).header("x-id-token", &token).json(&json!({ "label": "all", "idToken": token })),
    ];
    for form in &forms {
        let response = gatepost.send(form).await;
        assert_eq!(response.status, 200, "{}", response.text());
    }
    let list = gatepost.send(&Request::new("GET", PATH).header("x-id-token", &token)).await;
    let keys = list.json()["keys"].as_array().unwrap().clone();
    assert_eq!(keys.len(), forms.len(), "every call was by alice");
    let revoke = Request::new("DELETE", PATH).json(&json!({ "keyId": keys[0]["id"], "idToken": token }));
    assert_eq!(gatepost.send(&revoke).await.status, 200);
}

async fn several_credentials_must_be_equal(storage: Storage) {
    let gatepost = Setup::serve(&storage).await.start().await;
    let (alice, bob) = (gatepost.provider().token("alice"), gatepost.provider().token("bob"));
    let create = Request::new("POST", PATH);
    let disagreeing = [
        create.clone().bearer(&alice).header("x-id-token", &bob).json(&json!({ "label": "x" })),
        create.clone().bearer(&alice).json(&json!({ "label": "x", "idToken": bob })),
        create.clone().header("x-id-token", &alice).json(&json!({ "label": "x", "idToken": bob })),
        create.bearer(&alice).header("x-id-token", "nonsense").json(&json!({ "label": "x" })),
        Request::new("GET", PATH).bearer(&alice).header("x-id-token", &bob),
    ];
    for request in &disagreeing {
        assert_refused(&gatepost.send(request).await);
    }
    assert!(gatepost.user("alice").keys().await.is_empty());
}

async fn a_missing_credential_is_401_before_anything_else(storage: Storage) {
    let gatepost = Setup::serve(&storage).await.start().await;
    let token = gatepost.provider().token("alice");
    let requests = [
        Request::new("GET", PATH),
        Request::new("POST", PATH).json(&json!({ "label": "x" })),
        Request::new("DELETE", PATH).json(&json!({ "keyId": "x" })),
        Request::new("POST", PATH).json(&json!({})),
        Request::new("POST", PATH).text("application/json", "{ not json"),
        Request::new("POST", PATH).text("text/plain", "label"),
        Request::new("GET", PATH).header("authorization", &format!("Basic {token}")),
        Request::new("GET", &format!("{PATH}?idToken={token}&access_token={token}")),
    ];
    for request in &requests {
        let response = gatepost.send(request).await;
        assert_problem(&response, 401, "credential_missing");
        assert_eq!(response.header("www-authenticate"), Some("Bearer realm=\"gatepost\""));
    }
    let bad_token = Request::new("POST", PATH).bearer("nonsense").text("application/json", "{ not json");
    assert_refused(&gatepost.send(&bad_token).await);
    let bad_body = Request::new("POST", PATH).bearer(&token).text("application/json", "{ not json");
    assert_problem(&gatepost.send(&bad_body).await, 400, "invalid_json");
}

async fn all_bad_tokens_get_the_same_answer(storage: Storage) {
    let gatepost = Setup::serve(&storage).await.start().await;
    let (provider, now) = (gatepost.provider(), crate::harness::seconds_since_1970());
    let good = provider.token("alice");
    let with = |claims| provider.token_with("alice", &claims);
    let bad = [
        "nonsense".to_owned(),
        "a.b.c".to_owned(),
        good[..good.len() - 4].to_owned(),
        format!("{good}x"),
        with(json!({ "exp": now - 120 })),
        with(json!({ "exp": null })),
        with(json!({ "nbf": now + 600 })),
        with(json!({ "iss": "https://elsewhere.example" })),
        with(json!({ "aud": "somebody else" })),
        with(json!({ "aud": null })),
        with(json!({ "sub": null })),
        with(json!({ "sub": "" })),
        crate::harness::IdentityProvider::start().await.token("alice"),
    ];
    let mut bodies = Vec::new();
    for token in &bad {
        let response = User::new(gatepost.address(), token.clone()).list().await;
        assert_refused(&response);
        bodies.push(without_request_id(&response));
    }
    assert!(bodies.windows(2).all(|two| two[0] == two[1]), "{bodies:?}");
    assert_eq!(gatepost.user("alice").list().await.status, 200);
}

async fn an_api_key_manages_no_keys(storage: Storage) {
    let gatepost = Setup::serve(&storage).await.start().await;
    let (full_key, id) = gatepost.user("alice").created("ci").await;
    let with_key = |request: Request| {
        let in_body = json!({ "label": "x", "keyId": id, "idToken": full_key });
        [
            request.clone().bearer(&full_key).json(&in_body),
            request.clone().header("x-api-key", &full_key).json(&json!({ "label": "x", "keyId": id })),
            request.clone().header("x-id-token", &full_key).json(&json!({ "label": "x", "keyId": id })),
            request.json(&in_body),
        ]
    };
    for request in with_key(Request::new("POST", PATH)).iter().chain(&with_key(Request::new("DELETE", PATH))) {
        assert_eq!(gatepost.send(request).await.status, 401);
    }
    assert_eq!(gatepost.send(&Request::new("GET", PATH).header("x-api-key", &full_key)).await.status, 401);
    assert_eq!(gatepost.user("alice").keys().await.len(), 1);
    assert_eq!(gatepost.whoami(&full_key).await.status, 200);
}

/// The access token alone names the organization, as at some providers. Without the setting it is a wrong credential.
async fn access_tokens_are_accepted_if_the_settings_say_so(storage: Storage) {
    let setup = Setup::serve(&storage).await.with("OIDC_ORGANIZATION_CLAIM", "/org_id");
    let setup = setup.with("ORGANIZATION_ROLES", "*=keys");
    let list = |token: &str, organization: &str| Request::new("GET", &format!("{PATH}{organization}")).bearer(token);
    for (kinds, id_token, access_token, robot) in
        [("id", 200, 401, 401), ("access", 401, 200, 401), ("id,access", 200, 200, 401)]
    {
        let mut gatepost = setup.clone().with("OIDC_TOKENS", kinds).start().await;
        let provider = gatepost.provider();
        let claims = json!({ "org_id": "acme" });
        let access = provider.access_token("alice", "app", &claims);
        for (token, expected) in [
            (provider.token("alice"), id_token),
            (access.clone(), access_token),
            (provider.access_token("robot", "robot", &claims), robot),
        ] {
            let answer = gatepost.send(&list(&token, "")).await;
            assert_eq!(answer.status, expected, "{kinds}: {}", answer.text());
        }
        if access_token == 200 {
            let body = json!({ "label": "CI", "idToken": access });
            let created = gatepost.send(&Request::new("POST", &format!("{PATH}?organization=acme")).json(&body)).await;
            assert_eq!(created.status, 200, "{}", created.text());
            assert_eq!(gatepost.send(&list(&access, "?organization=globex")).await.status, 404);
        }
        gatepost.kill().await;
    }
}
