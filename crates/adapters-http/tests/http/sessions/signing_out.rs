//! Signing out, here and at the provider.

use super::browser::{call, cookies_of, user_session};
use crate::doubles::{FailingStore, down};
use crate::server::Server;
use crate::transcript::request;

const CLEARED: &str = "__Host-gatepost-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure";

#[tokio::test]
async fn a_form_of_the_console_signs_out_here_and_at_the_provider() {
    let server = Server::start();
    let cookie = user_session(&server, "alice").await;
    for (why, line) in [("it ends the session", &*cookie), ("the session has ended", &cookie), ("no session", "a=b")] {
        let signed_out = call("POST /console/logout", line).send(&server).await;
        assert_eq!(signed_out.status, 200, "{why}: {signed_out:?}");
        assert_eq!(cookies_of(&signed_out), [CLEARED]);
        let url = "https://id.example/logout?back=https://gatepost.example/console/signed-out&#38;client=gatepost";
        assert!(signed_out.body.contains(&format!("content=\"0;url={url}\"")), "{}", signed_out.body);
        assert_eq!(call("GET /api/session", line).send(&server).await.status, 401, "{why}");
    }
}

#[tokio::test]
async fn another_site_signs_nobody_out() {
    let server = Server::start();
    let cookie = user_session(&server, "alice").await;
    for site in [("sec-fetch-site", "cross-site"), ("sec-fetch-site", "same-site"), ("origin", "https://evil.example")]
    {
        let refused = request("POST /console/logout").header(site).header(("cookie", &cookie)).send(&server).await;
        assert_eq!(refused.status, 403, "{site:?}");
        assert!(refused.body.contains("cross_site_request") && refused.body.starts_with("<!doctype html>"));
    }
    assert_eq!(request("GET /console/logout").header(("cookie", &cookie)).send(&server).await.status, 405);
    assert_eq!(call("GET /api/session", &cookie).send(&server).await.status, 200);
}

#[tokio::test]
async fn a_program_signs_out_without_pages() {
    let server = Server::start();
    let cookie = user_session(&server, "alice").await;
    let ended = call("DELETE /api/session", &cookie).send(&server).await;
    assert_eq!((ended.status, cookies_of(&ended)), (204, vec![CLEARED]));
    assert_eq!(call("DELETE /api/session", &cookie).send(&server).await.verdict(), "401 credential_invalid");
}

#[tokio::test]
async fn nobody_is_signed_out_while_the_store_is_down() {
    let server = Server::with(|setup| setup.session_store = FailingStore::sessions(down));
    let response = call("POST /console/logout", "__Host-gatepost-session=x").send(&server).await;
    assert_eq!((response.status, cookies_of(&response).len()), (503, 0));
    let response = call("GET /api/session", "__Host-gatepost-session=x").send(&server).await;
    assert_eq!(response.verdict(), "503 unavailable");
}
