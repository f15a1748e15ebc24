use actix_web::web::Json;

use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::records::session_record::SessionList;

/// Lists the sessions of the user.
///
/// Newest first, at most 50.
#[utoipa::path(
    get,
    path = "/api/sessions",
    tag = "Sessions",
    operation_id = "listSessions",
    responses((status = 200, description = "The user's sessions", body = SessionList)),
)]
pub(super) async fn list_sessions(call: OwnerCall) -> Result<Json<SessionList>, ApiError> {
    Ok(Json(SessionList::of(call.api().sessions.list(call.owner()).await?, call.session())))
}

const KEEP_CURRENT: &str = "keepCurrent";

/// Ends all sessions of the user.
///
/// The service refuses them from now on, and unused portal links too. API keys stay good.
#[utoipa::path(
    delete,
    path = "/api/sessions",
    tag = "Sessions",
    operation_id = "endSessions",
    params(("keepCurrent" = Option<bool>, Query, description = "`true`: the session that makes the call stays")),
    responses((status = 200, description = "The sessions have ended. Those that are left", body = SessionList)),
)]
pub(super) async fn end_sessions(mut call: OwnerCall) -> Result<Json<SessionList>, ApiError> {
    call.refuse_members().await?;
    let keeps = call.parameters()?.read(KEEP_CURRENT, |text| text.parse::<bool>().ok(), "must be true or false")?;
    let kept = call.session().filter(|_| keeps == Some(true));
    let left = call.api().sessions.end_all(call.owner(), kept, &call.origin()).await?;
    Ok(Json(SessionList::of(left, call.session())))
}

/// Ends one session of the user.
///
/// The service refuses the session from now on.
#[utoipa::path(
    delete,
    path = "/api/sessions/{id}",
    tag = "Sessions",
    operation_id = "endSession",
    responses((status = 200, description = "The session has ended. The user's sessions", body = SessionList), Errors),
)]
pub(super) async fn end_session(call: OwnerCall) -> Result<Json<SessionList>, ApiError> {
    let left = call.api().sessions.end(call.owner(), call.id()?, &call.origin()).await?;
    Ok(Json(SessionList::of(left, call.session())))
}

documented_errors!(Errors: SessionNotFound);
