//! The sessions of a user: the browsers that are signed in.
//!
//! See decision 67.

use actix_web::web::Json;
use actix_web::{HttpRequest, HttpResponse};
use domain::sessions::EndSessionError;
use serde::Serialize;
use utoipa::ToSchema;

use crate::boundary::browser::{browser_of, note_user};
use crate::callers::call::{Admit, Call, CallBody};
use crate::callers::owner::OwnerCall;
use crate::callers::session::{CallingSession, roles_end_at};
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::records::session_record::{CurrentSession, SessionList};
use crate::state::State;

endpoints! {
    find_current_session,
    end_current_session,
    begin_visit,
    list_sessions,
    end_sessions,
    end_session,
}

/// The code of a portal link.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct BeginVisit {
    /// The fragment of the link.
    code: String,
}

/// The new session of a visitor.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Visit {
    /// The session.
    session: CurrentSession,
    /// The page of the host application to which the console leads back; absent if the link names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "https://app.example.com/settings")]
    return_url: Option<String>,
}

/// Signs a visitor in by a portal link.
///
/// Sets the cookie of the new session, and ends the session that the browser had. A code works once. The console makes this call when a browser opens the link. Only
/// a page of this service may make it, so that no other site signs its readers in as somebody else.
#[utoipa::path(
    post,
    path = "/api/session",
    request_body = BeginVisit,
    responses((status = 200, description = "Signed in", body = Visit), Errors),
)]
pub(super) async fn begin_visit(mut call: Call<OwnPage>) -> Result<HttpResponse, ApiError> {
    let body = call.read_body().await?;
    let (code, browser) = (body.read(|fields| fields.required_text("code"))?, browser_of(&call.request));
    let replaced = call.state().cookies.read_session(call.request.headers()).one();
    let begun = call.api().portal_links.begin_visit(code, replaced, browser, call.origin().request).await?;
    let user = &begun.visit.user;
    if call.api().owner_states.is_suspended(user).await? {
        call.api().sessions.end(user, begun.opened.session.id, &call.origin()).await?;
        return Err(ErrorCode::PortalLinkSpent.into());
    }
    note_user(&call.request, user);
    let session = CurrentSession::of_new(&begun.opened.session);
    let return_url = begun.visit.return_url.map(|url| url.to_string());
    let cookies = call.state().cookies.keep_visit(begun.opened.secret.expose(), begun.visit.lifetime.as_secs());
    let mut answer = HttpResponse::Ok();
    for cookie in cookies {
        answer.append_header(cookie);
    }
    Ok(answer.json(Visit { session, return_url }))
}

/// A page of this service, with any credential or none.
pub(super) struct OwnPage;

impl Admit for OwnPage {
    async fn admit(request: &HttpRequest, _: &mut CallBody) -> Result<Self, ApiError> {
        let is_own = State::of(request).own_origin.allows(request.head());
        is_own.then_some(Self).ok_or(ErrorCode::CrossSiteRequest.into())
    }
}

documented_errors!(Errors: CrossSiteRequest, PortalLinkSpent);

/// Shows who is signed in.
///
/// Requires the cookie of a session. Every call is a use of the session, so it moves `idleExpiresAt`.
#[utoipa::path(
    get,
    path = "/api/session",
    security(("session" = [])),
    responses((status = 200, description = "The session of this browser", body = CurrentSession), FindErrors),
)]
pub(super) async fn find_current_session(call: Call<CallingSession>) -> Result<Json<CurrentSession>, ApiError> {
    let (CallingSession(session), api) = (&call.by, call.api());
    call.state().count_call_of(&session.owner, session.request_rate_limit)?;
    let shown = CurrentSession::of(session, api.clock.now());
    Ok(Json(match (&session.memberships, roles_end_at(session, api)) {
        (Ok(memberships), Some(end)) => shown.with_organizations(memberships, api.default_owner, end),
        _ => shown,
    }))
}

documented_errors!(FindErrors: CredentialMissing, CredentialInvalid, SeveralCredentials, RateLimited, TooManyCredentialFailures);

/// Signs out this browser.
///
/// Ends the session and deletes its cookie. The user stays signed in at the identity provider; `POST /console/logout`
/// signs out there too.
#[utoipa::path(
    delete,
    path = "/api/session",
    security(("session" = [])),
    responses((status = 204, description = "The session has ended"), EndCurrentErrors),
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

documented_errors!(EndCurrentErrors: CredentialMissing, CredentialInvalid, SeveralCredentials, CrossSiteRequest, TooManyCredentialFailures);

/// Lists the sessions of the user.
///
/// Newest first, at most 50.
#[utoipa::path(
    get,
    path = "/api/sessions",
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
    params(("keepCurrent" = Option<bool>, Query, description = "`true`: the session that makes the call stays")),
    responses((status = 200, description = "The sessions have ended. Those that are left", body = SessionList)),
)]
pub(super) async fn end_sessions(call: OwnerCall) -> Result<Json<SessionList>, ApiError> {
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
    responses((status = 200, description = "The session has ended. The user's sessions", body = SessionList), EndErrors),
)]
pub(super) async fn end_session(call: OwnerCall) -> Result<Json<SessionList>, ApiError> {
    let left = call.api().sessions.end(call.owner(), call.id()?, &call.origin()).await?;
    Ok(Json(SessionList::of(left, call.session())))
}

documented_errors!(EndErrors: SessionNotFound);
