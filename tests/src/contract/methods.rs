use super::assert_problem;
use crate::harness::{Request, Setup, Storage, on_both_databases};

on_both_databases!(others_are_405_and_name_the_three);

async fn others_are_405_and_name_the_three(storage: Storage) {
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
