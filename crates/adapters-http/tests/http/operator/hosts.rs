//! The host application acts for its customers: the calls of an owner, at the paths of operators.

use adapters_http::{OperatorScope, OperatorToken};
use domain::sessions::SessionRole;
use serde_json::{Value, json};

use crate::server::{Server, Setup, read_to_end, read_until};
use crate::sessions::browser::{SAME_ORIGIN, session_of};
use crate::transcript::{ALICE, AMY, Request, Response, by_host, request, sent};
use crate::webhooks::attempt_stream::open;

const OWNERS: [&str; 2] = ["users/alice", "organizations/acme"];

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is a string")).to_owned()
}

/// A server for a host with these scopes and the token `host-secret`.
fn server_for(scopes: &[OperatorScope]) -> Server {
    let token = OperatorToken::new("host", scopes.to_vec(), "host-secret");
    Server::with(|setup| setup.operator_tokens.push(token))
}

const HOST: (&str, &str) = ("authorization", "Bearer host-secret");

#[tokio::test(flavor = "multi_thread")]
async fn a_host_makes_changes_and_revokes_a_key_of_a_customer() {
    for owner in OWNERS {
        let server = Server::start();
        let body = r#"{"label":"CI","scopes":["orders:read"],"metadata":{"plan":"pro"},"rateLimit":"5/s","expiresAt":"2027-01-01T00:00:00Z"}"#;
        let created = sent(&server, by_host(&format!("POST {owner}/keys")).json(body)).await;
        let (key, id) = (text(&created["key"]), text(&created["keyId"]));
        let listed = &created["keys"][0];
        assert_eq!((&listed["scopes"], &listed["metadata"]), (&json!(["orders:read"]), &json!({"plan": "pro"})));
        assert_eq!((&listed["rateLimit"], listed.get("createdBy")), (&json!("5/s"), None), "{listed}");
        let whoami = request("GET /api/whoami").header(("x-api-key", &key));
        let named = sent(&server, whoami.clone()).await;
        let is_users = owner.starts_with("users");
        assert_eq!(named[if is_users { "userId" } else { "organizationId" }], owner.split('/').nth(1).unwrap());

        let change = by_host(&format!("PATCH {owner}/keys/{id}"));
        sent(&server, change.clone().json(r#"{"disabled":true}"#)).await;
        assert_eq!(whoami.send(&server).await.status, 401);
        sent(&server, change.json(r#"{"disabled":false,"label":"CI 2"}"#)).await;
        let rotated = sent(&server, by_host(&format!("POST {owner}/keys/{id}/rotate"))).await;
        let rotated_id = text(&rotated["keyId"]);
        assert_eq!((&rotated["keys"][0]["label"], rotated["keys"][0].get("createdBy")), (&json!("CI 2"), None));
        for usage in ["keys/usage".to_owned(), format!("keys/{rotated_id}/usage")] {
            sent(&server, by_host(&format!("GET {owner}/{usage}"))).await;
        }
        sent(&server, by_host(&format!("DELETE {owner}/keys/{rotated_id}"))).await;
        let refused = request("GET /api/whoami").header(("x-api-key", &text(&rotated["key"]))).send(&server).await;
        assert_eq!(refused.status, 401);
        let log = sent(&server, by_host(&format!("GET {owner}/audit"))).await;
        let mut done: Vec<_> = log["events"].as_array().unwrap().iter().map(|event| text(&event["action"])).collect();
        done.sort_unstable();
        let expected =
            ["data.read", "data.read", "key.changed", "key.changed", "key.created", "key.revoked", "key.rotated"];
        assert_eq!(done, expected, "reading the log is not recorded: {log}");
        for event in log["events"].as_array().unwrap() {
            assert_eq!(event["actor"], json!({"type": "operator", "id": "operator"}), "{event}");
            assert!(event.get("address").is_none(), "the answer is the owner's: {event}");
        }
        let (path, header) = if is_users { ("", ALICE) } else { ("?organization=acme", AMY) };
        let own = request(&format!("GET /api/audit{path}")).header(header);
        assert_eq!(sent(&server, own).await, log);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_subscribes_a_url_for_a_customer() {
    for owner in OWNERS {
        let server = Server::start();
        let url = r#"{"url":"https://example.com/hook","events":["a"]}"#;
        let created = sent(&server, by_host(&format!("POST {owner}/subscriptions")).json(url)).await;
        assert!(text(&created["secret"]).starts_with("whsec_"));
        let id = text(&created["subscription"]["id"]);
        assert_eq!((created["subscription"].get("createdBy"), created["subscription"].get("urlSetBy")), (None, None));
        let subscription = format!("{owner}/subscriptions/{id}");
        sent(&server, by_host(&format!("PATCH {subscription}")).json(r#"{"description":"d"}"#)).await;
        let rotated = sent(&server, by_host(&format!("POST {subscription}/rotate-secret"))).await;
        assert_ne!(rotated["secret"], created["secret"]);
        let tested = sent(&server, by_host(&format!("POST {subscription}/test"))).await;
        let delivery = format!("{owner}/deliveries/{}", text(&tested["delivery"]["id"]));
        sent(&server, by_host(&format!("POST {delivery}/cancel"))).await;
        sent(&server, by_host(&format!("POST {delivery}/retry"))).await;
        sent(&server, by_host(&format!("POST {owner}/test")).json(r#"{"url":"https://example.com/accepts"}"#)).await;
        for read in [
            format!("{subscription}/recoverable?since=2026-01-01T00:00:00Z"),
            format!("{subscription}/times"),
            format!("{subscription}/outcomes"),
            format!("{owner}/outcomes"),
        ] {
            sent(&server, by_host(&format!("GET {read}"))).await;
        }
        let removed = by_host(&format!("DELETE {subscription}")).send(&server).await;
        assert!(removed.status < 300, "{removed:?}");
        let gone = by_host(&format!("GET {subscription}")).send(&server).await;
        assert_eq!(gone.verdict(), "404 subscription_not_found");
    }
}

/// An owner's credential is refused in a call of an operator.
#[tokio::test(flavor = "multi_thread")]
async fn the_bodies_of_a_host_have_no_id_token() {
    let server = Server::start();
    let created = sent(&server, by_host("POST users/alice/keys").json(r#"{"label":"a"}"#)).await;
    let id = text(&created["keyId"]);
    for (line, body) in [
        ("POST users/alice/keys".to_owned(), r#"{"label":"b","idToken":"bob.id.token"}"#),
        (format!("PATCH users/alice/keys/{id}"), r#"{"label":"b","idToken":"bob.id.token"}"#),
        (format!("POST users/alice/keys/{id}/rotate"), r#"{"idToken":"bob.id.token"}"#),
    ] {
        let refused = by_host(&line).json(body).send(&server).await;
        assert_eq!(refused.verdict(), "400 unknown_field", "{line}");
        assert!(!refused.body.contains("bob.id.token") && !refused.body.contains("known are expiresAt, idToken"));
        let unproved = request(&line.replace(' ', " /api/operator/")).json(body).send(&server).await;
        assert_eq!(unproved.verdict(), "401 credential_missing", "an ID token opens nothing here: {line}");
    }
    let keys = sent(&server, by_host("GET users/alice/keys")).await;
    assert_eq!((keys["keys"].as_array().unwrap().len(), &keys["keys"][0]["label"]), (1, &json!("a")));
}

/// Reads need `support` and changes `manage`. Changes that `support` could make before stay open to it.
#[tokio::test(flavor = "multi_thread")]
async fn a_host_does_what_its_scopes_allow() {
    use OperatorScope::{Manage, Publish, Support, Verify};
    let (read, mend, change) = (&[Support][..], &[Support, Manage][..], &[Manage][..]);
    for scopes in [&[Verify, Publish][..], &[Support], &[Manage], &[Support, Manage]] {
        let server = server_for(scopes);
        for (line, sufficient) in [
            ("GET keys", read),
            ("GET keys/x/usage", read),
            ("GET audit", read),
            ("GET sessions", read),
            ("GET deliveries/stream?subscriptionId=x", read),
            ("DELETE keys", mend),
            ("DELETE keys/x", mend),
            ("DELETE sessions", mend),
            ("DELETE sessions/x", mend),
            ("POST subscriptions/x/recover", mend),
            ("POST deliveries/x/retry", mend),
            ("POST failures/retry", mend),
            ("POST keys", change),
            ("PATCH keys/x", change),
            ("POST keys/x/rotate", change),
            ("POST subscriptions", change),
            ("PATCH subscriptions/x", change),
            ("DELETE subscriptions/x", change),
            ("POST subscriptions/x/rotate-secret", change),
            ("POST subscriptions/x/test", change),
            ("POST test", change),
            ("POST deliveries/x/cancel", change),
        ] {
            for owner in OWNERS {
                let answer = request(&line.replacen(' ', &format!(" /api/operator/{owner}/"), 1)).header(HOST);
                let is_refused = answer.send(&server).await.verdict() == "403 operator_scope_missing";
                let may = sufficient.iter().any(|scope| scopes.contains(scope));
                assert_eq!(is_refused, !may, "{scopes:?}: {line} of {owner}");
            }
        }
    }
    let server = server_for(&[Verify]);
    let refused = request("DELETE /api/operator/users/alice/keys").header(HOST).send(&server).await;
    assert!(refused.body.contains("the operator token host lacks the scope support or manage"), "{refused:?}");
}

/// An operator in a browser is not a member of the organization.
#[tokio::test(flavor = "multi_thread")]
async fn an_operator_in_a_browser_is_no_creator_and_changes_nothing_from_another_site() {
    let server = Setup { operators_sign_in: true, ..Setup::default() }.start();
    let cookie = session_of(&server, "oscar", SessionRole::Operator).await;
    let create = request("POST /api/operator/organizations/acme/keys").header(("cookie", &cookie));
    let create = create.json(r#"{"label":"a"}"#);
    let elsewhere = create.clone().header(("sec-fetch-site", "cross-site")).send(&server).await;
    assert_eq!(elsewhere.verdict(), "403 cross_site_request");
    let created = sent(&server, create.header(SAME_ORIGIN)).await;
    assert_eq!(created["keys"][0].get("createdBy"), None, "{created}");
    let rotate = format!("POST /api/operator/organizations/acme/keys/{}/rotate", text(&created["keyId"]));
    let rotated = sent(&server, request(&rotate).header(("cookie", &cookie)).header(SAME_ORIGIN)).await;
    assert_eq!(rotated["keys"][0].get("createdBy"), None, "{rotated}");
    let subscribe = request("POST /api/operator/organizations/acme/subscriptions").header(("cookie", &cookie));
    let subscribe = subscribe.header(SAME_ORIGIN).json(r#"{"url":"https://example.com/","events":["a"]}"#);
    assert_eq!(sent(&server, subscribe).await["subscription"].get("createdBy"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_path_names_the_owner_and_nothing_else_does() {
    let server = Server::start();
    let of_odd = by_host("POST users/auth0%7CZo%C3%AB%2F100%25/keys").json(r#"{"label":"a"}"#);
    let created = sent(&server, of_odd).await;
    let odd = request("GET /api/api-keys").header(("x-id-token", "odd.id.token"));
    assert_eq!(sent(&server, odd).await["keys"][0]["id"], created["keyId"]);
    let id = text(&created["keyId"]);
    for (line, verdict) in [
        ("POST users/a%00b/keys".to_owned(), "400 invalid_field"),
        ("POST organizations/a%00b/keys".to_owned(), "400 invalid_field"),
        (format!("POST users/{}/keys", "a".repeat(256)), "400 invalid_field"),
        ("POST users/alice/keys?organization=acme".to_owned(), "400 invalid_field"),
        (format!("PATCH users/alice/keys/{id}"), "403 key_not_owned"),
        (format!("POST organizations/alice/keys/{id}/rotate"), "403 key_not_owned"),
        (format!("PATCH users/alice/keys/{id}%2Frotate"), "404 key_not_found"),
        ("PATCH users/alice/keys/..%2F..%2Fbob%2Fkeys%2Fx".to_owned(), "404 key_not_found"),
        ("GET users/alice/whoami".to_owned(), "404 not_found"),
    ] {
        let call = by_host(&line);
        let call = if line.starts_with("GET") { call } else { call.json(r#"{"label":"a"}"#) };
        let call = if line.ends_with("/rotate") { by_host(&line) } else { call };
        assert_eq!(call.send(&server).await.verdict(), verdict, "{line}");
    }
    // The user with this odd id is not the organization.
    let of_user = by_host("POST users/organization%3Ahttps%3A%2F%2Fid.example/keys").json(r#"{"label":"a"}"#);
    sent(&server, of_user).await;
    assert_eq!(sent(&server, by_host("GET organizations/acme/keys")).await["keys"], json!([]));
}

/// A customer's limits are for the customer's own calls.
#[tokio::test(flavor = "multi_thread")]
async fn the_calls_of_a_host_do_not_use_up_the_limits_of_its_customer() {
    let mut setup = Setup::default();
    setup.settings.user_rate_limit = Some("2/h".parse().unwrap());
    setup.settings.manual_send_limit = Some("1/h".parse().unwrap());
    setup.settings.limits.event_streams_per_user_max = 1;
    let server = setup.start();
    let url = r#"{"url":"https://example.com/accepts"}"#;
    for _ in 0..3 {
        sent(&server, by_host("POST users/alice/test").json(url)).await;
    }
    let of_host = open(&server, by_host("GET users/alice/deliveries/stream")).await;
    let second = by_host("GET users/bob/deliveries/stream").send(&server).await;
    assert_eq!(second.verdict(), "503 too_many_streams", "hosts share the places of one owner");
    sent(&server, request("POST /api/webhooks/test").header(ALICE).json(url)).await;
    open(&server, request("GET /api/webhooks/deliveries/stream").header(ALICE)).await;
    assert_eq!(request("GET /api/whoami").header(ALICE).send(&server).await.verdict(), "429 rate_limited");
    drop(of_host);
}

/// A stream of a host ends when its token is removed.
#[tokio::test(flavor = "multi_thread")]
async fn a_stream_lasts_as_long_as_the_token() {
    let server = Server::start();
    let mut connection = open(&server, by_host("GET users/alice/deliveries/stream")).await;
    let url = r#"{"url":"https://example.com/hook","events":["a"]}"#;
    let id = text(&sent(&server, by_host("POST users/alice/subscriptions").json(url)).await["subscription"]["id"]);
    server.clock.advance(std::time::Duration::from_secs(1));
    sent(&server, by_host(&format!("POST users/alice/subscriptions/{id}/test"))).await;
    assert_eq!(server.dispatch(crate::webhooks::dispatcher::Receiver::Accepts).await, 1);
    let event = read_until(&mut connection, "}}\n\n").await;
    assert!(event.contains(&id), "{event}");
    assert!(server.operator_tokens.replace(&adapters_http::OperatorTokens::default()));
    assert!(read_to_end(&mut connection).await.ends_with("0\r\n\r\n"));
    let log = request("GET /api/audit?action=data.read").header(ALICE).send(&server).await;
    assert!(log.body.contains(r#""target":{"type":"deliveries"}"#), "{}", log.body);
}

/// An operator who has signed in from another machine cannot make changes for others that only this machine may make.
#[tokio::test(flavor = "multi_thread")]
async fn a_host_changes_webhooks_only_from_where_the_owner_may() {
    let server =
        Server::with(|setup| setup.settings.webhook_changes = Some(|headers| !headers.contains_key("x-forwarded-for")));
    for line in ["POST users/alice/subscriptions", "POST users/alice/test", "POST users/alice/failures/retry"] {
        let call = by_host(line).json("{}");
        let forwarded = call.clone().header(("x-forwarded-for", "203.0.113.1")).send(&server).await;
        assert_eq!(forwarded.verdict(), "403 not_local", "{line}");
        assert_eq!(call.send(&server).await.verdict(), "400 invalid_field", "{line}");
    }
    let create = by_host("POST users/alice/keys").json(r#"{"label":"a"}"#);
    sent(&server, create.header(("x-forwarded-for", "203.0.113.1"))).await;
}

/// The host and members that compete for the last places get exactly the maximum.
#[tokio::test(flavor = "multi_thread")]
async fn the_host_and_members_together_make_exactly_the_maximum() {
    let server = Server::start();
    let calls = (0..30).map(|n| {
        let of_member = request("POST /api/api-keys?organization=acme").header(AMY);
        let call = if n % 2 == 0 { by_host("POST organizations/acme/keys") } else { of_member };
        call.json(r#"{"label":"a"}"#)
    });
    let calls: Vec<Request> = calls.collect();
    let answers = futures_util::future::join_all(calls.iter().map(|call| call.send(&server))).await;
    let made = |answer: &&Response| answer.status == 200;
    assert_eq!(answers.iter().filter(made).count(), 10);
    assert!(answers.iter().all(|answer| answer.status == 200 || answer.body.contains("api_key_limit_reached")));
}

/// An organization is found by its own parameter, and a user with the same id is another owner.
#[tokio::test(flavor = "multi_thread")]
async fn a_host_lists_the_events_and_the_changes_of_an_organization() {
    let server = Server::start();
    for owner in ["userId", "organizationId"] {
        sent(&server, by_host("POST events").json(&format!(r#"{{"{owner}":"acme","type":"a","data":1}}"#))).await;
    }
    let listed = sent(&server, by_host("GET events?organizationId=acme")).await;
    let events = listed["events"].as_array().unwrap();
    assert_eq!((events.len(), &events[0]["event"]["organizationId"]), (1, &json!("acme")), "{listed}");
    let log = sent(&server, by_host("GET audit?organizationId=acme")).await;
    let [read] = &log["events"].as_array().unwrap()[..] else { panic!("{log}") };
    assert_eq!((&read["action"], &read["organizationId"]), (&json!("data.read"), &json!("acme")), "the owner sees it");
    let export = by_host("GET audit?organizationId=acme&format=jsonl").send(&server).await;
    assert!(export.body.contains(read["id"].as_str().unwrap()), "{}", export.body);
    for list in ["events", "audit"] {
        let both = by_host(&format!("GET {list}?userId=acme&organizationId=acme")).send(&server).await;
        assert_eq!(both.verdict(), "400 invalid_field");
        assert!(both.body.contains(r#""field":"organizationId""#), "{}", both.body);
    }
}
