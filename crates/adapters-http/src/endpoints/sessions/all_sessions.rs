use actix_web::HttpRequest;
use actix_web::web::{Data, Json, Payload};

use crate::bodies::body::refuse_members;
use crate::boundary::exchange::origin_of;
use crate::callers::session_owner::SessionOwner;
use crate::documents::responses::{BODY_ERRORS, CREDENTIAL_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::parameters::query::Parameters;
use crate::records::session_record::SessionList;
use crate::state::State;

/// Lists the sessions of the user.
///
/// Newest first, at most 50. Accepts an ID token or a session. An API key is refused, and so is a visitor.
#[utoipa::path(
    get,
    path = "/api/sessions",
    tag = "Sessions",
    operation_id = "listSessions",
    security(("idToken" = []), ("idTokenHeader" = [])),
    responses((status = 200, description = "The user's sessions", body = SessionList), Errors),
)]
pub(super) async fn list_sessions(state: Data<State>, owner: SessionOwner) -> Result<Json<SessionList>, ApiError> {
    Ok(Json(SessionList::of(state.api.sessions.list(&owner.user).await?, owner.current)))
}

documented_errors!(Errors: [CREDENTIAL_ERRORS], RateLimited);

const KEEP_CURRENT: &str = "keepCurrent";

/// Ends all sessions of the user.
///
/// The service refuses them from now on, and portal links that nobody has used yet. Accepts an ID token or a session. An API key is refused, and so is a visitor.
#[utoipa::path(
    delete,
    path = "/api/sessions",
    tag = "Sessions",
    operation_id = "endSessions",
    security(("idToken" = []), ("idTokenHeader" = [])),
    params(("keepCurrent" = Option<bool>, Query, description = "`true`: the session that makes the call stays")),
    responses((status = 200, description = "The sessions have ended. Those that are left", body = SessionList), EndErrors),
)]
pub(super) async fn end_sessions(
    owner: SessionOwner,
    state: Data<State>,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<SessionList>, ApiError> {
    refuse_members(&request, payload).await?;
    let parameters = Parameters::parse(request.query_string(), &[KEEP_CURRENT])?;
    let keeps = parameters.read(KEEP_CURRENT, |text| text.parse::<bool>().ok(), "must be true or false")?;
    let kept = owner.current.filter(|_| keeps == Some(true));
    let left = state.api.sessions.end_all(&owner.user, kept, &origin_of(&request)).await?;
    Ok(Json(SessionList::of(left, owner.current)))
}

documented_errors!(EndErrors: [CREDENTIAL_ERRORS, BODY_ERRORS], RateLimited);
