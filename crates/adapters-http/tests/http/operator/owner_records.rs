//! What a host sets for its customers, and the suspension of a customer.

use adapters_http::{OperatorScope, OperatorToken};
use serde_json::{Value, json};

use crate::server::{Server, Setup};
use crate::transcript::{ALICE, AMY, Request, Response, by_host, request, sent};

const OWNERS: [&str; 2] = ["users/alice", "organizations/acme"];

async fn suspend(server: &Server, owner: &str) -> Value {
    let body = r#"{"state":"suspended","reason":"unpaid"}"#;
    sent(server, by_host(&format!("PUT {owner}/state")).json(body)).await
}

async fn activate(server: &Server, owner: &str) -> Value {
    sent(server, by_host(&format!("PUT {owner}/state")).json(r#"{"state":"active"}"#)).await
}

fn code(answer: &Response) -> (u16, Value) {
    (answer.status, answer.json()["code"].clone())
}

/// A call of alice, or of amy for acme.
fn own(method: &str, path: &str, owner: &str) -> Request {
    let (query, header) = if owner.starts_with("users") { ("", ALICE) } else { ("?organization=acme", AMY) };
    request(&format!("{method} {path}{query}")).header(header)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_is_merged_and_has_its_defaults_again() {
    for owner in OWNERS {
        let server = Server::start();
        let default = json!({
            "name": null, "email": null, "metadata": {}, "maxActiveKeys": null, "maxSubscriptions": null,
            "keyRateLimit": null, "requestRateLimit": null, "state": {"state": "active"},
        });
        assert_eq!(sent(&server, by_host(&format!("GET {owner}"))).await, default);
        let patch = by_host(&format!("PATCH {owner}"));
        let body = r#"{"name":"Acme","email":"it@acme.example","metadata":{"plan":"pro","a":"b"},"maxActiveKeys":1}"#;
        sent(&server, patch.clone().json(body)).await;
        let body = r#"{"metadata":{"a":null},"maxSubscriptions":0,"keyRateLimit":"50/s","requestRateLimit":"90/h"}"#;
        let changed = sent(&server, patch.clone().json(body)).await;
        let expected = json!({
            "name": "Acme", "email": "it@acme.example", "metadata": {"plan": "pro"}, "maxActiveKeys": 1,
            "maxSubscriptions": 0, "keyRateLimit": "50/s", "requestRateLimit": "90/h", "state": {"state": "active"},
        });
        assert_eq!(changed, expected);
        assert_eq!(sent(&server, by_host(&format!("GET {owner}"))).await, expected);

        let label = r#"{"label":"CI"}"#;
        sent(&server, own("POST", "/api/api-keys", owner).json(label)).await;
        let refused = own("POST", "/api/api-keys", owner).json(label).send(&server).await;
        assert_eq!(code(&refused), (400, json!("api_key_limit_reached")));
        assert!(refused.body.contains("the maximum of 1 active keys is reached"), "{}", refused.body);
        let url = r#"{"url":"https://example.com/hook","events":["a"]}"#;
        let refused = own("POST", "/api/webhooks/subscriptions", owner).json(url).send(&server).await;
        assert_eq!(code(&refused), (400, json!("subscription_limit_reached")));

        let nulls = r#"{"name":null,"email":null,"metadata":null,"maxActiveKeys":null,"maxSubscriptions":null,
            "keyRateLimit":null,"requestRateLimit":null}"#;
        for _ in 0..2 {
            assert_eq!(sent(&server, patch.clone().json(nulls)).await, default);
        }
        sent(&server, own("POST", "/api/api-keys", owner).json(label)).await;
        let log = sent(&server, by_host(&format!("GET {owner}/audit"))).await;
        let events = log["events"].as_array().unwrap();
        let count = |action: &str| events.iter().filter(|event| event["action"] == action).count();
        assert_eq!((count("owner.changed"), count("data.read")), (3, 2), "the repetition is none: {log}");
    }
}

/// Bytes that are not UTF-8 are decoded to one and the same character: they would make one customer of two.
#[tokio::test(flavor = "multi_thread")]
async fn an_id_that_is_not_utf_8_names_nobody() {
    let server = Server::start();
    for line in
        ["PATCH users/M%FCller", "PATCH organizations/M%FC", "GET users/%ff%fe/keys", "GET events?userId=M%FCller"]
    {
        let answer = by_host(line).json("{}").send(&server).await;
        assert_eq!(code(&answer), (400, json!("invalid_field")), "{line}: {answer:?}");
        assert!(answer.body.contains("must be percent-encoded UTF-8"), "{line}: {answer:?}");
    }
    sent(&server, by_host("PATCH users/M%C3%BCller%25%EF%BF%BD").json("{}")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_record_cannot_have_is_named() {
    let server = Server::start();
    let long = "ä".repeat(201);
    for (body, fields) in [
        (r#"{"name":""}"#.to_owned(), &["name"][..]),
        (format!(r#"{{"name":"{long}"}}"#), &["name"]),
        ("{\"name\":\"a\u{202e}b\",\"email\":\"\u{80}\"}".to_owned(), &["name", "email"]),
        (r#"{"name":7,"email":"\u0000","maxActiveKeys":-1}"#.to_owned(), &["name", "email", "maxActiveKeys"]),
        (r#"{"maxActiveKeys":10001,"maxSubscriptions":1.5}"#.to_owned(), &["maxActiveKeys", "maxSubscriptions"]),
        (r#"{"keyRateLimit":"5","requestRateLimit":7}"#.to_owned(), &["keyRateLimit", "requestRateLimit"]),
        (r#"{"keyRateLimit":"0/s","requestRateLimit":"off"}"#.to_owned(), &["keyRateLimit", "requestRateLimit"]),
        (r#"{"requestRateLimit":"1000001/h","name":"stays out"}"#.to_owned(), &["requestRateLimit"]),
        (r#"{"metadata":{"A":"b"}}"#.to_owned(), &["metadata"]),
        (r#"{"metadata":{"a":""}}"#.to_owned(), &["metadata"]),
        (r#"{"metadata":[]}"#.to_owned(), &["metadata"]),
    ] {
        let answer = by_host("PATCH users/alice").json(&body).send(&server).await;
        let problem = answer.json();
        let named: Vec<&str> =
            problem["errors"].as_array().unwrap().iter().map(|error| error["field"].as_str().unwrap()).collect();
        assert_eq!((answer.status, &named[..]), (400, fields), "{body}: {problem}");
    }
    for (body, expected) in [
        (r#"{"metadata":{"a":"b","a":"c"}}"#, "invalid_json"),
        (r#"{"name":"a","name":"b"}"#, "invalid_json"),
        (r#"{"naem":"a"}"#, "unknown_field"),
        (r#"{"state":{"state":"suspended"}}"#, "unknown_field"),
    ] {
        let answer = by_host("PATCH users/alice").json(body).send(&server).await;
        assert_eq!(code(&answer), (400, json!(expected)), "{body}");
    }
    for body in [
        "{}",
        r#"{"state":"gone"}"#,
        r#"{"state":null}"#,
        r#"{"state":"suspended","reason":null}"#,
        r#"{"state":"suspended","reason":""}"#,
        r#"{"state":"active","reason":"paid"}"#,
    ] {
        let answer = by_host("PUT users/alice/state").json(body).send(&server).await;
        assert_eq!(code(&answer), (400, json!("invalid_field")), "{body}");
    }
    let record = sent(&server, by_host("GET users/alice")).await;
    assert_eq!(record["state"], json!({"state": "active"}));
    assert_eq!(record["name"], Value::Null, "a refused change stores no part");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suspended_owner_is_refused_until_the_host_ends_it() {
    for owner in OWNERS {
        let server = Server::start();
        let created = sent(&server, own("POST", "/api/api-keys", owner).json(r#"{"label":"CI"}"#)).await;
        let disabled = sent(&server, own("POST", "/api/api-keys", owner).json(r#"{"label":"off"}"#)).await;
        let off = format!("PATCH {owner}/keys/{}", disabled["keyId"].as_str().unwrap());
        sent(&server, by_host(&off).json(r#"{"disabled":true}"#)).await;
        let whoami = |key: &Value| request("GET /api/whoami").header(("x-api-key", key["key"].as_str().unwrap()));
        assert_eq!(whoami(&created).send(&server).await.status, 200);

        let record = suspend(&server, owner).await;
        let state = json!({"state": "suspended", "reason": "unpaid", "since": "2026-11-21T01:42:03.120Z"});
        assert_eq!(record["state"], state);
        assert_eq!(suspend(&server, owner).await, record, "a repetition changes nothing");
        let same_id = ("x-request-id", "5a3e");
        let refused = whoami(&created).header(same_id).send(&server).await;
        let unknown = request("GET /api/whoami").header(("x-api-key", "svc_live_unknown")).header(same_id);
        let unknown = unknown.send(&server).await;
        assert_eq!(refused.without_date(), unknown.without_date(), "the same as for an unknown key");
        let body = format!(r#"{{"token":"{}"}}"#, created["key"].as_str().unwrap());
        assert_eq!(sent(&server, by_host("POST introspect").json(&body)).await, json!({"active": false}));
        for (method, path) in [("GET", "/api/api-keys"), ("GET", "/api/whoami"), ("GET", "/api/webhooks/deliveries")] {
            let answer = own(method, path, owner).send(&server).await;
            assert_eq!(code(&answer), (403, json!("owner_suspended")), "{method} {path}");
        }
        let answer = own("POST", "/api/api-keys", owner).json(r#"{"label":"more"}"#).send(&server).await;
        assert_eq!(code(&answer), (403, json!("owner_suspended")));
        let other = if owner.starts_with("users") { AMY } else { ALICE };
        assert_eq!(request("GET /api/api-keys").header(other).send(&server).await.status, 200, "another owner");
        assert_eq!(sent(&server, by_host(&format!("GET {owner}/keys"))).await["keys"].as_array().unwrap().len(), 2);

        activate(&server, owner).await;
        assert_eq!(activate(&server, owner).await["state"], json!({"state": "active"}));
        assert_eq!(whoami(&created).send(&server).await.status, 200, "at once");
        assert_eq!(whoami(&disabled).send(&server).await.status, 401, "a key that was disabled stays so");
        assert_eq!(own("GET", "/api/api-keys", owner).send(&server).await.status, 200);
        let log = sent(&server, by_host(&format!("GET {owner}/audit"))).await;
        let events = log["events"].as_array().unwrap();
        let count = |action: &str| events.iter().filter(|event| event["action"] == action).count();
        assert_eq!((count("owner.suspended"), count("owner.activated")), (1, 1), "{log}");
    }
}

/// A member who is suspended acts for no organization, and the other members go on.
#[tokio::test(flavor = "multi_thread")]
async fn a_suspended_member_acts_for_no_organization() {
    let server = Server::start();
    suspend(&server, "users/amy").await;
    let answer = own("GET", "/api/api-keys", "organizations/acme").send(&server).await;
    assert_eq!(code(&answer), (403, json!("owner_suspended")));
    let record = sent(&server, by_host("GET organizations/acme")).await;
    assert_eq!(record["state"], json!({"state": "active"}), "the organization is not suspended");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_portal_link_of_a_suspended_owner_is_spent() {
    let server = Server::start();
    let link = sent(&server, by_host("POST portal-links").json(r#"{"userId":"alice"}"#)).await;
    suspend(&server, "users/alice").await;
    let code_of_link = link["url"].as_str().unwrap().split('#').nth(1).unwrap().to_owned();
    let body = json!({ "code": code_of_link }).to_string();
    let answer = request("POST /api/session").header(("sec-fetch-site", "same-origin")).json(&body).send(&server).await;
    assert_eq!(code(&answer), (410, json!("portal_link_spent")));
    let sessions = sent(&server, by_host("GET users/alice/sessions")).await;
    assert_eq!(sessions["sessions"], json!([]), "no session stays");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_erasure_is_confirmed_and_cannot_be_undone() {
    for owner in OWNERS {
        let server = Server::start();
        let id = owner.split('/').nth(1).unwrap();
        for confirmed in ["", "?confirm=", "?confirm=bob", &format!("?confirm={}", id.to_uppercase())] {
            let answer = by_host(&format!("DELETE {owner}{confirmed}")).send(&server).await;
            assert_eq!(code(&answer), (400, json!("invalid_field")), "{confirmed}");
            assert!(answer.body.contains(r#""field":"confirm""#), "{}", answer.body);
        }
        assert_eq!(sent(&server, by_host(&format!("GET {owner}"))).await["state"], json!({"state": "active"}));
        let erase = by_host(&format!("DELETE {owner}?confirm={id}"));
        let begun = erase.clone().send(&server).await;
        assert_eq!(begun.status, 202);
        assert_eq!(sent(&server, erase).await["state"]["state"], "erasing", "a repetition");
        let answer = by_host(&format!("PUT {owner}/state")).json(r#"{"state":"active"}"#).send(&server).await;
        assert_eq!(code(&answer), (409, json!("owner_erasing")));
        assert_eq!(suspend(&server, owner).await["state"]["state"], "erasing", "stays suspended");
        let link =
            if owner == OWNERS[0] { json!({ "userId": id }) } else { json!({ "organizationId": id }) }.to_string();
        let created = [
            by_host(&format!("POST {owner}/keys")).json(r#"{"label":"a"}"#),
            by_host(&format!("POST {owner}/subscriptions")).json(r#"{"url":"https://example.com","events":["*"]}"#),
            by_host(&format!("PATCH {owner}")).json(r#"{"name":"a"}"#),
            by_host("POST portal-links").json(&link),
        ];
        for call in created {
            assert_eq!(code(&call.send(&server).await), (409, json!("owner_erasing")), "it would be gone soon");
        }
        let record = sent(&server, by_host(&format!("GET {owner}"))).await;
        assert_eq!(record["name"], Value::Null, "the refused change is not stored");
        assert_eq!(by_host(&format!("DELETE {owner}/keys")).send(&server).await.status, 200, "an end creates nothing");
        assert_eq!(code(&own("GET", "/api/api-keys", owner).send(&server).await), (403, json!("owner_suspended")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_scopes_of_the_token_decide() {
    for (scope, may_see, may_change) in [
        (OperatorScope::Support, true, false),
        (OperatorScope::Manage, false, true),
        (OperatorScope::Verify, false, false),
    ] {
        let token = OperatorToken::new("host", vec![scope], "host-secret");
        let server = Server::with(|setup| setup.operator_tokens.push(token));
        for owner in OWNERS {
            for (line, body, may) in [
                (format!("GET /api/operator/{owner}"), None, may_see),
                (format!("PATCH /api/operator/{owner}"), Some("{}"), may_change),
                (format!("PUT /api/operator/{owner}/state"), Some(r#"{"state":"active"}"#), may_change),
            ] {
                let call = request(&line).header(("authorization", "Bearer host-secret"));
                let call = body.map_or_else(|| call.clone(), |body| call.clone().json(body));
                let status = call.send(&server).await.status;
                assert_eq!(status, if may { 200 } else { 403 }, "{scope:?} {line}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_with_an_id_token_is_a_sign_in_and_one_with_a_key_is_none() {
    for notes_sign_ins in [true, false] {
        let server = Setup { notes_sign_ins, ..Setup::default() }.start();
        let key = sent(&server, by_host("POST users/alice/keys").json(r#"{"label":"CI"}"#)).await["key"].clone();
        let with_key = request("GET /api/whoami").header(("x-api-key", key.as_str().unwrap()));
        sent(&server, with_key).await;
        let seen = async |owner: &str| sent(&server, by_host(&format!("GET {owner}"))).await["lastSeenAt"].clone();
        assert_eq!(seen("users/alice").await, Value::Null);
        sent(&server, own("GET", "/api/api-keys", "users/alice")).await;
        sent(&server, own("GET", "/api/api-keys", "organizations/acme")).await;
        for user in ["users/alice", "users/amy"] {
            assert_eq!(seen(user).await.is_string(), notes_sign_ins, "{user}");
        }
        assert_eq!(seen("organizations/acme").await, Value::Null, "the member has signed in");
    }
}
