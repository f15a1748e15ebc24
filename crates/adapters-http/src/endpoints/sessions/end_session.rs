use actix_web::web::Json;

use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::records::session_record::SessionList;

/// Ends one session of the user.
///
/// The service refuses the session from now on.
#[utoipa::path(
    delete,
    path = "/api/sessions/{id}",
    tag = "Sessions",
    operation_id = "endSession",
    params(("id" = String, Path, description = "The session's id")),
    responses((status = 200, description = "The session has ended. The user's sessions", body = SessionList), Errors),
)]
pub(super) async fn end_session(call: OwnerCall) -> Result<Json<SessionList>, ApiError> {
    let left = call.api().sessions.end(call.owner(), call.id()?, &call.origin()).await?;
    Ok(Json(SessionList::of(left, call.session())))
}

documented_errors!(Errors: SessionNotFound);
