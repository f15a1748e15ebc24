//! An operator finds owners by an id, a name, an address or a key.

use adapters_http::{OperatorScope, OperatorToken};
use serde_json::{Value, json};

use crate::server::Server;
use crate::transcript::{ALICE, OPERATOR, request};

async fn answer(server: &Server, query: &str) -> (u16, Value) {
    let answer = request(&format!("GET /api/operator/owners{query}")).header(OPERATOR).send(server).await;
    (answer.status, answer.json())
}

/// The kinds and ids of the owners on a page.
async fn found(server: &Server, query: &str) -> Vec<String> {
    let (status, page) = answer(server, query).await;
    assert_eq!(status, 200, "{query}: {page}");
    let owners = page["owners"].as_array().unwrap().iter();
    owners.map(|owner| format!("{} {}", owner["kind"].as_str().unwrap(), owner["id"].as_str().unwrap())).collect()
}

/// Alice has a key and a webhook, the organization acme has a name, and bob is suspended.
async fn with_owners() -> (Server, Value) {
    let server = Server::start();
    let change = async |line: &str, header, body: &str| {
        let answer = request(line).header(header).json(body).send(&server).await;
        assert!(answer.status < 300, "{line}: {answer:?}");
        answer.json()
    };
    let key = change("POST /api/api-keys", ALICE, r#"{"label":"CI"}"#).await;
    let url = r#"{"url":"https://example.com/hook","events":["a"]}"#;
    change("POST /api/webhooks/subscriptions", ALICE, url).await;
    let names = r#"{"name":"Alice GmbH","email":"it@acme.example","maxActiveKeys":7}"#;
    change("PATCH /api/operator/organizations/acme", OPERATOR, names).await;
    let suspended = r#"{"state":"suspended","reason":"unpaid"}"#;
    change("PUT /api/operator/users/bob/state", OPERATOR, suspended).await;
    (server, key)
}

#[tokio::test(flavor = "multi_thread")]
async fn owners_are_found_and_shown_with_what_they_have() {
    let (server, key) = with_owners().await;
    let (_, page) = answer(&server, "?query=ALICE").await;
    let acme = json!({
        "kind": "organization", "id": "acme", "name": "Alice GmbH", "email": "it@acme.example", "metadata": {},
        "maxActiveKeys": 7, "maxSubscriptions": null, "keyRateLimit": null, "requestRateLimit": null,
        "state": {"state": "active"}, "activeKeys": 0, "enabledSubscriptions": 0, "failingSubscriptions": 0,
    });
    assert_eq!(page, json!({ "owners": [acme] }), "ids are compared byte for byte");
    let (_, page) = answer(&server, "?query=al&limit=1").await;
    let alice = json!({
        "kind": "user", "id": "alice", "name": null, "email": null, "metadata": {}, "maxActiveKeys": null,
        "maxSubscriptions": null, "keyRateLimit": null, "requestRateLimit": null, "state": {"state": "active"},
        "activeKeys": 1, "enabledSubscriptions": 1, "failingSubscriptions": 0,
    });
    assert_eq!(page["owners"], json!([alice]));
    let next = format!("?query=al&cursor={}", page["nextCursor"].as_str().unwrap());
    assert_eq!(found(&server, &next).await, ["organization acme"], "ids come before names");

    let preview = &key["key"].as_str().unwrap()[..14];
    for (query, expected) in [
        ("", vec!["organization acme", "user alice", "user bob"]),
        ("?state=suspended", vec!["user bob"]),
        ("?state=active", vec!["organization acme", "user alice"]),
        ("?query=IT%40acme", vec!["organization acme"]),
        (&format!("?query={preview}"), vec!["user alice"]),
        (&format!("?query={preview}&state=suspended"), vec![]),
        ("?query=lice", vec![]),
    ] {
        assert_eq!(found(&server, query).await, expected, "{query}");
    }
    let log = request("GET /api/operator/users/alice/audit").header(OPERATOR).send(&server).await;
    assert!(!log.body.contains("data.read"), "a search names nobody: {}", log.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_search_cannot_have_is_named() {
    let (server, key) = with_owners().await;
    let long = "a".repeat(256);
    let whole = key["key"].as_str().unwrap();
    for (query, field) in [
        ("?query=".to_owned(), "query"),
        (format!("?query={long}"), "query"),
        ("?query=a%00".to_owned(), "query"),
        (format!("?query={whole}"), "query"),
        ("?state=gone".to_owned(), "state"),
        ("?cursor=AQ".to_owned(), "cursor"),
        ("?limit=201".to_owned(), "limit"),
        ("?name=alice".to_owned(), "query"),
    ] {
        let (status, problem) = answer(&server, &query).await;
        assert_eq!((status, problem["errors"][0]["field"].as_str()), (400, Some(field)), "{query}: {problem}");
        assert!(!problem.to_string().contains(whole), "a key is not repeated: {problem}");
    }
    for (scope, expected) in [(OperatorScope::Support, 200), (OperatorScope::Manage, 403)] {
        let token = OperatorToken::new("host", vec![scope], "host-secret");
        let server = Server::with(|setup| setup.operator_tokens.push(token));
        let call = request("GET /api/operator/owners").header(("authorization", "Bearer host-secret"));
        assert_eq!(call.send(&server).await.status, expected, "{scope:?}");
    }
    assert_eq!(request("GET /api/operator/owners").header(ALICE).send(&server).await.status, 401);
}
