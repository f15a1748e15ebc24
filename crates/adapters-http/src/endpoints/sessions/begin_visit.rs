use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use utoipa::ToSchema;

use crate::boundary::browser::{browser_of, note_signed_in};
use crate::callers::call::{Admit, Call, CallBody};
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::records::session_record::CurrentSession;
use crate::state::State;

/// The code of a portal link.
#[derive(ToSchema)]
#[schema(as = BeginVisit)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
    /// The fragment of the link.
    code: String,
}

/// The new session of a visitor.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Visit)]
struct Answer {
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
    tag = "Sessions",
    operation_id = "beginVisit",
    request_body = Body,
    responses((status = 200, description = "Signed in", body = Answer), Errors),
)]
pub(super) async fn begin_visit(mut call: Call<OwnPage>) -> Result<HttpResponse, ApiError> {
    let body = call.read_body().await?;
    let (code, browser) = (body.read(|fields| fields.required_text("code"))?, browser_of(&call.request));
    let replaced = call.state().cookies.read_session(call.request.headers()).one();
    let begun = call.api().portal_links.begin_visit(code, replaced, browser, call.origin().request).await?;
    if call.api().owner_states.is_suspended(&begun.visit.user).await? {
        return Err(ErrorCode::PortalLinkSpent.into());
    }
    note_signed_in(&call.request, &begun.visit.user);
    let session = CurrentSession::of_new(&begun.opened.session);
    let return_url = begun.visit.return_url.map(|url| url.to_string());
    let cookies = call.state().cookies.keep_visit(begun.opened.secret.expose(), begun.visit.lifetime.as_secs());
    let mut answer = HttpResponse::Ok();
    for cookie in cookies {
        answer.append_header(cookie);
    }
    Ok(answer.json(Answer { session, return_url }))
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
