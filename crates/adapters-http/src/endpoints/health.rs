//! Liveness and readiness.

use actix_web::HttpRequest;
use actix_web::web::{Data, Json};
use serde::Serialize;
use utoipa::ToSchema;

use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::field_fault::FieldFault;
use crate::readiness::Readiness;
use crate::records::check_outcome::CheckOutcome;
use crate::state::State;

endpoints! {
    live,
    ready,
    health,
}

/// The service is ready.
#[derive(Serialize, ToSchema)]
#[schema(as = Readiness)]
pub(super) struct Answer {
    /// Always `ready`.
    #[schema(example = "ready")]
    status: &'static str,
    /// The outcome of each check. Only with `?verbose`.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[schema(required = false)]
    checks: Vec<CheckOutcome>,
}

/// Reports whether the service can serve requests.
///
/// Checks everything that requests depend on: that the database takes writes, and the identity provider. With
/// `?for=verify` it checks only what the verification of API keys depends on, which continues while a database takes no
/// writes and while the identity provider is away. Answers 503 when a check fails, and as soon as a shutdown begins.
#[utoipa::path(
    get,
    path = "/readyz",
    params(
        ("verbose" = Option<String>, Query, description = "Lists each check. Requires no value"),
        ("for" = Option<String>, Query, description = "`verify`: checks only what verification depends on"),
    ),
    responses((status = 200, description = "The service is ready", body = Answer), Errors),
)]
pub(super) async fn ready(state: Data<State>, request: HttpRequest) -> Result<Json<Answer>, ApiError> {
    if state.stop.is_cancelled() {
        return Err(ApiError::NotReady("the service is shutting down", Vec::new()));
    }
    let outcomes = readiness(&state, &request)?.outcomes().await;
    let is_ready = outcomes.iter().all(CheckOutcome::is_ok);
    let checks = if is_verbose(&request) { outcomes } else { Vec::new() };
    if is_ready {
        Ok(Json(Answer { status: "ready", checks }))
    } else {
        Err(ApiError::NotReady("a readiness check failed", checks))
    }
}

/// Reports the same as `/readyz`.
///
/// For load balancers and monitors that use this path by convention to decide whether to send requests. Supervisors
/// that restart processes should use `/livez`.
#[utoipa::path(
    get,
    path = "/healthz",
    params(
        ("verbose" = Option<String>, Query, description = "Lists each check. Requires no value"),
        ("for" = Option<String>, Query, description = "`verify`: checks only what verification depends on"),
    ),
    responses((status = 200, description = "The service is ready", body = Answer), Errors),
)]
pub(super) async fn health(state: Data<State>, request: HttpRequest) -> Result<Json<Answer>, ApiError> {
    ready(state, request).await
}

fn readiness<'a>(state: &'a State, request: &HttpRequest) -> Result<&'a Readiness, ApiError> {
    match parameter(request, "for") {
        None => Ok(&state.readiness),
        Some("verify") => Ok(&state.verification),
        Some(_) => Err(ApiError::invalid_fields([FieldFault::new("for", "must be `verify`")])),
    }
}

fn is_verbose(request: &HttpRequest) -> bool {
    parameter(request, "verbose").is_some()
}

/// The value of a parameter; empty when it has none.
fn parameter<'a>(request: &'a HttpRequest, name: &str) -> Option<&'a str> {
    let parameters = request.query_string().split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    parameters.into_iter().find_map(|(other, value)| (other == name).then_some(value))
}

documented_errors!(Errors: InvalidField, Unavailable);

/// The process is alive.
#[derive(Serialize, ToSchema)]
pub(super) struct Liveness {
    /// Always `ok`.
    #[schema(example = "ok")]
    status: &'static str,
}

/// Reports that the process is alive.
///
/// Checks nothing else, because a restart of this process does not repair a database that is down.
#[utoipa::path(
    get,
    path = "/livez",
    responses((status = 200, description = "The process is alive", body = Liveness)),
)]
pub(super) async fn live() -> Json<Liveness> {
    Json(Liveness { status: "ok" })
}
