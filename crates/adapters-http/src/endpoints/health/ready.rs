use actix_web::HttpRequest;
use actix_web::web::{Data, Json};
use serde::Serialize;
use utoipa::ToSchema;

use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::records::check_outcome::CheckOutcome;
use crate::state::State;

/// That the service can serve.
#[derive(Serialize, ToSchema)]
#[schema(as = Readiness)]
pub(super) struct Answer {
    /// Always `ready`.
    #[schema(example = "ready")]
    status: &'static str,
    /// The checks, where `?verbose` asked for them.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[schema(required = false)]
    checks: Vec<CheckOutcome>,
}

/// Whether the service can serve.
///
/// Asks everything that a request may need: the database, the identity provider. 503 when one fails, and from the
/// first moment of a shutdown.
#[utoipa::path(
    get,
    path = "/readyz",
    tag = "Health",
    operation_id = "ready",
    params(("verbose" = Option<String>, Query, description = "Lists each check. Needs no value")),
    responses((status = 200, description = "It can", body = Answer), Errors),
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
        Err(ApiError::NotReady("something that the service needs does not work", checks))
    }
}

/// The same as `/readyz`.
///
/// For load balancers and monitors that ask here by habit: they mean "send it requests?". What restarts processes
/// asks `/livez`.
#[utoipa::path(
    get,
    path = "/healthz",
    tag = "Health",
    operation_id = "health",
    params(("verbose" = Option<String>, Query, description = "Lists each check. Needs no value")),
    responses((status = 200, description = "It can serve", body = Answer), Errors),
)]
pub(super) async fn health(state: Data<State>, request: HttpRequest) -> Result<Json<Answer>, ApiError> {
    ready(state, request).await
}

fn is_verbose(request: &HttpRequest) -> bool {
    request.query_string().split('&').any(|parameter| parameter.split('=').next() == Some("verbose"))
}

documented_errors!(Errors: [], Unavailable);
