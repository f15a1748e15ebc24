use actix_web::web::{Data, Json};
use actix_web::{HttpRequest, HttpResponse};
use domain::sessions::EndSessionError;

use crate::boundary::exchange::origin_of;
use crate::callers::session::CallingSession;
use crate::documents::responses::{CREDENTIAL_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::records::session_record::CurrentSession;
use crate::state::State;

/// Shows who is signed in.
///
/// Requires the cookie of a session. Every call is a use of the session, so it moves `idleExpiresAt`.
#[utoipa::path(
    get,
    path = "/api/session",
    tag = "Sessions",
    operation_id = "findCurrentSession",
    responses((status = 200, description = "The session of this browser", body = CurrentSession), Errors),
)]
pub(super) async fn find_current_session(
    state: Data<State>,
    session: CallingSession,
) -> Result<Json<CurrentSession>, ApiError> {
    state.count_call_of(&session.0.owner)?;
    Ok(Json(CurrentSession::of(&session.0, state.api.clock.now())))
}

documented_errors!(Errors: [CREDENTIAL_ERRORS], RateLimited);

/// Signs out this browser.
///
/// Ends the session and deletes its cookie. The user stays signed in at the identity provider; `POST /console/logout`
/// signs out there too.
#[utoipa::path(
    delete,
    path = "/api/session",
    tag = "Sessions",
    operation_id = "endCurrentSession",
    responses((status = 204, description = "The session has ended"), EndErrors),
)]
pub(super) async fn end_current_session(
    state: Data<State>,
    session: CallingSession,
    head: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    match state.api.sessions.end(&session.0.owner, session.0.id, &origin_of(&head)).await {
        // Somebody else has ended it since.
        Ok(_) | Err(EndSessionError::NotFound) => {}
        Err(error @ EndSessionError::Store(_)) => return Err(error.into()),
    }
    let mut answer = HttpResponse::NoContent();
    for cookie in state.cookies.clear_sessions() {
        answer.append_header(cookie);
    }
    Ok(answer.finish())
}

documented_errors!(EndErrors: [CREDENTIAL_ERRORS]);
