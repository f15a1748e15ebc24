//! The brand of the portal, and which of its answers may be in a frame.

use serde_json::{Value, json};

use crate::harness::{Gatepost, Request, Response, Setup};

const LOGO: &str =
    r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path fill="#6f2da8" d="M0 8h8V0z"/></svg>"##;
const HOST: &str = "https://app.example.com";
const PORTAL_COOKIE: &str = "__Host-gatepost-portal=whatever";

/// A Gatepost with the brand of a host application.
pub(crate) fn portal_setup(setup: Setup) -> Setup {
    setup.with("PORTAL_NAME", "Acme Ltd").with("PORTAL_LOGO", LOGO).with("PORTAL_COLOR", "#6f2da8")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_brand_is_what_is_configured() {
    let gatepost = portal_setup(Setup::dev().await).start().await;
    let brand: Value = get(&gatepost, "/console/brand", "").await.json();
    assert_eq!((&brand["name"], &brand["logo"]), (&json!("Acme Ltd"), &json!("/console/brand/logo")));
    assert_eq!(brand["light"]["--accent"], "#6f2da8");
    assert!(brand["dark"]["--accent"].is_string() && brand["dark"]["--accent"] != "#6f2da8", "{brand}");
    let logo = get(&gatepost, "/console/brand/logo", "").await;
    assert_eq!((logo.status, logo.header("content-type")), (200, Some("image/svg+xml")));
    assert_eq!(logo.text(), LOGO);
    let policy = logo.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none';") && policy.ends_with("sandbox"), "it runs nothing: {policy}");
    let plain = Setup::dev().await.start().await;
    let brand: Value = get(&plain, "/console/brand", "").await.json();
    assert_eq!(brand, json!({ "name": null, "logo": null, "light": null, "dark": null }));
    assert_eq!(get(&plain, "/console/brand/logo", "").await.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_portal_may_be_in_a_frame_of_the_origins_that_are_named() {
    let framed = Setup::dev().await.with("PORTAL_FRAME_ANCESTORS", HOST).start().await;
    let plain = Setup::dev().await.start().await;
    let own = "gatepost-session=whatever";
    for (path, cookie, may_be_framed) in [
        ("/console/portal", "", true),
        ("/console/signed-out", "", true),
        ("/console/", PORTAL_COOKIE, true),
        ("/console/keys", &format!("a=b; {PORTAL_COOKIE}"), true),
        ("/console/", "", false),
        ("/console/keys", own, false),
        ("/console/portal/x", "", false),
        ("/docs", PORTAL_COOKIE, false),
        ("/api/session", PORTAL_COOKIE, false),
    ] {
        let expected = if may_be_framed { HOST } else { "'none'" };
        assert_eq!(ancestors(&get(&framed, path, cookie).await), expected, "{path} {cookie}");
        assert_eq!(ancestors(&get(&plain, path, cookie).await), "'none'", "{path} {cookie}");
    }
}

async fn get(gatepost: &Gatepost, path: &str, cookie: &str) -> Response {
    let request = Request::new("GET", path);
    gatepost.send(&if cookie.is_empty() { request } else { request.header("cookie", cookie) }).await
}

/// The `frame-ancestors` of the answer's policy.
fn ancestors(response: &Response) -> String {
    let policy = response.header("content-security-policy").expect("a policy");
    let parts: Vec<&str> = policy.split("; ").filter_map(|part| part.strip_prefix("frame-ancestors ")).collect();
    let [only] = parts[..] else { panic!("frame-ancestors is not there once: {policy}") };
    only.to_owned()
}
