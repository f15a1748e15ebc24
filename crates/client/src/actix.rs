//! Middleware for actix-web that accepts only requests with a valid API key.
//!
//! ```
//! use actix_web::{App, HttpServer, web};
//! use gatepost_client::actix::RequireApiKey;
//! use gatepost_client::protect::{Caller, KeyVerifier};
//! use gatepost_client::{Client, OperatorToken};
//!
//! # async fn example(operator_token: String) -> Result<(), Box<dyn std::error::Error>> {
//! let gatepost = Client::new("https://keys.example.com")?.with_credential(OperatorToken::new(operator_token));
//! let keys = KeyVerifier::new(gatepost);
//! let server = HttpServer::new(move || {
//!     let orders = web::resource("/orders").wrap(RequireApiKey::new(keys.clone()).with_scopes("orders:read"));
//!     App::new().service(orders.get(orders_of))
//! });
//! # Ok(())
//! # }
//!
//! async fn orders_of(caller: web::ReqData<Caller>) -> String {
//!     format!("the orders of the {}", caller.owner())
//! }
//! ```

use std::future::{Ready, ready};
use std::rc::Rc;

use actix_web::body::{BoxBody, EitherBody};
use actix_web::dev::{Service, ServiceRequest, ServiceResponse, Transform, forward_ready};
use actix_web::http::StatusCode;
use actix_web::http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use actix_web::{HttpMessage, HttpResponse};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;

use crate::protect::{KeyVerifier, Refusal, Scopes, api_key_in};

/// Middleware that reads the API key from `x-api-key` or `Authorization: Bearer`, and answers a request without a valid
/// key with a [`Refusal`]. Handlers receive the [`Caller`](crate::protect::Caller) as `web::ReqData<Caller>`.
///
/// Create the [`KeyVerifier`] once, outside the closure of `HttpServer::new`. The closure runs in each worker, and each
/// worker would get its own cache. Wrap CORS middleware around this one: CORS preflights carry no key.
#[derive(Clone, Debug)]
pub struct RequireApiKey {
    keys: KeyVerifier,
    required: Scopes,
}

impl RequireApiKey {
    /// Accepts every valid key.
    pub fn new(keys: KeyVerifier) -> Self {
        Self { keys, required: Scopes::default() }
    }

    /// Accepts only keys that have all of these scopes, separated by spaces: `orders:read orders:write`. With a scope
    /// that no key can have, no request passes.
    #[must_use]
    pub fn with_scopes(self, scopes: &str) -> Self {
        Self { required: Scopes::parse(scopes), ..self }
    }
}

impl<Inner, Body> Transform<Inner, ServiceRequest> for RequireApiKey
where
    Inner: Service<ServiceRequest, Response = ServiceResponse<Body>, Error = actix_web::Error> + 'static,
    Inner::Future: 'static,
    Body: 'static,
{
    type Response = ServiceResponse<EitherBody<Body, BoxBody>>;
    type Error = actix_web::Error;
    type Transform = Protected<Inner>;
    type InitError = ();
    type Future = Ready<Result<Protected<Inner>, ()>>;

    fn new_transform(&self, inner: Inner) -> Self::Future {
        ready(Ok(Protected { inner: Rc::new(inner), rule: self.clone() }))
    }
}

/// A service that [`RequireApiKey`] protects.
#[derive(Debug)]
pub struct Protected<Inner> {
    inner: Rc<Inner>,
    rule: RequireApiKey,
}

impl<Inner, Body> Service<ServiceRequest> for Protected<Inner>
where
    Inner: Service<ServiceRequest, Response = ServiceResponse<Body>, Error = actix_web::Error> + 'static,
    Inner::Future: 'static,
    Body: 'static,
{
    type Response = ServiceResponse<EitherBody<Body, BoxBody>>;
    type Error = actix_web::Error;
    type Future = LocalBoxFuture<'static, Result<Self::Response, Self::Error>>;

    forward_ready!(inner);

    fn call(&self, request: ServiceRequest) -> Self::Future {
        let (inner, RequireApiKey { keys, required }) = (Rc::clone(&self.inner), self.rule.clone());
        async move {
            let verdict = keys.admit(presented_in(request.headers()), &required).await;
            match verdict {
                Ok(caller) => {
                    request.extensions_mut().insert(caller);
                    inner.call(request).await.map(ServiceResponse::map_into_left_body)
                }
                Err(refusal) => Ok(request.into_response(answer(&refusal)).map_into_right_body()),
            }
        }
        .boxed_local()
    }
}

fn presented_in(headers: &HeaderMap) -> Result<&str, Refusal> {
    let values = |name: HeaderName| headers.get_all(name).map(HeaderValue::as_bytes);
    api_key_in(values(AUTHORIZATION), values(HeaderName::from_static("x-api-key")))
}

fn answer(refusal: &Refusal) -> HttpResponse {
    let status = StatusCode::from_u16(refusal.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = HttpResponse::build(status);
    for header in refusal.headers() {
        response.insert_header(header);
    }
    response.body(refusal.body())
}
