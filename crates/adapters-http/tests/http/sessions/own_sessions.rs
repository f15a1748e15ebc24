//! The sessions of a user: seen, ended one by one, ended all.

use std::time::Duration;

use domain::sessions::{Capability, SessionRole};

use super::browser::{SAME_ORIGIN, call, session_of, user_session};
use crate::server::Server;
use crate::transcript::{ALICE, BOB, Response, request};

/// Of each session in the list, newest first: its id, and whether it is the calling one.
fn listed(response: &Response) -> Vec<(String, bool)> {
    assert_eq!(response.status, 200, "{response:?}");
    let sessions = response.body.split("{\"id\":\"").skip(1);
    sessions.map(|text| (text[..30].to_owned(), text.contains("\"current\":true"))).collect()
}

async fn id_of(server: &Server, cookie: &str) -> String {
    call("GET /api/session", cookie).send(server).await.body.split("\"id\":\"ses_").nth(1).unwrap()[..26].to_owned()
}

#[tokio::test]
async fn a_user_sees_own_sessions_newest_first_and_ends_one() {
    let server = Server::start();
    let first = user_session(&server, "alice").await;
    server.clock.advance(Duration::from_secs(1));
    let second = session_of(&server, "alice", SessionRole::Operator).await;
    let other = user_session(&server, "bob").await;
    let ids = [id_of(&server, &second).await, id_of(&server, &first).await].map(|id| format!("ses_{id}"));
    let [newer, older] = &ids;
    let by_first = call("GET /api/sessions", &first).send(&server).await;
    assert_eq!(listed(&by_first), [(newer.clone(), false), (older.clone(), true)]);
    let by_token = request("GET /api/sessions").header(ALICE).send(&server).await;
    assert_eq!(listed(&by_token), [(newer.clone(), false), (older.clone(), false)]);
    let fields = r#""role":"operator","capabilities":["keys","keys:read","webhooks","webhooks:read"],"createdAt":"2026-11-21T01:42:04.120Z","seenAt":"2026-11-21T01:42:04.120Z","idleExpiresAt":"2026-11-21T13:42:04.120Z","expiresAt":"2026-11-28T01:42:04.120Z","userAgent":null,"address":null"#;
    assert!(by_token.body.contains(fields), "{}", by_token.body);

    for (line, cookie) in
        [(format!("DELETE /api/sessions/{newer}"), &other), ("DELETE /api/sessions/ses_x".into(), &first)]
    {
        assert_eq!(call(&line, cookie).send(&server).await.verdict(), "404 session_not_found");
    }
    let left = call(&format!("DELETE /api/sessions/{newer}"), &first).send(&server).await;
    assert_eq!(listed(&left), [(older.clone(), true)]);
    assert_eq!(call("GET /api/session", &second).send(&server).await.verdict(), "401 credential_invalid");
    let again = call(&format!("DELETE /api/sessions/{newer}"), &first).send(&server).await;
    assert_eq!(again.verdict(), "404 session_not_found");
}

#[tokio::test]
async fn a_user_ends_all_sessions_and_may_keep_this_one() {
    let server = Server::start();
    let kept = user_session(&server, "alice").await;
    let others = [user_session(&server, "alice").await, user_session(&server, "alice").await];
    let bobs = user_session(&server, "bob").await;
    for wrong in ["keepCurrent=maybe", "keepCurrent=", "keep=true", "keepCurrent=true&keepCurrent=true"] {
        let refused = call(&format!("DELETE /api/sessions?{wrong}"), &kept).send(&server).await;
        assert_eq!(refused.verdict(), "400 invalid_field", "{wrong}");
    }
    let left = call("DELETE /api/sessions?keepCurrent=true", &kept).send(&server).await;
    assert_eq!(listed(&left).iter().map(|(_, is_current)| *is_current).collect::<Vec<_>>(), [true]);
    for other in &others {
        assert_eq!(call("GET /api/session", other).send(&server).await.status, 401);
    }
    assert_eq!(call("GET /api/session", &kept).send(&server).await.status, 200);
    let none = request("DELETE /api/sessions").header(ALICE).header(SAME_ORIGIN).send(&server).await;
    assert_eq!(none.body, r#"{"sessions":[]}"#);
    assert_eq!(call("GET /api/session", &kept).send(&server).await.status, 401);
    assert_eq!(call("GET /api/session", &bobs).send(&server).await.status, 200);
    assert_eq!(listed(&request("GET /api/sessions").header(BOB).send(&server).await).len(), 1);
}

#[tokio::test]
async fn a_session_ends_when_it_is_idle_and_after_a_week() {
    let server = Server::start();
    let cookie = user_session(&server, "alice").await;
    let status = async || call("GET /api/session", &cookie).send(&server).await.status;
    let almost = Duration::from_hours(12) - Duration::from_millis(1);
    for _ in 0..13 {
        server.clock.advance(almost);
        assert_eq!(status().await, 200);
    }
    server.clock.advance(Duration::from_hours(12) + Duration::from_millis(13));
    assert_eq!(status().await, 401, "a week is over");
    let idle = user_session(&server, "alice").await;
    server.clock.advance(Duration::from_hours(12));
    assert_eq!(call("GET /api/session", &idle).send(&server).await.status, 401);
}

#[tokio::test]
async fn a_visitor_knows_itself_and_no_other_session() {
    let server = Server::start();
    let role = SessionRole::Visitor([Capability::Keys].into());
    let cookie = session_of(&server, "alice", role).await;
    let session = call("GET /api/session", &cookie).send(&server).await;
    assert!(session.body.contains(r#""role":"visitor","capabilities":["keys","keys:read"]"#), "{}", session.body);
    for line in ["GET /api/sessions", "DELETE /api/sessions"] {
        assert_eq!(call(line, &cookie).send(&server).await.verdict(), "403 capability_missing", "{line}");
    }
}
