use std::convert::Infallible;
use std::future::{Ready, ready};
use std::task::{Context, Poll};

use axum::body::{Body, to_bytes};
use axum::response::Response;
use axum::routing::get;
use axum::{Extension, Router};
use gatepost_client::protect::Caller;
use gatepost_client::tower::RequireApiKey;
use http::Request;
use serde_json::Value;
use tower_layer::Layer;
use tower_service::Service;

use crate::gatepost::{Answer, Gatepost, refused_requests};

/// `/orders` needs a valid key, and `/orders/new` needs two scopes.
fn service(gatepost: &Gatepost) -> Router {
    let keys = gatepost.keys();
    let narrow = RequireApiKey::new(keys.clone()).with_scopes("orders:read orders:write");
    Router::new()
        .route("/orders", get(orders).layer(RequireApiKey::new(keys)))
        .route("/orders/new", get(orders).layer(narrow))
        .route("/health", get(async || "fine"))
}

async fn orders(Extension(caller): Extension<Caller>) -> String {
    let scopes: Vec<_> = caller.scopes().iter().collect();
    format!("{} {} {} {}", caller.owner(), caller.key_id(), caller.label(), scopes.join(","))
}

async fn send(service: &mut Router, path: &str, header: Option<(&str, &str)>) -> Response {
    let mut request = Request::get(path);
    if let Some((name, value)) = header {
        request = request.header(name, value);
    }
    service.call(request.body(Body::empty()).unwrap()).await.unwrap()
}

async fn text(response: Response) -> String {
    String::from_utf8(to_bytes(response.into_body(), 10_000).await.unwrap().to_vec()).unwrap()
}

#[tokio::test]
async fn a_good_key_passes_and_the_handler_knows_whose_it_is() {
    let gatepost = Gatepost::answering(Answer::Good("orders:read orders:write")).await;
    let mut service = service(&gatepost);
    for (path, header) in [
        ("/orders", ("x-api-key", "k")),
        ("/orders", ("authorization", "Bearer k")),
        ("/orders/new", ("x-api-key", "k")),
    ] {
        let response = send(&mut service, path, Some(header)).await;
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(text(response).await, "user user-of-k key_1 CI orders:read,orders:write");
    }
}

#[tokio::test]
async fn who_does_not_pass_is_told_why_as_problem_json() {
    let gatepost = Gatepost::answering(Answer::Good("orders:read")).await;
    let mut service = service(&gatepost);
    for (answer, path, key, status, (name, value), code) in refused_requests() {
        gatepost.answers(answer);
        let response = send(&mut service, path, key.map(|key| ("x-api-key", key))).await;
        assert_eq!(response.status(), status, "{code}");
        assert_eq!(response.headers()[name], value, "{code}");
        assert_eq!(response.headers()["content-type"], "application/problem+json");
        let problem: Value = serde_json::from_str(&text(response).await).unwrap();
        assert_eq!((&problem["status"], &problem["code"]), (&status.into(), &code.into()));
    }
}

#[tokio::test]
async fn what_is_not_behind_the_layer_needs_no_key() {
    let gatepost = Gatepost::answering(Answer::NotGood).await;
    assert_eq!(send(&mut service(&gatepost), "/health", None).await.status(), 200);
    assert_eq!(gatepost.calls(), 0);
}

/// A service that accepts one call for each time that it reported to be ready. A clone is not ready.
#[derive(Default)]
struct Orderly {
    is_ready: bool,
}

impl Clone for Orderly {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Service<Request<()>> for Orderly {
    type Response = http::Response<String>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.is_ready = true;
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<()>) -> Self::Future {
        assert!(std::mem::take(&mut self.is_ready), "called before it was ready");
        ready(Ok(http::Response::new("served".to_owned())))
    }
}

#[tokio::test]
async fn the_service_that_is_called_is_the_one_that_was_ready() {
    let gatepost = Gatepost::answering(Answer::Good("")).await;
    let mut service = RequireApiKey::new(gatepost.keys()).layer(Orderly::default());
    for _ in 0..2 {
        std::future::poll_fn(|context| service.poll_ready(context)).await.unwrap();
        let request = Request::get("/").header("x-api-key", "k").body(()).unwrap();
        assert_eq!(service.call(request).await.unwrap().body(), "served");
    }
}
