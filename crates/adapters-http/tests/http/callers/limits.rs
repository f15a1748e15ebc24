//! How often a user may call, and how often credentials from an address may fail.

use domain::sessions::SessionRole;
use tokio::time::Instant;

use crate::boundary::logs::Lines;
use crate::server::{Server, Setup};
use crate::sessions::browser::session_of;
use crate::transcript::{ALICE, BOB, OPERATOR, Request, request};
use crate::webhooks::dispatcher::Receiver;
use crate::webhooks::subscriptions::{publish, subscribed};

const WRONG: (&str, &str) = ("authorization", "Bearer wrong.id.token");

async fn verdict(server: &Server, request: Request) -> String {
    request.send(server).await.verdict()
}

/// A user has one limit for all credentials. Other users are not affected, and verification does not count.
#[tokio::test(flavor = "multi_thread")]
async fn each_user_has_a_limit() {
    let server = Server::with(|setup| setup.settings.user_rate_limit = Some("4/m".parse().unwrap()));
    let begun = Instant::now();
    let created = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"CI"}"#).send(&server).await;
    let key = ("x-api-key", created.field("key"));
    for call in [
        request("GET /api/whoami").header(key),
        request("GET /api/api-keys").header(ALICE),
        request("GET /api/webhooks/subscriptions").header(ALICE),
    ] {
        assert_eq!(verdict(&server, call).await, "200");
    }
    for call in [
        request("GET /api/whoami").header(key),
        request("GET /api/api-keys").header(ALICE),
        request("POST /api/api-keys").header(ALICE).json("{}"),
    ] {
        let refused = call.send(&server).await;
        assert_eq!(refused.verdict(), "429 rate_limited");
        assert_eq!(refused.header("ratelimit-policy"), Some(r#""user";q=4;w=60"#));
        refused.assert_retry_after(15, begun);
    }
    assert_eq!(verdict(&server, request("GET /api/api-keys").header(BOB)).await, "200");
    let introspect = request("POST /api/operator/introspect").header(OPERATOR);
    let introspect = introspect.json(&format!(r#"{{"token":"{}"}}"#, created.field("key")));
    for _ in 0..6 {
        assert_eq!(verdict(&server, request("GET /forward-auth").header(key)).await, "200");
        assert!(introspect.send(&server).await.body.contains(r#""active":true"#));
    }
}

/// Retries, recoveries and tests share one limit, because each of them sends at once, whatever the schedule. A refused
/// recovery makes no delivery due.
#[tokio::test(flavor = "multi_thread")]
async fn each_user_has_a_limit_for_sending_by_hand() {
    let server = Server::with(|setup| setup.settings.manual_send_limit = Some("3/m".parse().unwrap()));
    let id = subscribed(&server, r#"["a"]"#).await;
    let call = |path: &str| request(path).header(ALICE);
    let test = call(&format!("POST /api/webhooks/subscriptions/{id}/test"));
    let recover = call(&format!("POST /api/webhooks/subscriptions/{id}/recover"));
    let begun = Instant::now();
    let sent = test.send(&server).await;
    let delivery = sent.body.split("\"dlv_").nth(1).unwrap().split('"').next().unwrap();
    let retry = call(&format!("POST /api/webhooks/deliveries/dlv_{delivery}/retry"));
    assert_eq!(verdict(&server, recover.clone().json("{}")).await, "400 invalid_field", "does not count");
    let recover = recover.json(r#"{"since":"2026-11-21T00:00:00Z"}"#);
    assert_eq!(verdict(&server, retry.clone()).await, "202");
    assert_eq!(verdict(&server, recover.clone()).await, "202");
    assert_eq!(server.dispatch(Receiver::Fails).await, 1);
    let group = call("POST /api/webhooks/failures/retry").json(&format!(r#"{{"subscriptionId":"{id}"}}"#));
    let url = call("POST /api/webhooks/test").json(r#"{"url":"https://example.com/"}"#);
    for refused in [&test, &retry, &recover, &group, &url] {
        let refused = refused.send(&server).await;
        assert_eq!(refused.verdict(), "429 too_many_manual_sends");
        assert_eq!(refused.header("ratelimit-policy"), Some(r#""manual-sends";q=3;w=60"#));
        refused.assert_retry_after(20, begun);
    }
    assert_eq!(server.dispatch(Receiver::Accepts).await, 0, "nothing was sent by hand");
    assert!(server.tested.attempts().is_empty(), "no URL was tested");
    let list = call("GET /api/webhooks/deliveries").send(&server).await;
    assert_eq!(list.status, 200, "other calls do not count");
    let stranger = request(&format!("POST /api/webhooks/subscriptions/{id}/test")).header(BOB);
    assert_eq!(verdict(&server, stranger).await, "404 subscription_not_found", "the limit of bob is its own");
}

/// A support case does not use up the user's limit on sending by hand.
#[tokio::test(flavor = "multi_thread")]
async fn an_operator_sends_by_hand_without_the_limit_of_the_user() {
    let server = Server::with(|setup| setup.settings.manual_send_limit = Some("1/m".parse().unwrap()));
    let id = subscribed(&server, r#"["a"]"#).await;
    publish(&server, 1).await;
    let list = request("GET /api/webhooks/deliveries").header(ALICE).send(&server).await;
    let delivery = list.field("id");
    let of_alice = "POST /api/operator/users/alice";
    let by_operator = [
        request(&format!("{of_alice}/deliveries/{delivery}/retry")),
        request(&format!("{of_alice}/subscriptions/{id}/recover")).json(r#"{"since":"2026-11-21T00:00:00Z"}"#),
        request(&format!("{of_alice}/failures/retry")).json(&format!(r#"{{"subscriptionId":"{id}"}}"#)),
    ];
    for call in by_operator {
        assert_eq!(verdict(&server, call.header(OPERATOR)).await, "202");
    }
    let own = request(&format!("POST /api/webhooks/deliveries/{delivery}/retry")).header(ALICE);
    assert_eq!(verdict(&server, own.clone()).await, "202");
    assert_eq!(verdict(&server, own).await, "429 too_many_manual_sends");
}

/// A call counts if its credential is good, also if the key lacks the scope or the visitor the capability.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_without_the_right_counts_against_the_user() {
    let server = Server::with(|setup| setup.settings.user_rate_limit = Some("3/m".parse().unwrap()));
    let created = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"CI","scopes":["orders:read"]}"#);
    let created = created.send(&server).await;
    let visitor = session_of(&server, "alice", SessionRole::Visitor([].into())).await;
    let by_key = request("GET /api/webhooks/subscriptions").header(("x-api-key", created.field("key")));
    let by_visitor = request("GET /api/api-keys").header(("cookie", &visitor));
    assert_eq!(verdict(&server, by_key.clone()).await, "403 insufficient_scope");
    assert_eq!(verdict(&server, by_visitor.clone()).await, "403 capability_missing");
    for call in [by_key, by_visitor, request("GET /api/api-keys").header(ALICE)] {
        assert_eq!(verdict(&server, call).await, "429 rate_limited");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_credentials_are_limited_by_address_and_good_ones_are_not() {
    let lines = Lines::capture();
    let mut setup = Setup::default();
    setup.settings.credential_failure_limit = Some("3/m".parse().unwrap());
    setup.settings.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    let server = setup.start();
    let client = ("x-forwarded-for", "2001:db8:5:5::1");
    let neighbour = ("x-forwarded-for", "2001:db8:5:5::2");
    let stranger = ("x-forwarded-for", "2001:db8:5:6::1");
    let failures = [
        request("GET /api/whoami").header(("x-api-key", "wrong")),
        request("GET /api/api-keys").header(WRONG),
        request("POST /api/operator/leaks").header(WRONG).json("{}"),
    ];
    let begun = Instant::now();
    for failure in &failures {
        assert_eq!(verdict(&server, failure.clone().header(client)).await, "401 credential_invalid");
    }
    for failure in &failures {
        let refused = failure.clone().header(neighbour).send(&server).await;
        assert_eq!(refused.verdict(), "429 too_many_credential_failures");
        refused.assert_retry_after(20, begun);
    }
    let of_stranger = request("GET /api/whoami").header(WRONG).header(stranger);
    assert_eq!(verdict(&server, of_stranger).await, "401 credential_invalid");
    assert_eq!(verdict(&server, request("GET /api/whoami").header(ALICE).header(client)).await, "200");
    assert_eq!(verdict(&server, request("GET /api/whoami").header(client)).await, "401 credential_missing");
    let gateway = request("GET /forward-auth").header(("x-api-key", "wrong")).header(client);
    let host = request("POST /api/operator/introspect").header(WRONG).json("{}").header(client);
    for verification in [gateway, host] {
        assert_eq!(verdict(&server, verification).await, "401 credential_invalid");
    }
    let text = lines.text();
    let reports =
        text.lines().filter(|line| line.contains("too many failed credentials") && line.contains("2001:db8:5:5::"));
    assert_eq!(reports.count(), 1);
}
