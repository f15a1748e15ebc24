//! `/api/webhooks/subscriptions`: the contract of creation, and the calls on a subscription.

use std::time::Duration;

use insta::assert_snapshot;

use crate::callers::matrix::documented;
use crate::server::Server;
use crate::transcript::{ALICE, BOB, Request, Transcript, by_host, request};

const GOOD: &str = r#"{"url":"https://example.com/hooks","events":["invoice.*"]}"#;

pub(crate) fn create(body: &str) -> Request {
    request("POST /api/webhooks/subscriptions").header(ALICE).json(body)
}

/// Creates a subscription for Alice to `events`, a JSON list, and returns its id.
pub(crate) async fn subscribed(server: &Server, events: &str) -> String {
    let body = format!(r#"{{"url":"https://example.com/hooks","events":{events}}}"#);
    create(&body).send(server).await.field("id").to_owned()
}

/// Enables or disables a subscription of Alice.
pub(crate) async fn switch(server: &Server, id: &str, enabled: bool) {
    let patch = request(&format!("PATCH /api/webhooks/subscriptions/{id}")).header(ALICE);
    assert_eq!(patch.json(&format!(r#"{{"enabled":{enabled}}}"#)).send(server).await.status, 200);
}

/// Publishes events of the type `a` for Alice.
pub(crate) async fn publish(server: &Server, count: usize) {
    let event = by_host("POST events").json(r#"{"userId":"alice","type":"a","data":1}"#);
    for _ in 0..count {
        assert_eq!(event.send(server).await.status, 202);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_is_created_shown_changed_and_deleted() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let created = transcript.send(&server, create(GOOD)).await;
    let path = format!("/api/webhooks/subscriptions/{}", created.field("id"));
    transcript.send(&server, request(&format!("GET {path}")).header(ALICE)).await;
    server.clock.advance(Duration::from_secs(1));
    let change = r#"{"url":"https://example.com/new#part","events":["a","b.*","a"],"description":"x\ny"}"#;
    let bodies = [change, r#"{"enabled":false}"#, "{}", r#"{"enabled":true}"#];
    transcript.send_each(&server, bodies.map(|body| request(&format!("PATCH {path}")).header(ALICE).json(body))).await;
    transcript.send(&server, request("GET /api/webhooks/subscriptions").header(ALICE)).await;
    transcript.send(&server, request(&format!("DELETE {path}")).header(ALICE)).await;
    transcript.send(&server, request(&format!("DELETE {path}")).header(ALICE)).await;
    transcript.send(&server, request("GET /api/webhooks/subscriptions").header(ALICE)).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_and_a_token_create_alike() {
    let server = Server::start();
    let key = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"CI"}"#);
    let key = key.send(&server).await;
    let bearer = format!("Bearer {}", key.field("key"));
    let anonymous = request("POST /api/webhooks/subscriptions").json(GOOD);
    for header in [("x-api-key", key.field("key")), ("authorization", &bearer), ALICE, ("x-id-token", "alice.id.token")]
    {
        assert_eq!(anonymous.clone().header(header).send(&server).await.status, 200, "{header:?}");
    }
    assert_eq!(anonymous.send(&server).await.verdict(), "401 credential_missing");
    let list = request("GET /api/webhooks/subscriptions").header(ALICE).send(&server).await;
    assert_eq!(list.body.matches("\"sub_").count(), 4);
}

/// Credentials are checked before anything else.
#[tokio::test(flavor = "multi_thread")]
async fn without_a_credential_a_malformed_request_is_a_401() {
    let server = Server::start();
    let operations = documented().into_iter().filter(|operation| operation.contains(" /api/webhooks/"));
    let operations: Vec<String> = operations.collect();
    assert!(operations.len() > 20, "{operations:?}");
    for operation in operations {
        let call = request(&format!("{}?x", operation.replace(['{', '}'], ""))).json("{");
        assert_eq!(call.send(&server).await.verdict(), "401 credential_missing", "{operation}");
        let wrong = call.header(("x-api-key", "svc_live_unknown"));
        assert_eq!(wrong.send(&server).await.verdict(), "401 credential_invalid", "{operation}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_field_of_a_creation_is_named() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let with_url = |url: &str| format!(r#"{{"url":"{url}","events":["a"]}}"#);
    let with_events = |events: &str| format!(r#"{{"url":"https://example.com","events":{events}}}"#);
    let with_secret = |secret: &str| format!(r#"{{"url":"https://example.com","events":["a"],"secret":{secret}}}"#);
    let (long_url, too_many) = ("a".repeat(2_030), vec!["\"a\""; 101].join(","));
    let too_many_different: Vec<String> = (0..101).map(|n| format!("\"e.{n}\"")).collect();
    let mut bodies = vec![String::new(), "{}".into(), r#"{"url":7,"events":"a","description":1,"secret":[]}"#.into()];
    let urls = [
        "",
        "/hooks",
        "example.com",
        "ftp://example.com",
        "http://example.com",
        "https://u:p@example.com",
        "https://localhost",
        "https://127.0.0.1",
        "https://2130706433",
        "https://[::1]",
        "https://169.254.169.254",
        "https://example.com:22",
    ];
    bodies.extend(urls.map(with_url));
    bodies.push(with_url(&format!("https://example.com/{long_url}")));
    let events = ["[]", "[7]", "null", r#"["a","b c"]"#, r#"["*.paid"]"#, r#"[""]"#];
    bodies.extend(events.map(with_events));
    bodies.push(with_events(&format!("[{}]", too_many_different.join(","))));
    bodies.extend(["\"\"", "\"a\\u0000\"", "\"whsec_\"", "\"whsec_AAAA\"", "\"whsec_!\""].map(with_secret));
    bodies.push(with_secret(&format!("\"{}\"", "a".repeat(257))));
    for description in [format!("\"{}\"", "a".repeat(1_001)), r#""a\u0000""#.into()] {
        bodies.push(format!(r#"{{"url":"https://example.com","events":["a"],"description":{description}}}"#));
    }
    transcript.send_each(&server, bodies.iter().map(|body| create(body))).await;
    assert_snapshot!(transcript.text());

    assert_eq!(create(&with_events(&format!("[{too_many}]"))).send(&server).await.status, 200, "one name, 101 times");
    for good in [
        r#"{"url":"https://example.com","events":["*"],"description":null,"secret":null}"#,
        r#"{"url":"https://example.com","events":["a"],"secret":"a"}"#,
    ] {
        assert_eq!(create(good).send(&server).await.status, 200, "{good}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_field_of_a_change_is_named() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let id = subscribed(&server, r#"["a"]"#).await;
    let patch = request(&format!("PATCH /api/webhooks/subscriptions/{id}")).header(ALICE);
    let bodies = [
        r#"{"url":null,"events":null,"description":null,"enabled":null}"#,
        r#"{"url":"x","events":[],"description":7,"enabled":"yes"}"#,
        r#"{"enable":false}"#,
        r#"{"id":"sub_1","secret":"a","createdAt":"2026-11-21T01:42:03.120Z"}"#,
        r#"{"enabled":true,"enabled":false}"#,
        "[]",
        "{",
    ];
    transcript.send_each(&server, bodies.map(|body| patch.clone().json(body))).await;
    assert_snapshot!(transcript.text());
    let found = request(&format!("GET /api/webhooks/subscriptions/{id}")).header(ALICE).send(&server).await;
    assert!(found.body.contains(r#""events":["a"]"#) && found.body.contains(r#""enabled":true"#), "{}", found.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_maximum_holds_until_one_is_deleted() {
    let server = Server::with(|setup| setup.webhook_policy.max_subscriptions = 2);
    let mut transcript = Transcript::default();
    let (first, second) = (create(GOOD).send(&server).await, create(GOOD).send(&server).await);
    transcript.send(&server, create(GOOD)).await;
    assert_snapshot!(transcript.text());
    switch(&server, first.field("id"), false).await;
    assert_eq!(create(GOOD).send(&server).await.verdict(), "400 subscription_limit_reached", "disabled ones count");
    let others = request("POST /api/webhooks/subscriptions").header(BOB).json(GOOD);
    assert_eq!(others.send(&server).await.status, 200);
    let delete = request(&format!("DELETE /api/webhooks/subscriptions/{}", second.field("id"))).header(ALICE);
    assert_eq!(delete.send(&server).await.status, 204);
    assert_eq!(create(GOOD).send(&server).await.status, 200);
}

/// The answer about another user's subscription is byte for byte the answer about an unknown one.
#[tokio::test(flavor = "multi_thread")]
async fn of_other_users_ids_nothing_is_told() {
    let server = Server::start();
    let id = subscribed(&server, r#"["a"]"#).await;
    for (method, end, body) in [
        ("GET", "", ""),
        ("PATCH", "", r#"{"enabled":false}"#),
        ("DELETE", "", ""),
        ("POST", "/rotate-secret", "{}"),
        ("POST", "/test", ""),
        ("POST", "/recover", r#"{"since":"2026-11-21T00:00:00Z"}"#),
    ] {
        let mut answers = Vec::new();
        for id in [&id, "sub_00000000000000000000000000", "dlv_00000000000000000000000000", "7", "%C3%A9", "%ff"] {
            let call = request(&format!("{method} /api/webhooks/subscriptions/{id}{end}"));
            let call = call.header(BOB).header(("x-request-id", "5a3e"));
            let call = if body.is_empty() { call } else { call.json(body) };
            answers.push(call.send(&server).await.without_date());
        }
        assert!(answers[0].contains("404") && answers[0].contains("subscription_not_found"), "{}", answers[0]);
        assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{method} {end}: {answers:#?}");
    }
    let found = request(&format!("GET /api/webhooks/subscriptions/{id}")).header(ALICE).send(&server).await;
    assert!(found.body.contains(r#""enabled":true"#), "{}", found.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_comes_in_pages_newest_first() {
    let server = Server::start();
    let mut ids = Vec::new();
    for _ in 0..5 {
        server.clock.advance(Duration::from_millis(1));
        ids.push(subscribed(&server, r#"["a"]"#).await);
    }
    ids.reverse();
    for limit in [1, 2, 4, 5, 200] {
        let (mut shown, mut cursor) = (Vec::new(), String::new());
        loop {
            let line = format!("GET /api/webhooks/subscriptions?limit={limit}{cursor}");
            let page = request(&line).header(ALICE).send(&server).await;
            let of_page: Vec<String> =
                page.body.split("\"id\":\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect();
            assert!((1..=limit).contains(&of_page.len()), "{}", page.body);
            shown.extend(of_page);
            if !page.body.contains("nextCursor") {
                break;
            }
            cursor = format!("&cursor={}", page.field("nextCursor"));
        }
        assert_eq!(shown, ids, "{limit}");
    }
    let others = request("GET /api/webhooks/subscriptions").header(BOB).send(&server).await;
    assert_eq!(others.body, r#"{"subscriptions":[]}"#);
}

/// One call shows the health of all subscriptions.
#[tokio::test(flavor = "multi_thread")]
async fn a_list_includes_the_health_of_each_subscription_for_who_asks() {
    let server = Server::start();
    let id = subscribed(&server, r#"["a"]"#).await;
    let plain = request("GET /api/webhooks/subscriptions").header(ALICE).send(&server).await;
    assert!(plain.body.contains(&id) && !plain.body.contains("health"), "{}", plain.body);
    let full = request("GET /api/webhooks/subscriptions?include=health").header(ALICE).send(&server).await;
    let health = r#""health":{"state":"healthy","reason":null,"failingSince":null,"pausedUntil":null,"waiting":0,"lastAttempt":null}"#;
    assert!(full.body.contains(&id) && full.body.contains(health), "{}", full.body);
    let wrong = request("GET /api/webhooks/subscriptions?include=secrets").header(ALICE).send(&server).await;
    assert_eq!((wrong.verdict().as_str(), wrong.field("field")), ("400 invalid_field", "include"));
    let others = request("GET /api/webhooks/subscriptions?include=health").header(BOB).send(&server).await;
    assert_eq!(others.body, r#"{"subscriptions":[]}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_page_is_named() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    for query in ["limit=0", "limit=201", "limit=x", "cursor=", "cursor=x", "curser=x", "limit=1&limit=2", "%zz=1"] {
        transcript.send(&server, request(&format!("GET /api/webhooks/subscriptions?{query}")).header(ALICE)).await;
    }
    assert_snapshot!(transcript.text());
}

/// Deleted subscriptions stay in the log, so a loop that creates and deletes them ends.
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_times_the_maximum_may_be_deleted() {
    let server = Server::with(|setup| setup.webhook_policy.max_subscriptions = 1);
    for _ in 0..100 {
        let id = subscribed(&server, r#"["a"]"#).await;
        let deletion = request(&format!("DELETE /api/webhooks/subscriptions/{id}")).header(ALICE);
        assert_eq!(deletion.send(&server).await.status, 204);
    }
    let refused = create(GOOD).send(&server).await;
    assert_eq!(refused.verdict(), "400 subscription_limit_reached");
    assert_eq!(refused.field("detail"), "the maximum of 100 deleted subscriptions that the log remembers is reached");
}
