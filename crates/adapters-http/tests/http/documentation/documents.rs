//! The documents about the API: the OpenAPI file, the page, the error pages.

use std::path::Path;

use adapters_http::{error_reference, openapi_json};
use insta::assert_snapshot;

use crate::server::{PUBLIC_URL, Server, read_bytes_to_end};
use crate::transcript::{Transcript, request};

#[tokio::test(flavor = "multi_thread")]
async fn the_openapi_document_is_served_as_it_is_committed() {
    let server = Server::start();
    let answer = request("GET /openapi.json").send(&server).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    assert_eq!(answer.body, openapi_json());

    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let committed = std::fs::read_to_string(committed).unwrap_or_default();
    assert!(committed == openapi_json(), "docs/openapi.json has drifted: run `cargo xtask openapi`");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_brings_all_that_it_needs() {
    let server = Server::start();
    let page = request("GET /docs").send(&server).await;
    assert_eq!(page.status, 200);
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
    assert!(!page.body.contains("//"), "something is loaded from elsewhere: {}", page.body);
    assert!(page.body.contains(r#"<base href="/docs/">"#), "{}", page.body);

    let names =
        page.body.split(['"', '\'']).filter(|text| [".js", ".css", ".png"].iter().any(|end| text.ends_with(end)));
    let names: Vec<&str> = names.map(|name| name.trim_start_matches("./")).collect();
    assert!(names.contains(&"swagger-ui-bundle.js"), "{names:?}");
    for name in names {
        let file = server_file(&server, name).await;
        assert!(!file.is_empty(), "{name}");
    }
    let initializer = server_file(&server, "swagger-initializer.js").await;
    assert!(initializer.contains(r#""url": "/openapi.json""#), "{initializer}");
    assert!(initializer.contains(r#""validatorUrl": "none""#), "{initializer}");
    assert_eq!(request("GET /docs/nothing.js").send(&server).await.verdict(), "404 not_found");
    assert_eq!(request("GET /docs/..%2fCargo.toml").send(&server).await.verdict(), "404 not_found");
}

/// A browser with axe found these on the page. A new version of the page must keep the adapted places.
#[tokio::test(flavor = "multi_thread")]
async fn the_page_is_adapted_to_phones_and_screen_readers() {
    let server = Server::start();
    let page = request("GET /docs").send(&server).await.body;
    for part in ["name=\"viewport\"", "<main id=\"swagger-ui\">", ".topbar { display: none }", "<title>Gatepost API"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let initializer = server_file(&server, "swagger-initializer.js").await;
    assert!(initializer.contains(r#""deepLinking": false"#), "links within buttons: {initializer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_has_an_icon_and_may_be_asked_for_with_a_slash() {
    let server = Server::start();
    let (page, with_slash) = (request("GET /docs").send(&server).await, request("GET /docs/").send(&server).await);
    assert_eq!((with_slash.status, &with_slash.body), (200, &page.body));
    let mut connection = server.begin(&request("GET /favicon.ico").to_http()).await;
    let icon = read_bytes_to_end(&mut connection).await;
    let head = String::from_utf8_lossy(&icon).to_lowercase();
    assert!(head.starts_with("http/1.1 200 ok") && head.contains("content-type: image/png"), "{head}");
}

/// With the document, `/docs` loads less than 600 KB on the wire. A browser with a copy of a file does not load it
/// again.
#[tokio::test(flavor = "multi_thread")]
async fn the_page_and_the_document_are_compressed_and_kept() {
    let server = Server::start();
    let files =
        ["/docs", "/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js", "/docs/swagger-ui-standalone-preset.js"];
    let mut bytes = 0;
    for path in files.into_iter().chain(["/openapi.json"]) {
        let asked = request(&format!("GET {path}")).header(("accept-encoding", "gzip, deflate, br"));
        let mut connection = server.begin(&asked.to_http()).await;
        let answer = read_bytes_to_end(&mut connection).await;
        bytes += answer.len();
        let end = answer.windows(4).position(|part| part == b"\r\n\r\n").unwrap();
        let head = String::from_utf8_lossy(&answer[..end]).to_lowercase();
        assert!(head.contains("content-encoding: gzip") && head.contains("vary: accept-encoding"), "{path}: {head}");
        let tag = head.split("etag: ").nth(1).unwrap().lines().next().unwrap();
        let again =
            request(&format!("GET {path}")).header(("if-none-match", &tag.replace("w/", "W/"))).send(&server).await;
        assert_eq!((again.status, again.body.as_str()), (304, ""), "{path}");
    }
    assert!(bytes < 600_000, "{bytes}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_meets_nothing_gets_a_page() {
    let server = Server::start();
    let browser = ("accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
    for path in ["/nowhere", "/docs/errors/nothing", "/docs/nothing.js"] {
        let page = request(&format!("GET {path}")).header(browser).send(&server).await;
        assert_eq!((page.status, page.header("content-type")), (404, Some("text/html; charset=utf-8")), "{path}");
        assert!(page.body.contains("<a href=\"/\">"), "{}", page.body);
        let document = request(&format!("GET {path}")).header(("accept", "*/*")).send(&server).await;
        assert_eq!(document.header("content-type"), Some("application/problem+json"), "{path}");
    }
    let refused = request("GET /api/api-keys").header(browser).send(&server).await;
    assert_eq!(refused.verdict(), "401 credential_missing", "only a path that leads nowhere is for people");
}

/// A terminal cannot open a relative URL.
#[tokio::test(flavor = "multi_thread")]
async fn the_type_of_a_problem_is_absolute_where_the_public_url_is_configured() {
    let server = Server::with(|setup| setup.settings.error_pages = PUBLIC_URL.to_owned());
    let problem = request("GET /nowhere").send(&server).await;
    assert_eq!(problem.field("type"), format!("{PUBLIC_URL}/docs/errors/not_found"));
    let problem = request("GET /nowhere").send(&Server::start()).await;
    assert_eq!(problem.field("type"), "/docs/errors/not_found");
}

async fn server_file(server: &Server, name: &str) -> String {
    let mut connection = server.begin(&request(&format!("GET /docs/{name}")).to_http()).await;
    let file = read_bytes_to_end(&mut connection).await;
    assert!(file.starts_with(b"HTTP/1.1 200 OK\r\n"), "{name}");
    String::from_utf8_lossy(&file).split_once("\r\n\r\n").unwrap().1.to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_code_has_a_page() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let index = request("GET /docs/errors").send(&server).await;
    for entry in error_reference() {
        let page = request(&format!("GET /docs/errors/{}", entry.code)).send(&server).await;
        assert_eq!(page.status, 200, "{}", entry.code);
        assert!(page.body.contains(entry.cause) && page.body.contains(entry.cure), "{}", entry.code);
        assert!(index.body.contains(&format!("/docs/errors/{}\"", entry.code)), "{}", entry.code);
    }
    transcript.send(&server, request("GET /docs/errors/key_not_found")).await;
    transcript.send(&server, request("GET /docs/errors/%3Cscript%3E")).await;
    assert_snapshot!(transcript.text());
}
