use std::any::Any;
use std::cell::OnceCell;
use std::future::{Future, Ready, ready};
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_web::body::MessageBody;
use actix_web::dev::{Service, ServiceRequest, ServiceResponse, Transform, forward_ready};
use actix_web::error::InternalError;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::http::{ConnectionType, Method};
use actix_web::{Error, HttpMessage, HttpResponse, web};
use futures_util::FutureExt;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout};

use crate::bodies::body::declared_length;
use crate::bodies::pull_fields::WAIT_SECONDS;
use crate::boundary::access_log::AccessLine;
use crate::boundary::cross_origin::{CorsVerdict, CrossOrigin};
use crate::boundary::exchange::Exchange;
use crate::boundary::large_body::in_pieces;
use crate::boundary::peer_address::peer_address;
use crate::boundary::request_durations::WorkerDurations;
use crate::boundary::request_id::{RequestId, X_REQUEST_ID};
use crate::boundary::request_trace::RequestTrace;
use crate::connections::turn::Turn;
use crate::errors::api_error::ApiError;
use crate::errors::problem;
use crate::errors::scim_fault::SCIM_PATHS;
use crate::settings::transfer_time;
use crate::state::State;

/// The end of the path of calls that wait for pulled events.
const RECEIVE: &str = "/receive";
/// For data: the browser loads no other content, and shows the answer in no frame.
const POLICY_OF_DATA: &str = "default-src 'none'; frame-ancestors 'none'";
/// For plain pages with an inline style: no script, and no content from other origins.
const POLICY_OF_PAGES: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/// The one middleware around every route. It gives each request an id, a deadline and a log line, each answer the
/// common headers, and each error a problem document, wherever the error comes from. It turns a panic of a handler into
/// a 500.
#[derive(Clone)]
pub(crate) struct Boundary {
    state: web::Data<State>,
    cross_origin: Arc<CrossOrigin>,
}

impl Boundary {
    pub(crate) fn new(state: web::Data<State>) -> Self {
        let cross_origin = Arc::new(CrossOrigin::new(&state.settings.cors_origins));
        Self { state, cross_origin }
    }

    fn open(&self, request: &ServiceRequest, durations: &Rc<WorkerDurations>) -> Rc<Exchange> {
        let exchange = Exchange {
            request_id: RequestId::accept_or_mint(request.headers(), &*self.state.api.entropy),
            method: request.method().clone(),
            route: request.match_pattern(),
            peer: peer_address(request.head(), &self.state.settings.trusted_proxies),
            prefers_pages: prefers_pages(request),
            is_scim: request.path().starts_with(SCIM_PATHS),
            started: Instant::now(),
            durations: Rc::clone(durations),
            traced: self.state.api.tracer.as_ref().and_then(|tracer| RequestTrace::open(tracer, request)),
            turn: Turn::of(request.request()),
            user: OnceCell::new(),
            key: OnceCell::new(),
            operator: OnceCell::new(),
            session: OnceCell::new(),
        };
        if request.head().connection_type() == ConnectionType::Close {
            exchange.set_last();
        }
        Rc::new(exchange)
    }

    async fn answer<S, B>(
        &self,
        service: &S,
        request: ServiceRequest,
        exchange: &Rc<Exchange>,
    ) -> Result<ServiceResponse, Error>
    where
        S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
        B: MessageBody + 'static,
    {
        let line = AccessLine::of(exchange);
        let cors = self.cross_origin.judge(request.head());
        if let Some(response) = cors.preflight_response() {
            return Ok(request.into_response(self.close(exchange, line, cors, response)));
        }
        request.extensions_mut().insert(Rc::clone(exchange));
        let arrival = transfer_time(declared_length(request.headers()).unwrap_or(0));
        let wait = if request.path().ends_with(RECEIVE) { WAIT_SECONDS.1 } else { 0 };
        let deadline = self.state.settings.limits.request_deadline + arrival + Duration::from_secs(wait.into());
        let handled = AssertUnwindSafe(async { service.call(request).await }).catch_unwind();
        match timeout(deadline, handled).await.map_or_else(overdue, survive) {
            Ok(answered) => {
                let (request, response) = answered.into_parts();
                Ok(ServiceResponse::new(request, self.close(exchange, line, cors, response.map_into_boxed_body())))
            }
            // The service consumed the request, and a `ServiceResponse` requires one. An error does not.
            Err(error) => {
                let response = self.close(exchange, line, cors, HttpResponse::from_error(error));
                Err(InternalError::from_response("answered", response).into())
            }
        }
    }

