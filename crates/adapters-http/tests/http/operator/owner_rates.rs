//! Rate limits of customers: the host sets them, and they replace the limits of the service.

use serde_json::json;

use crate::server::{Server, Setup};
use crate::sessions::browser::user_session;
use crate::transcript::{ALICE, AMY, BOB, OPERATOR, Request, Response, request};

async fn set(server: &Server, owner: &str, body: &str) {
    let changed = request(&format!("PATCH /api/operator/{owner}")).header(OPERATOR).json(body).send(server).await;
    assert_eq!(changed.status, 200, "{changed:?}");
}

async fn created(server: &Server, who: (&str, &str), query: &str, body: &str) -> Response {
    request(&format!("POST /api/api-keys{query}")).header(who).json(body).send(server).await
}

/// The limit that a use of the key is above of; `None` if the use is within it.
async fn policy(server: &Server, call: &Request) -> Option<String> {
    let answer = call.send(server).await;
    let policy = answer.header("ratelimit-policy").map(str::to_owned);
    assert_eq!((answer.status == 429, answer.status == 200), (policy.is_some(), policy.is_none()), "{answer:?}");
    policy
}

/// How many of several uses in a row are within the limit.
async fn uses(server: &Server, call: &Request) -> usize {
    for used in 0..20 {
        if policy(server, call).await.is_some() {
            return used;
        }
    }
    20
}

