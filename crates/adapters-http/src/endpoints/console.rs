//! Sign-in and sign-out, for browsers and command lines. The pages of the console itself belong to another adapter.
//!
//! See decision 66.

use actix_web::http::header;
use actix_web::web::{Data, Json};
use actix_web::{HttpRequest, HttpResponse};
use domain::sessions::{EndSessionError, ReturnPath, SESSION_LIFETIME, SIGN_IN_MAX, SignInParameters};
use pages::escape;
use serde::Serialize;
use utoipa::ToSchema;

use crate::boundary::browser::{browser_of, note_user};
use crate::boundary::exchange::origin_of;
use crate::callers::credential::note_sign_in;
use crate::callers::session::find_good_session;
use crate::credentials::cookies::CookieHeader;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::parameters::query::pairs_of;
use crate::state::State;

endpoints! {
    sign_in,
    complete_sign_in,
    find_command_line_client,
    sign_out,
}

/// Begins to sign in.
///
/// Leads the browser to the identity provider (the authorization code flow with PKCE), and keeps what the answer must
/// match in an encrypted cookie for ten minutes.
#[utoipa::path(
    get,
    path = "/console/login",
    params(("next" = Option<String>, Query,
        description = "The page to show afterwards: a path under `/console/`. Anything else leads to `/console/`")),
    responses((status = 303, description = "Leads to the identity provider"), SignInErrors),
)]
pub(super) async fn sign_in(state: Data<State>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    // The provider's answer comes without this cookie: it is a navigation from another site.
    let session = state.cookies.read_session(request.headers()).one();
    let begun = state.api.sign_in.begin(next(request.query_string()), session)?;
    Ok(HttpResponse::SeeOther()
        .insert_header((header::LOCATION, begun.url))
        .insert_header(state.cookies.sign_in.set(&begun.sealed, SIGN_IN_MAX.as_secs()))
        .finish())
}

/// The page that a link asks for, or the home page. Anybody can make such a link.
fn next(query: &str) -> ReturnPath {
    let parameters = pairs_of(query).unwrap_or_default();
    let next = parameters.iter().find(|(name, _)| name == "next");
    next.and_then(|(_, path)| ReturnPath::parse(path)).unwrap_or_default()
}

documented_errors!(SignInErrors: );

/// Completes a sign-in.
///
/// The identity provider leads the browser here. Sets the cookie of the new session, and leads to the page that
/// `next` named at `/console/login`.
#[utoipa::path(
    get,
    path = "/console/callback",
    params(
        ("code" = Option<String>, Query, description = "The authorization code"),
        ("state" = Option<String>, Query, description = "The state of the sign-in"),
        ("iss" = Option<String>, Query, description = "The issuer (RFC 9207)"),
        ("error" = Option<String>, Query, description = "The error with which the identity provider refused the sign-in"),
    ),
    responses(
        (status = 200, description = "Signed in. A page that leads on", body = String, content_type = "text/html"),
        CompleteErrors,
    ),
)]
pub(super) async fn complete_sign_in(state: Data<State>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let parameters = parameters(request.query_string())?;
    let cookies = state.cookies;
    let sealed = cookies.sign_in.read(request.headers()).one().ok_or(ErrorCode::SignInNotBegun)?;
    let (peer, request_id) = (origin_of(&request).address, origin_of(&request).request);
    let limit = state.refused_sign_ins.as_ref().zip(peer);
    if let Some(wait) = limit.and_then(|(refused, peer)| refused.count(peer)) {
        return Err(ApiError::TooManyCredentialFailures("too many sign-ins of this address were refused", wait));
    }
    let signed_in = state.api.sign_in.complete(sealed, &parameters, browser_of(&request), request_id).await?;
    if let Some((refused, peer)) = limit {
        refused.give_back(peer);
    }
    let (user, session) = (&signed_in.opened.session.owner, signed_in.opened.session.id);
    if state.api.owner_states.is_suspended(user).await? {
        // The session is refused everywhere, so without this error the console would lead to the sign-in again.
        state.api.sessions.end(user, session, &origin_of(&request)).await?;
        return Err(ErrorCode::OwnerSuspended.into());
    }
    note_user(&request, user);
    note_sign_in(&state.api, user).await;
    let secret = signed_in.opened.secret.expose();
    // A page and no redirect: browsers do not send a `SameSite=Strict` cookie after a navigation that another site began.
    let kept = cookies.keep_session(secret, SESSION_LIFETIME.as_secs());
    Ok(lead_to("Signed in", signed_in.next.as_str(), [cookies.sign_in.clear()].into_iter().chain(kept)))
}

