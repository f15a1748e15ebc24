use actix_web::HttpRequest;
use actix_web::web::{Data, Json};
use domain::audit::AuditTarget;

use crate::boundary::exchange::origin_of;
use crate::callers::operator::Operator;
use crate::documents::responses::{OPERATOR_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::parameters::path_user::PathUser;
use crate::records::session_record::SessionList;
use crate::state::State;

/// Lists the sessions of a user, for support work.
///
/// Newest first, at most 50. The list of an unknown user is empty. The user sees this call in the audit log.
#[utoipa::path(
    get,
    path = "/api/operator/users/{userId}/sessions",
    tag = "Operator",
    operation_id = "listUserSessions",
    security(("operatorToken" = [])),
    params(("userId" = String, Path, description = "The user's `sub` at the configured issuer")),
    responses((status = 200, description = "The user's sessions", body = SessionList), Errors),
)]
pub(super) async fn list_user_sessions(
    _: Operator,
    state: Data<State>,
    user: PathUser,
    request: HttpRequest,
) -> Result<Json<SessionList>, ApiError> {
    let user = user.valid()?;
    state.api.audit.record_read(&user, AuditTarget::Sessions, &origin_of(&request)).await?;
    Ok(Json(SessionList::of(state.api.sessions.list(&user).await?, None)))
}

/// Ends all sessions of a user, for support work.
///
/// The service refuses them from now on, on every instance, and portal links that nobody has used yet. API keys stay good.
#[utoipa::path(
    delete,
    path = "/api/operator/users/{userId}/sessions",
    tag = "Operator",
    operation_id = "endUserSessions",
    security(("operatorToken" = [])),
    params(("userId" = String, Path, description = "The user's `sub` at the configured issuer")),
    responses((status = 200, description = "The sessions have ended. Those that are left", body = SessionList), Errors),
)]
pub(super) async fn end_user_sessions(
    _: Operator,
    state: Data<State>,
    user: PathUser,
    request: HttpRequest,
) -> Result<Json<SessionList>, ApiError> {
    let left = state.api.sessions.end_all(&user.valid()?, None, &origin_of(&request)).await?;
    Ok(Json(SessionList::of(left, None)))
}

documented_errors!(Errors: [OPERATOR_ERRORS], InvalidField);
