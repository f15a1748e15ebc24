//! A small axum service that accepts only requests with a valid API key.
//!
//! ```sh
//! gatepost dev
//! GATEPOST_OPERATOR_TOKEN=$(cat gatepost-data/operator.token) cargo run -p gatepost-client --example tower
//! curl -i http://127.0.0.1:3000/orders -H "x-api-key: $(gatepost keys create 'My first key' --user alice)"
//! ```
//!
//! `LISTEN` replaces `127.0.0.1:3000`.

use std::error::Error;

use axum::routing::{get, post};
use axum::{Extension, Router};
use gatepost_client::protect::{Caller, KeyVerifier};
use gatepost_client::tower::RequireApiKey;
use gatepost_client::{Client, OperatorToken};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt().init();
    let gatepost = Client::new(&gatepost_url())?.with_credential(operator_token()?);
    let keys = KeyVerifier::new(gatepost);
    let app = Router::new()
        .route("/orders", get(list_orders).layer(RequireApiKey::new(keys.clone())))
        .route("/orders", post(create_order).layer(RequireApiKey::new(keys).with_scopes("orders:write")))
        .route("/health", get(async || "fine"));
    let listener = TcpListener::bind(listen()).await?;
    tracing::info!("http://{}/orders", listener.local_addr()?);
    Ok(axum::serve(listener, app).await?)
}

async fn list_orders(Extension(caller): Extension<Caller>) -> String {
    format!("the orders of {}, who calls with the key {:?}\n", caller.user_id(), caller.label())
}

async fn create_order(Extension(caller): Extension<Caller>) -> String {
    format!("an order for {}\n", caller.user_id())
}

#[expect(clippy::disallowed_methods, reason = "an example is configured by its environment")]
fn listen() -> String {
    std::env::var("LISTEN").unwrap_or_else(|_| "127.0.0.1:3000".to_owned())
}

#[expect(clippy::disallowed_methods, reason = "an example is configured by its environment")]
fn gatepost_url() -> String {
    std::env::var("GATEPOST_URL").unwrap_or_else(|_| "http://127.0.0.1:8080".to_owned())
}

#[expect(clippy::disallowed_methods, reason = "an example is configured by its environment")]
fn operator_token() -> Result<OperatorToken, Box<dyn Error>> {
    let token = std::env::var("GATEPOST_OPERATOR_TOKEN");
    Ok(OperatorToken::new(token.map_err(|_| "GATEPOST_OPERATOR_TOKEN must be Gatepost's OPERATOR_TOKEN")?))
}
