use actix_web::body::MessageBody;
use actix_web::dev::ServiceResponse;
use actix_web::test::{TestRequest, call_service, init_service, read_body};
use actix_web::{App, HttpResponse, web};
use gatepost_client::actix::RequireApiKey;
use gatepost_client::protect::{Caller, KeyVerifier};
use serde_json::Value;

use crate::gatepost::{Answer, Gatepost, refused_requests};

/// `/orders` needs a valid key, and `/orders/new` needs two scopes.
fn routes(keys: KeyVerifier) -> impl FnOnce(&mut web::ServiceConfig) {
    let narrow = RequireApiKey::new(keys.clone()).with_scopes("orders:read orders:write");
    move |config| {
        config
            .service(web::resource("/orders").wrap(RequireApiKey::new(keys)).get(orders))
            .service(web::resource("/orders/new").wrap(narrow).get(orders))
            .route("/health", web::get().to(HttpResponse::Ok));
    }
}

async fn orders(caller: web::ReqData<Caller>) -> String {
    let scopes: Vec<_> = caller.scopes().iter().collect();
    format!("{} {} {} {}", caller.owner(), caller.key_id(), caller.label(), scopes.join(","))
}

async fn send(gatepost: &Gatepost, path: &str, header: Option<(&str, &str)>) -> ServiceResponse<impl MessageBody> {
    let service = init_service(App::new().configure(routes(gatepost.keys()))).await;
    let mut request = TestRequest::get().uri(path);
    if let Some(header) = header {
        request = request.insert_header(header);
    }
    call_service(&service, request.to_request()).await
}

#[actix_web::test]
async fn a_good_key_passes_and_the_handler_knows_whose_it_is() {
    let gatepost = Gatepost::answering(Answer::Good("orders:read orders:write")).await;
    for (path, header) in [
        ("/orders", ("x-api-key", "k")),
        ("/orders", ("authorization", "Bearer k")),
        ("/orders/new", ("x-api-key", "k")),
    ] {
        let response = send(&gatepost, path, Some(header)).await;
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(read_body(response).await, "user user-of-k key_1 CI orders:read,orders:write");
    }
}

#[actix_web::test]
async fn who_does_not_pass_is_told_why_as_problem_json() {
    let gatepost = Gatepost::answering(Answer::Good("orders:read")).await;
    for (answer, path, key, status, (name, value), code) in refused_requests() {
        gatepost.answers(answer);
        let response = send(&gatepost, path, key.map(|key| ("x-api-key", key))).await;
        assert_eq!(response.status(), status, "{code}");
        assert_eq!(response.headers().get(name).unwrap(), value, "{code}");
        assert_eq!(response.headers().get("content-type").unwrap(), "application/problem+json");
        let problem: Value = serde_json::from_slice(&read_body(response).await).unwrap();
        assert_eq!((&problem["status"], &problem["code"]), (&status.into(), &code.into()));
    }
}

#[actix_web::test]
async fn what_is_not_behind_the_middleware_needs_no_key() {
    let gatepost = Gatepost::answering(Answer::NotGood).await;
    assert_eq!(send(&gatepost, "/health", None).await.status(), 200);
    assert_eq!(gatepost.calls(), 0);
}
