use actix_web::HttpResponse;
use actix_web::web::Json;
use domain::sessions::EndSessionError;

use crate::callers::call::Call;
use crate::callers::session::{CallingSession, roles_end_at};
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::records::session_record::CurrentSession;

/// Shows who is signed in.
///
/// Requires the cookie of a session. Every call is a use of the session, so it moves `idleExpiresAt`.
#[utoipa::path(
    get,
    path = "/api/session",
    tag = "Sessions",
    operation_id = "findCurrentSession",
    security(("session" = [])),
    responses((status = 200, description = "The session of this browser", body = CurrentSession), Errors),
)]
pub(super) async fn find_current_session(call: Call<CallingSession>) -> Result<Json<CurrentSession>, ApiError> {
    let (CallingSession(session), api) = (&call.by, call.api());
    call.state().count_call_of(&session.owner)?;
    let shown = CurrentSession::of(session, api.clock.now());
    Ok(Json(match (&session.memberships, roles_end_at(session, api)) {
        (Ok(memberships), Some(end)) => shown.with_organizations(memberships, api.default_owner, end),
        _ => shown,
    }))
}

documented_errors!(Errors: CredentialMissing, CredentialInvalid, SeveralCredentials, RateLimited, TooManyCredentialFailures);

/// Signs out this browser.
///
/// Ends the session and deletes its cookie. The user stays signed in at the identity provider; `POST /console/logout`
/// signs out there too.
#[utoipa::path(
    delete,
    path = "/api/session",
    tag = "Sessions",
    operation_id = "endCurrentSession",
    security(("session" = [])),
    responses((status = 204, description = "The session has ended"), EndErrors),
)]
pub(super) async fn end_current_session(call: Call<CallingSession>) -> Result<HttpResponse, ApiError> {
    let CallingSession(session) = &call.by;
    match call.api().sessions.end(&session.owner, session.id, &call.origin()).await {
        // Another call has ended it already.
        Ok(_) | Err(EndSessionError::NotFound) => {}
        Err(error @ EndSessionError::Store(_)) => return Err(error.into()),
    }
    let mut answer = HttpResponse::NoContent();
    for cookie in call.state().cookies.clear_sessions() {
        answer.append_header(cookie);
    }
    Ok(answer.finish())
}

documented_errors!(EndErrors: CredentialMissing, CredentialInvalid, SeveralCredentials, CrossSiteRequest, TooManyCredentialFailures);