/// A parameter must not be there twice (RFC 6749, section 4.1.2).
fn parameters(query: &str) -> Result<SignInParameters, ApiError> {
    let pairs = pairs_of(query).map_err(|_| ApiError::SignInRefused("the answer's query is not form-encoded"))?;
    let mut parameters = SignInParameters::default();
    for (name, value) in pairs {
        let place = match name.as_str() {
            "code" => &mut parameters.code,
            "state" => &mut parameters.state,
            "iss" => &mut parameters.issuer,
            _ => continue,
        };
        if place.replace(value).is_some() {
            return Err(ApiError::SignInRefused("the answer has a parameter twice"));
        }
    }
    Ok(parameters)
}

documented_errors!(CompleteErrors: SignInNotBegun, SignInRefused, OwnerSuspended, TooManyCredentialFailures);

/// The page for a user that has signed out.
const SIGNED_OUT: &str = "/console/signed-out";

/// Signs out.
///
/// Ends the session of this browser, deletes its cookie, and leads to the page at which the identity provider signs the
/// user out, if it has one. Without a session it does the same. Only a page of this service may call it.
#[utoipa::path(
    post,
    path = "/console/logout",
    responses(
        (status = 200, description = "Signed out. A page that leads on", body = String, content_type = "text/html"),
        SignOutErrors,
    ),
)]
pub(super) async fn sign_out(state: Data<State>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    if !state.own_origin.allows(request.head()) {
        return Err(ErrorCode::CrossSiteRequest.into());
    }
    if let Some(secret) = state.cookies.read_session(request.headers()).one()
        && let Some(session) = find_good_session(&request, secret).await?
    {
        match state.api.sessions.end(&session.owner, session.id, &origin_of(&request)).await {
            Ok(_) | Err(EndSessionError::NotFound) => {}
            Err(error @ EndSessionError::Store(_)) => return Err(error.into()),
        }
    }
    let signed_out = format!("{}{SIGNED_OUT}", state.settings.public_url);
    let url = state.api.sign_in.sign_out_url(&signed_out).unwrap_or(signed_out);
    // A page and no redirect: the policy of the console's pages lets forms lead to this origin only.
    Ok(lead_to("Signed out", &url, state.cookies.clear_sessions()))
}

documented_errors!(SignOutErrors: CrossSiteRequest);

/// How a command line signs in at the identity provider.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CommandLineClient {
    /// The identity provider, as its ID tokens have it in `iss`. Its discovery document names its endpoints.
    #[schema(example = "https://id.example.com")]
    issuer: String,
    /// The client id. The client is public: it has no secret.
    #[schema(example = "gatepost-cli")]
    client_id: String,
}

/// Reports how a command line signs in.
///
/// `gatepost login` signs a person in with this client of the identity provider (the authorization code flow with PKCE,
/// and a redirect to 127.0.0.1: RFC 8252). The ID token that it gets is a credential here. Requires no credential: both
/// values are public.
#[utoipa::path(
    get,
    path = "/api/command-line-client",
    responses((status = 200, description = "The issuer and the client", body = CommandLineClient), ClientErrors),
)]
pub(super) async fn find_command_line_client(state: Data<State>) -> Result<Json<CommandLineClient>, ApiError> {
    let client_id = state.api.command_line_client.clone().ok_or(ErrorCode::CommandLineSignInOff)?;
    Ok(Json(CommandLineClient { issuer: state.api.issuer.clone(), client_id }))
}

documented_errors!(ClientErrors: CommandLineSignInOff);

/// A page that leads to this URL without a click or a script, and sets these cookies.
fn lead_to(title: &str, url: &str, cookies: impl IntoIterator<Item = CookieHeader>) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    for cookie in cookies {
        response.append_header(cookie);
    }
    response.insert_header((header::CONTENT_TYPE, pages::MEDIA_TYPE)).body(leading_page(title, url))
}

fn leading_page(title: &str, url: &str) -> String {
    let url = escape(url);
    let refresh = format!("<meta http-equiv=\"refresh\" content=\"0;url={url}\">");
    pages::page(title, &refresh, &format!("<p><a href=\"{url}\">Continue</a></p>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_stays_in_its_attribute() {
        let page = leading_page("Signed in", "/console/?a=\"><script>&b='c'");
        assert!(page.contains("content=\"0;url=/console/?a=&#34;&#62;&#60;script&#62;&#38;b=&#39;c&#39;\""), "{page}");
        assert!(!page.contains("<script"), "{page}");
    }
}
