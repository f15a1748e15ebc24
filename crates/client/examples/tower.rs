//! A small axum service with keys, events and webhooks: the quick start in docs/quickstart/rust.md.

#![expect(clippy::disallowed_methods, clippy::print_stdout, reason = "an example reads its environment and the clock")]

use std::env;
use std::error::Error;
use std::fmt::Display;
use std::time::SystemTime;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Redirect;
use axum::routing::{get, post};
use axum::{Extension, Router};
use gatepost_client::protect::{Caller, KeyVerifier};
use gatepost_client::tower::RequireApiKey;
use gatepost_client::webhooks::{Headers, SigningSecret};
use gatepost_client::{Client, NewEvent, NewPortalLink, OperatorToken};
use serde_json::json;
use tokio::net::TcpListener;

type Failure = (StatusCode, String);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let token = OperatorToken::new(env::var("GATEPOST_OPERATOR_TOKEN")?);
    let gatepost = Client::new(&env::var("GATEPOST_URL")?)?.with_credential(token);
    let keys = KeyVerifier::new(gatepost.clone());
    let app = Router::new()
        .route("/orders", get(list_orders).layer(RequireApiKey::new(keys.clone())))
        .route("/orders", post(create_order).layer(RequireApiKey::new(keys).with_scopes("orders:write")))
        .route("/portal", get(open_portal))
        .with_state(gatepost)
        .route("/hook", post(receive))
        .with_state(SigningSecret::parse(&env::var("WEBHOOK_SECRET")?)?);
    let listener = TcpListener::bind(env::var("LISTEN").unwrap_or_else(|_| "127.0.0.1:3000".to_owned())).await?;
    println!("http://{}/orders", listener.local_addr()?);
    Ok(axum::serve(listener, app).await?)
}

async fn list_orders(Extension(caller): Extension<Caller>) -> String {
    format!("the orders of the {}\n", caller.owner())
}

async fn create_order(
    State(gatepost): State<Client>,
    Extension(caller): Extension<Caller>,
) -> Result<StatusCode, Failure> {
    let event = NewEvent::for_owner(caller.owner().clone(), "order.created", &json!({ "orderId": "or_1" }));
    gatepost.publish_event(&event.map_err(|error| failed(&error))?).await.map_err(|error| failed(&error))?;
    Ok(StatusCode::ACCEPTED)
}

async fn open_portal(State(gatepost): State<Client>) -> Result<Redirect, Failure> {
    let new = NewPortalLink::for_user("alice"); // the user of your session
    let link = gatepost.create_portal_link(&new).await.map_err(|error| failed(&error))?;
    Ok(Redirect::to(link.url.expose()))
}

fn failed(error: &dyn Display) -> Failure {
    (StatusCode::BAD_GATEWAY, error.to_string())
}

async fn receive(State(secret): State<SigningSecret>, headers: HeaderMap, body: Bytes) -> Result<StatusCode, Failure> {
    let refused = |error: &dyn Display| (StatusCode::BAD_REQUEST, error.to_string());
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let webhook = Headers::read(header).map_err(|error| refused(&error))?;
    secret.verify(&webhook, &body, SystemTime::now()).map_err(|error| refused(&error))?;
    println!("received {}: {}", webhook.id, String::from_utf8_lossy(&body));
    Ok(StatusCode::NO_CONTENT)
}
