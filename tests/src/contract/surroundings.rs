use super::assert_problem;
use crate::harness::{Request, Setup, Storage, on_both_databases};

on_both_databases!(
    other_methods_are_405_and_name_the_three,
    health_and_documents_need_no_credential,
    pages_of_configured_origins_may_call,
);

async fn other_methods_are_405_and_name_the_three(storage: Storage) {
    let gatepost = Setup::serve(&storage).await.start().await;
    let token = gatepost.provider().token("alice");
    for method in ["PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "BREW"] {
        for request in [Request::new(method, "/api/api-keys"), Request::new(method, "/api/api-keys").bearer(&token)] {
            let response = gatepost.send(&request).await;
            assert_eq!(response.status, 405, "{method}");
            let allow = response.header("allow").unwrap_or_default();
            let mut allowed: Vec<&str> = allow.split(',').map(str::trim).collect();
            allowed.sort_unstable();
            assert_eq!(allowed, ["DELETE", "GET", "POST"], "{method}: {allow}");
            if method != "HEAD" {
                assert_problem(&response, 405, "method_not_allowed");
            }
        }
    }
}

async fn health_and_documents_need_no_credential(storage: Storage) {
    let gatepost = Setup::serve(&storage).await.start().await;
    for path in ["/livez", "/readyz", "/healthz", "/readyz?verbose", "/openapi.json"] {
        let response = gatepost.send(&Request::new("GET", path)).await;
        assert_eq!(response.status, 200, "{path}: {}", response.text());
    }
    let verbose = gatepost.send(&Request::new("GET", "/readyz?verbose")).await.text();
    assert!(verbose.contains("database") && verbose.contains("identity-provider"), "{verbose}");
    let document = gatepost.send(&Request::new("GET", "/openapi.json")).await.json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1."), "{}", document["openapi"]);
    assert_page_needs_no_network(&gatepost).await;
}

/// The page at `/docs` and everything that it loads come from this server.
async fn assert_page_needs_no_network(gatepost: &crate::harness::Gatepost) {
    let mut path = "/docs".to_owned();
    let mut page = gatepost.send(&Request::new("GET", &path)).await;
    if let Some(location) = page.header("location") {
        path = location.to_owned();
        page = gatepost.send(&Request::new("GET", &path)).await;
    }
    assert_eq!(page.status, 200, "{path}");
    let html = page.text();
    let links = html.split(['"', '\'']).filter(|text| matches!(text.rsplit('.').next(), Some("js" | "css")));
    let base = html.split("<base href=\"").nth(1).and_then(|rest| rest.split('"').next());
    let folder = base.unwrap_or(&path).rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut loaded = 0;
    for link in links {
        assert!(!link.contains("//"), "{link} leads away");
        let own = link.trim_start_matches("./");
        let link = if link.starts_with('/') { link.to_owned() } else { format!("{folder}/{own}") };
        assert_eq!(gatepost.send(&Request::new("GET", &link)).await.status, 200, "{link}");
        loaded += 1;
    }
    assert!(loaded >= 2, "{html}");
}

async fn pages_of_configured_origins_may_call(storage: Storage) {
    let ours = "https://console.example";
    let gatepost = Setup::serve(&storage).await.with("CORS_ORIGINS", ours).start().await;
    let preflight = |origin: &str| {
        let request = Request::new("OPTIONS", "/api/api-keys").header("origin", origin);
        request
            .header("access-control-request-method", "DELETE")
            .header("access-control-request-headers", "authorization,content-type")
    };
    let allowed = gatepost.send(&preflight(ours)).await;
    assert!(allowed.status == 200 || allowed.status == 204, "{}", allowed.status);
    assert_eq!(allowed.header("access-control-allow-origin"), Some(ours));
    let refused = gatepost.send(&preflight("https://elsewhere.example")).await;
    assert_eq!(refused.header("access-control-allow-origin"), None);
    let answer = gatepost.send(&gatepost.user("alice").request("GET").header("origin", ours)).await;
    assert_eq!(answer.header("access-control-allow-origin"), Some(ours));
}
