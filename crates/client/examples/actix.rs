//! A small actix-web service that accepts only requests with a valid API key.
//!
//! ```sh
//! gatepost dev
//! GATEPOST_OPERATOR_TOKEN=$(cat gatepost-data/operator.token) cargo run -p gatepost-client --example actix
//! curl -i http://127.0.0.1:3000/orders -H "x-api-key: $(gatepost keys create 'My first key' --user alice)"
//! ```
//!
//! `LISTEN` replaces `127.0.0.1:3000`.

use std::error::Error;

use actix_web::{App, HttpServer, web};
use gatepost_client::actix::RequireApiKey;
use gatepost_client::protect::{Caller, KeyVerifier};
use gatepost_client::{Client, OperatorToken};

#[actix_web::main]
async fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt().init();
    let gatepost = Client::new(&gatepost_url())?.with_credential(operator_token()?);
    let keys = KeyVerifier::new(gatepost);
    let server = HttpServer::new(move || {
        let any_key = RequireApiKey::new(keys.clone());
        let writing_key = RequireApiKey::new(keys.clone()).with_scopes("orders:write");
        App::new()
            .service(
                web::resource("/orders")
                    .route(web::get().to(list_orders).wrap(any_key))
                    .route(web::post().to(create_order).wrap(writing_key)),
            )
            .route("/health", web::get().to(async || "fine"))
    });
    let listen = listen();
    tracing::info!("http://{listen}/orders");
    Ok(server.bind(listen)?.run().await?)
}

async fn list_orders(caller: web::ReqData<Caller>) -> String {
    format!("the orders of the {}, with the key {:?}\n", caller.owner(), caller.label())
}

async fn create_order(caller: web::ReqData<Caller>) -> String {
    format!("an order for the {}\n", caller.owner())
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
