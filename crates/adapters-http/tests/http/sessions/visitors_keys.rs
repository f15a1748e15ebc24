//! The keys that visitors create or rotate have no more rights than the visitor.

use std::collections::BTreeSet;

use domain::sessions::{Capability, SessionRole};

use super::browser::{call, session_of, user_session};
use crate::server::Server;
use crate::transcript::{Response, request};

/// Scopes of keys. A visitor asks for each, and rotates a key of the owner with each.
const SCOPES: [&str; 5] = ["", "orders:read", "webhooks:read", "webhooks:write", "orders:read webhooks:write"];
/// A call for each capability that a key can have.
const CALLS: [(Capability, &str); 4] = [
    (Capability::Keys, "POST /api/api-keys"),
    (Capability::KeysRead, "GET /api/api-keys"),
    (Capability::Webhooks, "POST /api/webhooks/subscriptions"),
    (Capability::WebhooksRead, "GET /api/webhooks/subscriptions"),
];

/// Every set of capabilities.
fn all_sets() -> impl Iterator<Item = BTreeSet<Capability>> {
    (0..16_usize).map(|bits| (0..4).filter(|bit| bits >> bit & 1 == 1).map(|bit| Capability::ALL[bit]).collect())
}

async fn create(server: &Server, cookie: &str, scopes: &str) -> Response {
    let scopes: Vec<String> = scopes.split_terminator(' ').map(|scope| format!("{scope:?}")).collect();
    let body = format!(r#"{{"label":"CI","scopes":[{}]}}"#, scopes.join(","));
    call("POST /api/api-keys", cookie).json(&body).send(server).await
}

async fn rotate(server: &Server, cookie: &str, id: &str) -> Response {
    call(&format!("POST /api/api-keys/{id}/rotate"), cookie).json(r#"{"overlapSeconds":60}"#).send(server).await
}

/// The capabilities of the new key in an answer; `None` if the answer is a refusal.
async fn rights(server: &Server, answer: &Response) -> Option<BTreeSet<Capability>> {
    if answer.status != 200 {
        assert_eq!(answer.verdict(), "403 capability_missing");
        return None;
    }
    let mut held = BTreeSet::new();
    for (capability, line) in CALLS {
        let answer = request(line).header(("x-api-key", answer.field("key"))).json("{}").send(server).await;
        if ![401, 403].contains(&answer.status) {
            held.insert(capability);
        }
    }
    Some(held)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_visitor_makes_may_do_no_more_than_the_visitor() {
    let server = Server::start();
    for (index, held) in all_sets().enumerate() {
        let subject = format!("user-{index}");
        let owner = user_session(&server, &subject).await;
        let role = SessionRole::Visitor(held.clone());
        let visitor = session_of(&server, &subject, role.clone()).await;
        let may_keys = role.may(Capability::Keys);
        for scopes in SCOPES {
            let owners = create(&server, &owner, scopes).await;
            let made = create(&server, &visitor, scopes).await;
            let taken = rotate(&server, &visitor, owners.field("keyId")).await;
            let mut answers = vec![("created", made), ("rotated", taken)];
            if answers[0].1.status == 200 {
                answers.push(("created and rotated", rotate(&server, &visitor, answers[0].1.field("keyId")).await));
            }
            for (how, answer) in answers {
                let rights = rights(&server, &answer).await;
                assert!(may_keys || rights.is_none(), "{held:?}: {how} with {scopes:?}");
                for right in rights.iter().flatten() {
                    assert!(role.may(*right), "{held:?}: {how} with {scopes:?}, may {right:?}");
                }
                let is_within = scopes.is_empty() && how != "rotated" || scopes == "orders:read";
                assert!(rights.is_some() || !may_keys || !is_within, "{held:?}: {how} with {scopes:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_key_for_which_a_visitor_names_no_scopes_gets_the_visitors_access() {
    use Capability::{Keys, Webhooks, WebhooksRead};
    let server = Server::start();
    for (held, scopes) in [
        (&[Keys][..], r#"["webhooks:none"]"#),
        (&[Keys, WebhooksRead], r#"["webhooks:read"]"#),
        (&[Keys, Webhooks], "[]"),
    ] {
        let visitor = session_of(&server, "alice", SessionRole::Visitor(held.iter().copied().collect())).await;
        let made = call("POST /api/api-keys", &visitor).json(r#"{"label":"CI"}"#).send(&server).await;
        let who = request("GET /api/whoami").header(("x-api-key", made.field("key"))).send(&server).await;
        assert!(who.body.contains(&format!(r#""scopes":{scopes}"#)), "{held:?}: {who:?}");
    }
}