    /// Turns the refusal of a credential into a 429 when too many credentials from the same address have failed.
    /// Gateways are exempt: they verify the credentials of other clients.
    fn limit_failures(&self, exchange: &Exchange, response: HttpResponse) -> HttpResponse {
        let Some(reason) = refused_credential(&response).filter(|_| !exchange.is_verification()) else {
            return response;
        };
        let failures = self.state.credential_failures.as_ref();
        let wait = failures.zip(exchange.peer).and_then(|(failures, peer)| failures.count(peer));
        wait.map_or(response, |wait| HttpResponse::from_error(ApiError::TooManyCredentialFailures(reason, wait)))
    }

    /// Completes an answer and writes its log line.
    fn close(&self, exchange: &Exchange, line: AccessLine, cors: CorsVerdict, response: HttpResponse) -> HttpResponse {
        let response = self.limit_failures(exchange, response);
        line.write(&response);
        let form = |status| exchange.error_form(status);
        let request_id = exchange.request_id.as_str();
        let mut response = problem::fill(response, request_id, &self.state.settings.error_pages, form);
        add_default_headers(&mut response);
        cors.add_headers(&mut response);
        response.headers_mut().insert(X_REQUEST_ID, exchange.request_id.header_value());
        if self.state.stop.is_cancelled() {
            exchange.set_last();
            response.head_mut().set_connection_type(ConnectionType::Close);
        }
        response.map_body(|_, body| in_pieces(body))
    }
}

impl<S, B> Transform<S, ServiceRequest> for Boundary
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
{
    type Response = ServiceResponse;
    type Error = Error;
    type Transform = BoundaryService<S>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, ()>>;

    fn new_transform(&self, service: S) -> Self::Future {
        let durations = Rc::new(WorkerDurations::new(self.state.settings.durations.family()));
        ready(Ok(BoundaryService { boundary: Rc::new(self.clone()), durations, service: Rc::new(service) }))
    }
}

pub(crate) struct BoundaryService<S> {
    boundary: Rc<Boundary>,
    durations: Rc<WorkerDurations>,
    service: Rc<S>,
}

impl<S, B> Service<ServiceRequest> for BoundaryService<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
{
    type Response = ServiceResponse;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<ServiceResponse, Error>>>>;

    forward_ready!(service);

    fn call(&self, request: ServiceRequest) -> Self::Future {
        let (boundary, service) = (Rc::clone(&self.boundary), Rc::clone(&self.service));
        let exchange = boundary.open(&request, &self.durations);
        Box::pin(async move {
            let answer = boundary.answer(&*service, request, &exchange).await;
            exchange.end_turn();
            answer
        })
    }
}

/// Whether the client accepts a page by name, as browsers do in their address bar. Scripts and other programs accept anything.
fn prefers_pages(request: &ServiceRequest) -> bool {
    let accepted = request.headers().get(header::ACCEPT);
    request.method() == Method::GET && accepted.is_some_and(|types| types.as_bytes().starts_with(b"text/html"))
}

/// Why a credential was refused; `None` for other answers.
fn refused_credential(response: &HttpResponse) -> Option<&'static str> {
    match response.error()?.as_error()? {
        ApiError::CredentialInvalid(_, reason) => Some(reason),
        _ => None,
    }
}

/// Turns a panic of a handler into an error.
fn survive<T>(handled: Result<Result<T, Error>, Box<dyn Any + Send>>) -> Result<T, Error> {
    handled.unwrap_or_else(|panic| {
        Err(ApiError::Internal(format!("a handler panicked: {}", panic_text(&*panic)).into()).into())
    })
}

fn overdue<T>(elapsed: Elapsed) -> Result<T, Error> {
    Err(ApiError::Unavailable(elapsed.into()).into())
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// Adds the headers of every answer, unless the endpoint set them: no caching (most answers have a key, a list or a
/// verdict), no content sniffing, no framing.
fn add_default_headers(response: &mut HttpResponse) {
    let headers = response.headers_mut();
    let is_page =
        headers.get(header::CONTENT_TYPE).is_some_and(|media_type| media_type.as_bytes().starts_with(b"text/html"));
    let policy = if is_page { POLICY_OF_PAGES } else { POLICY_OF_DATA };
    let defaults: [(HeaderName, &'static str); 4] = [
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    for (name, value) in defaults {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
}
