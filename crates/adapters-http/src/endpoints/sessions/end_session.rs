use actix_web::HttpRequest;
use actix_web::web::{Data, Json};
use domain::SessionId;

use crate::boundary::exchange::origin_of;
use crate::callers::session_owner::SessionOwner;
use crate::documents::responses::{CREDENTIAL_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::parameters::path_id::PathId;
use crate::records::session_record::SessionList;
use crate::state::State;

/// Ends one session of the user.
///
/// The service refuses the session from now on. Accepts an ID token or a session. An API key is refused, and so is a
/// visitor.
#[utoipa::path(
    delete,
    path = "/api/sessions/{id}",
    tag = "Sessions",
    operation_id = "endSession",
    security(("idToken" = []), ("idTokenHeader" = [])),
    params(("id" = String, Path, description = "The session's id")),
    responses((status = 200, description = "The session has ended. The user's sessions", body = SessionList), Errors),
)]
pub(super) async fn end_session(
    state: Data<State>,
    owner: SessionOwner,
    id: PathId<SessionId>,
    head: HttpRequest,
) -> Result<Json<SessionList>, ApiError> {
    let origin = origin_of(&head);
    let left = state.api.sessions.end(&owner.user, id.known()?, &origin).await?;
    Ok(Json(SessionList::of(left, owner.current)))
}

documented_errors!(Errors: [CREDENTIAL_ERRORS], SessionNotFound, RateLimited);
