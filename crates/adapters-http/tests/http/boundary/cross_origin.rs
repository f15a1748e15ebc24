//! CORS: pages of configured origins may call `/api`. Other callers are not affected.

use insta::assert_snapshot;

use crate::server::Server;
use crate::transcript::{ALICE, Transcript, request};

fn with_origin(origin: &str) -> Server {
    Server::with(|setup| setup.settings.cors_origins = vec![origin.to_owned()])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_configured_origin_may_ask_and_call() {
    let (server, mut transcript) = (with_origin("https://app.example"), Transcript::default());
    let origin = ("origin", "https://app.example");
    let preflight = request("OPTIONS /api/api-keys")
        .header(origin)
        .header(("access-control-request-method", "DELETE"))
        .header(("access-control-request-headers", "authorization,content-type"));
    transcript.send(&server, preflight).await;
    transcript.send(&server, request("GET /api/api-keys").header(origin).header(ALICE)).await;
    transcript.send(&server, request("GET /api/api-keys").header(origin)).await;
    transcript.send(&server, request("OPTIONS /api/api-keys").header(origin)).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn anybody_else_gets_the_answers_of_the_contract() {
    let (server, mut transcript) = (with_origin("https://app.example"), Transcript::default());
    for origin in ["https://evil.example", "https://app.example.evil.example", "null", "http://app.example"] {
        let preflight = request("OPTIONS /api/api-keys")
            .header(("origin", origin))
            .header(("access-control-request-method", "DELETE"));
        transcript.send(&server, preflight).await;
    }
    let read = request("GET /api/api-keys").header(("origin", "https://evil.example")).header(ALICE);
    transcript.send(&server, read).await;
    let elsewhere = request("OPTIONS /livez")
        .header(("origin", "https://app.example"))
        .header(("access-control-request-method", "GET"));
    transcript.send(&server, elsewhere).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_configured_origins_no_preflight_is_answered() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let preflight = request("OPTIONS /api/api-keys")
        .header(("origin", "https://app.example"))
        .header(("access-control-request-method", "POST"));
    transcript.send(&server, preflight).await;
    assert_snapshot!(transcript.text());
}

/// Pages of configured origins may use every method and header of the API.
#[tokio::test(flavor = "multi_thread")]
async fn every_documented_method_and_header_may_cross() {
    let server = with_origin("https://app.example");
    let preflight = request("OPTIONS /api/webhooks/subscriptions/x")
        .header(("origin", "https://app.example"))
        .header(("access-control-request-method", "PATCH"));
    let allowed = preflight.send(&server).await;
    let document: serde_json::Value = serde_json::from_str(&adapters_http::openapi_json()).unwrap();
    let operations = document["paths"].as_object().unwrap().iter().filter(|(path, _)| path.starts_with("/api/"));
    for (method, operation) in operations.flat_map(|(_, item)| item.as_object().unwrap()) {
        let methods = allowed.header("access-control-allow-methods").unwrap();
        assert!(methods.contains(&method.to_uppercase()), "{method}");
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap();
            let headers = allowed.header("access-control-allow-headers").unwrap();
            assert!(parameter["in"] != "header" || headers.contains(name), "{name}");
        }
    }
}
