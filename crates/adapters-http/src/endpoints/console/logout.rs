use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use domain::sessions::EndSessionError;

use super::leading_page::lead_to;
use crate::boundary::exchange::origin_of;
use crate::callers::session::find_good_session;
use crate::credentials::presented::Presented;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::state::State;

/// The page for a user that has signed out.
const SIGNED_OUT: &str = "/console/signed-out";

/// Signs out.
///
/// Ends the session of this browser, deletes its cookie, and leads to the page at which the identity provider signs the
/// user out, if it has one. Without a session it does the same. Only a page of this service may call it.
#[utoipa::path(
    post,
    path = "/console/logout",
    tag = "Sessions",
    operation_id = "signOut",
    responses(
        (status = 200, description = "Signed out. A page that leads on", body = String, content_type = "text/html"),
        Errors,
    ),
)]
pub(super) async fn logout(state: Data<State>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    if !state.own_origin.allows(request.head()) {
        return Err(ErrorCode::CrossSiteRequest.into());
    }
    if let Presented::One(secret) = state.cookies.read_session(request.headers())
        && let Some(session) = find_good_session(&request, secret).await?
    {
        match state.api.sessions.end(&session.owner, session.id, &origin_of(&request)).await {
            Ok(_) | Err(EndSessionError::NotFound) => {}
            Err(error @ EndSessionError::Store(_)) => return Err(error.into()),
        }
    }
    let signed_out = format!("{}{SIGNED_OUT}", state.public_url);
    let url = state.api.sign_in.sign_out_url(&signed_out).unwrap_or(signed_out);
    // A page and no redirect: the policy of the console's pages lets forms lead to this origin only.
    Ok(lead_to("Signed out", &url, state.cookies.clear_sessions()))
}

documented_errors!(Errors: CrossSiteRequest);