#[tokio::test(flavor = "multi_thread")]
async fn the_limit_of_an_owner_takes_the_place_of_that_of_the_service_for_each_key() {
    for rate_limit in ["2/h".parse().ok(), None] {
        let server = Setup { rate_limit, ..Setup::default() }.start();
        let of_service = if rate_limit.is_some() { 2 } else { 20 };
        let mut keys = Vec::new();
        for who in [ALICE, ALICE, BOB] {
            let key = created(&server, who, "", r#"{"label":"CI"}"#).await;
            keys.push(request("GET /forward-auth").header(("x-api-key", key.field("key"))));
        }
        assert_eq!(uses(&server, &keys[0]).await, of_service);
        set(&server, "users/alice", r#"{"keyRateLimit":"5/h"}"#).await;
        assert_eq!(uses(&server, &keys[0]).await, 5, "the limit of the owner begins with its whole allowance");
        assert_eq!(uses(&server, &keys[1]).await, 5, "each key has the whole limit");
        assert_eq!(uses(&server, &keys[2]).await, of_service, "the limit of bob is that of the service");
        assert_eq!(policy(&server, &keys[0]).await.as_deref(), Some(r#""key";q=5;w=3600"#));

        set(&server, "users/alice", r#"{"name":"Alice","maxActiveKeys":9}"#).await;
        assert_eq!(uses(&server, &keys[0]).await, 0, "another change renews no allowance");
        set(&server, "users/alice", r#"{"keyRateLimit":"6/h"}"#).await;
        assert_eq!(uses(&server, &keys[0]).await, 0, "a changed limit is as used up as before");
        set(&server, "users/alice", r#"{"keyRateLimit":null}"#).await;
        let left = if rate_limit.is_some() { 0 } else { 20 };
        assert_eq!(uses(&server, &keys[0]).await, left, "the limit of the service again, as it was used");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_owner_sets_for_a_key_stays_within_the_limit_of_the_owner() {
    for (owner, who, query) in [("users/alice", ALICE, ""), ("organizations/acme", AMY, "?organization=acme")] {
        let server = Setup { rate_limit: "3/h".parse().ok(), ..Setup::default() }.start();
        set(&server, owner, r#"{"keyRateLimit":"8/h"}"#).await;
        let refused = created(&server, who, query, r#"{"label":"CI","rateLimit":"9/h"}"#).await;
        let problem = refused.json();
        let fault = json!([{ "field": "rateLimit", "detail": "must be within 8/h, in the rate and in the count" }]);
        assert_eq!((refused.status, &problem["errors"]), (400, &fault));
        let own = created(&server, who, query, r#"{"label":"own","rateLimit":"7/h"}"#).await;
        let by_host = request(&format!("POST /api/operator/{owner}/keys")).header(OPERATOR);
        let by_host = by_host.json(r#"{"label":"host","rateLimit":"9/h"}"#).send(&server).await;
        let calls = [&own, &by_host].map(|key| request("GET /forward-auth").header(("x-api-key", key.field("key"))));
        let change = request(&format!("PATCH /api/api-keys/{}{query}", own.field("keyId"))).header(who);
        let raised = change.clone().json(r#"{"rateLimit":"9/h"}"#).send(&server).await;
        assert_eq!((raised.status, raised.body.contains("8/h")), (400, true), "{raised:?}");
        assert_eq!(change.json(r#"{"rateLimit":"6/h"}"#).send(&server).await.status, 200);
        assert_eq!(uses(&server, &calls[0]).await, 6, "what the owner has set");
        assert_eq!(uses(&server, &calls[1]).await, 9, "what the host has set");

        set(&server, owner, r#"{"keyRateLimit":"4/h"}"#).await;
        let policies = [policy(&server, &calls[0]).await, policy(&server, &calls[1]).await];
        let expected = ["4", "9"].map(|count| Some(format!(r#""key";q={count};w=3600"#)));
        assert_eq!(policies, expected, "the owner's own limit gives way, and that of the host does not");
        let listed = request(&format!("GET /api/api-keys{query}")).header(who).send(&server).await;
        assert!(listed.body.contains(r#""rateLimit":"6/h""#), "the key keeps what was set: {}", listed.body);
        set(&server, owner, r#"{"keyRateLimit":null}"#).await;
        let of_service = uses(&server, &calls[0]).await;
        assert_eq!(of_service, 3, "that of the service, which is lower than what the owner has set");
    }
}

/// The limit of calls is the owner's, whichever credential calls. It takes the place of the limit of the service, also of
/// none.
#[tokio::test(flavor = "multi_thread")]
async fn the_limit_of_calls_of_an_owner_holds_for_every_credential() {
    for user_rate_limit in ["2/h".parse().ok(), None] {
        let server = Server::with(|setup| setup.settings.user_rate_limit = user_rate_limit);
        let body = r#"{"requestRateLimit":"6/h"}"#;
        for owner in ["users/alice", "organizations/acme", "users/zoe"] {
            set(&server, owner, body).await;
        }
        let key = created(&server, ALICE, "", r#"{"label":"CI"}"#).await;
        let session = user_session(&server, "alice").await;
        let calls = [
            request("GET /api/webhooks/subscriptions").header(("x-api-key", key.field("key"))),
            request("GET /api/api-keys").header(("cookie", &session)),
            request("GET /api/session").header(("cookie", &session)),
            request("GET /api/api-keys").header(ALICE),
        ];
        for call in &calls {
            assert_eq!(policy(&server, call).await, None);
        }
        let verification = request("GET /forward-auth").header(("x-api-key", key.field("key")));
        assert_eq!(uses(&server, &verification).await, 20, "verification does not count");
        assert_eq!(uses(&server, &calls[0]).await, 1);
        for call in &calls {
            assert_eq!(policy(&server, call).await.as_deref(), Some(r#""user";q=6;w=3600"#));
        }
        let by_operator = request("GET /api/operator/users/alice/keys").header(OPERATOR);
        assert_eq!(uses(&server, &by_operator).await, 20, "calls of the host do not count");
        let of_service = if user_rate_limit.is_some() { 2 } else { 20 };
        assert_eq!(uses(&server, &request("GET /api/api-keys").header(BOB)).await, of_service);
        let in_acme = request("GET /api/api-keys?organization=acme");
        let (by_amy, by_zoe) = (in_acme.clone().header(AMY), in_acme.header(("x-id-token", "zoe.id.token")));
        assert_eq!(uses(&server, &by_amy).await, of_service, "a member has the limit of the person");
        assert_eq!(uses(&server, &by_zoe).await, 6, "that of the person's record");

        set(&server, "users/alice", r#"{"requestRateLimit":"9/h"}"#).await;
        for call in &calls {
            let policy = policy(&server, call).await;
            assert_eq!(policy.as_deref(), Some(r#""user";q=9;w=3600"#), "at once, and as used up as before");
        }
        set(&server, "users/alice", r#"{"requestRateLimit":null}"#).await;
        assert_eq!(uses(&server, &calls[1]).await, of_service);
    }
}

/// The key of an organization calls for it, so its calls have the limit of the organization.
#[tokio::test(flavor = "multi_thread")]
async fn the_limit_of_calls_of_an_organization_holds_for_its_keys() {
    let server = Server::start();
    let key = created(&server, AMY, "?organization=acme", r#"{"label":"CI"}"#).await;
    let call = request("GET /api/webhooks/subscriptions").header(("x-api-key", key.field("key")));
    assert_eq!(policy(&server, &call).await, None);
    set(&server, "organizations/acme", r#"{"requestRateLimit":"3/h"}"#).await;
    assert_eq!(uses(&server, &call).await, 3);
}
