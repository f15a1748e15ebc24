//! A Tower layer that accepts only requests with a valid API key: for axum, and for every service with a response body
//! that can be made from a `String`.
//!
//! ```
//! use axum::{Extension, Router, routing::get};
//! use gatepost_client::protect::{Caller, KeyVerifier};
//! use gatepost_client::tower::RequireApiKey;
//! use gatepost_client::{Client, OperatorToken};
//!
//! # fn example(operator_token: String) -> Result<Router, gatepost_client::Error> {
//! let gatepost = Client::new("https://keys.example.com")?.with_credential(OperatorToken::new(operator_token));
//! let keys = KeyVerifier::new(gatepost);
//! let app = Router::new().route("/orders", get(orders)).layer(RequireApiKey::new(keys).with_scopes("orders:read"));
//! # Ok(app)
//! # }
//!
//! async fn orders(Extension(caller): Extension<Caller>) -> String {
//!     format!("the orders of the {}", caller.owner())
//! }
//! ```

use std::mem;
use std::task::{Context, Poll};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use http::{Request, Response, StatusCode};
use tower_layer::Layer;
use tower_service::Service;

use crate::protect::{KeyVerifier, Refusal, Scopes, api_key_in};

/// A layer that reads the API key from `x-api-key` or `Authorization: Bearer`, and answers a request without a valid
/// key with a [`Refusal`]. Handlers find the [`Caller`](crate::protect::Caller) in the request's extensions.
///
/// Wrap the CORS layer around this one: CORS preflights carry no key.
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

impl<Inner> Layer<Inner> for RequireApiKey {
    type Service = Protected<Inner>;

    fn layer(&self, inner: Inner) -> Protected<Inner> {
        Protected { inner, rule: self.clone() }
    }
}

/// A service that [`RequireApiKey`] protects.
#[derive(Clone, Debug)]
pub struct Protected<Inner> {
    inner: Inner,
    rule: RequireApiKey,
}

impl<Inner, RequestBody, ResponseBody> Service<Request<RequestBody>> for Protected<Inner>
where
    Inner: Service<Request<RequestBody>, Response = Response<ResponseBody>> + Clone + Send + 'static,
    Inner::Future: Send,
    RequestBody: Send + 'static,
    ResponseBody: From<String>,
{
    type Response = Inner::Response;
    type Error = Inner::Error;
    type Future = BoxFuture<'static, Result<Inner::Response, Inner::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Inner::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<RequestBody>) -> Self::Future {
        // `poll_ready` was called on `self.inner`, so that one must serve the request; its clone may not be ready.
        let clone = self.inner.clone();
        let mut inner = mem::replace(&mut self.inner, clone);
        let RequireApiKey { keys, required } = self.rule.clone();
        async move {
            match keys.admit(presented_in(request.headers()), &required).await {
                Ok(caller) => {
                    request.extensions_mut().insert(caller);
                    inner.call(request).await
                }
                Err(refusal) => Ok(answer(&refusal)),
            }
        }
        .boxed()
    }
}

fn presented_in(headers: &HeaderMap) -> Result<&str, Refusal> {
    let values = |name: HeaderName| headers.get_all(name).into_iter().map(HeaderValue::as_bytes);
    api_key_in(values(AUTHORIZATION), values(HeaderName::from_static("x-api-key")))
}

fn answer<Body: From<String>>(refusal: &Refusal) -> Response<Body> {
    let mut response = Response::new(Body::from(refusal.body()));
    *response.status_mut() = StatusCode::from_u16(refusal.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in refusal.headers() {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}
