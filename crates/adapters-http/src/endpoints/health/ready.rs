use actix_web::HttpRequest;
use actix_web::web::{Data, Json};
use serde::Serialize;
use utoipa::ToSchema;

use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::records::check_outcome::CheckOutcome;
use crate::state::State;

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
/// Checks everything that requests depend on: the database and the identity provider. Answers 503 when a check fails,
/// and as soon as a shutdown begins.
#[utoipa::path(
    get,
    path = "/readyz",
    tag = "Health",
    operation_id = "ready",
    params(("verbose" = Option<String>, Query, description = "Lists each check. Requires no value")),
    responses((status = 200, description = "The service is ready", body = Answer), Errors),
)]
pub(super) async fn ready(state: Data<State>, request: HttpRequest) -> Result<Json<Answer>, ApiError> {
    if state.stop.is_cancelled() {
        return Err(ApiError::NotReady("the service is shutting down", Vec::new()));
    }
    let outcomes = state.readiness.outcomes().await;
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
    tag = "Health",
    operation_id = "health",
    params(("verbose" = Option<String>, Query, description = "Lists each check. Requires no value")),
    responses((status = 200, description = "The service is ready", body = Answer), Errors),
)]
pub(super) async fn health(state: Data<State>, request: HttpRequest) -> Result<Json<Answer>, ApiError> {
    ready(state, request).await
}

fn is_verbose(request: &HttpRequest) -> bool {
    request.query_string().split('&').any(|parameter| parameter.split('=').next() == Some("verbose"))
}

documented_errors!(Errors: [], Unavailable);
