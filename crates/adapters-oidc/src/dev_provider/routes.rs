use std::sync::Arc;

use actix_web::http::header;
use actix_web::middleware::from_fn;
use actix_web::web::{self, Bytes, Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::json;
use url::Url;

use super::authorization::{Rejection, local_redirect};
use super::guard::loopback_only;
use super::pages::{logged_out_page, login_page, rejection_page};
use super::parameters::Parameters;
use super::token_endpoint::refusal;
use super::{DevProvider, ID_TOKEN_LIFETIME_SECONDS, PATH};

pub(super) fn register(config: &mut ServiceConfig, provider: Arc<DevProvider>) {
    config.service(
        web::scope(PATH)
            .wrap(from_fn(loopback_only))
            .app_data(Data::from(provider))
            .service(web::resource("/.well-known/openid-configuration").route(web::get().to(discovery)))
            .service(web::resource("/jwks").route(web::get().to(key_set)))
            .service(web::resource("/authorize").route(web::get().to(ask_to_log_in)).route(web::post().to(log_in)))
            .service(web::resource("/logout").route(web::get().to(log_out)))
            .service(web::resource("/token").route(web::post().to(exchange))),
    );
}

async fn discovery(provider: Data<DevProvider>) -> HttpResponse {
    HttpResponse::Ok().json(provider.discovery_document())
}

async fn key_set(provider: Data<DevProvider>) -> HttpResponse {
    HttpResponse::Ok().json(provider.key_set_document())
}

async fn ask_to_log_in(provider: Data<DevProvider>, request: HttpRequest) -> HttpResponse {
    let Some(parameters) = Parameters::read(request.query_string().as_bytes()) else { return unreadable() };
    match provider.check_authorization(&parameters) {
        Ok(_) => html(HttpResponse::Ok(), login_page(&parameters, None)),
        Err(rejection) => reject(rejection),
    }
}

async fn log_in(provider: Data<DevProvider>, body: Bytes) -> HttpResponse {
    let Some(parameters) = Parameters::read(&body) else { return unreadable() };
    let request = match provider.check_authorization(&parameters) {
        Ok(request) => request,
        Err(rejection) => return reject(rejection),
    };
    match provider.log_in(&request, parameters.get("username").unwrap_or_default()) {
        Ok(client) => redirect(&client),
        Err(problem) => html(HttpResponse::BadRequest(), login_page(&parameters, Some(problem))),
    }
}

/// RP-initiated logout. This provider keeps no session, so it only redirects.
async fn log_out(request: HttpRequest) -> HttpResponse {
    let Some(parameters) = Parameters::read(request.query_string().as_bytes()) else { return unreadable() };
    match parameters.get("post_logout_redirect_uri").and_then(local_redirect) {
        Some(client) => redirect(&client),
        None => html(HttpResponse::Ok(), logged_out_page()),
    }
}

async fn exchange(provider: Data<DevProvider>, body: Bytes) -> HttpResponse {
    let outcome = Parameters::read(&body)
        .ok_or(refusal("invalid_request", UNREADABLE))
        .and_then(|parameters| provider.exchange(&parameters));
    match outcome {
        Ok(tokens) => HttpResponse::Ok().json(json!({
            "access_token": tokens.access_token,
            "token_type": "Bearer",
            "expires_in": ID_TOKEN_LIFETIME_SECONDS,
            "id_token": tokens.id_token.expose(),
        })),
        Err(error) => {
            HttpResponse::BadRequest().json(json!({"error": error.code, "error_description": error.description}))
        }
    }
}

const UNREADABLE: &str = "a parameter stands twice, or there are more than 16 KiB";

fn unreadable() -> HttpResponse {
    reject(Rejection::Page(UNREADABLE))
}

fn reject(rejection: Rejection) -> HttpResponse {
    match rejection {
        Rejection::Page(reason) => html(HttpResponse::BadRequest(), rejection_page(reason)),
        Rejection::Redirect(client) => redirect(&client),
    }
}

/// Status 303: the next request is a GET, whatever the method of this one.
fn redirect(client: &Url) -> HttpResponse {
    HttpResponse::SeeOther().insert_header((header::LOCATION, client.as_str())).finish()
}

fn html(mut response: actix_web::HttpResponseBuilder, page: String) -> HttpResponse {
    response.content_type("text/html; charset=utf-8").body(page)
}
