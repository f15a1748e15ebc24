use actix_web::web::{Data, Query};
use actix_web::{HttpRequest, HttpResponse};
use domain::sessions::{SESSION_LIFETIME, SignInParameters};

use super::leading_page::lead_to;
use crate::boundary::browser::{browser_of, note_signed_in};
use crate::boundary::exchange::origin_of;
use crate::credentials::presented::Presented;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::state::State;

/// Completes a sign-in.
///
/// The identity provider leads the browser here. Sets the cookie of the new session, and leads to the page that
/// `next` named at `/console/login`.
#[utoipa::path(
    get,
    path = "/console/callback",
    tag = "Sessions",
    operation_id = "completeSignIn",
    params(
        ("code" = Option<String>, Query, description = "The authorization code"),
        ("state" = Option<String>, Query, description = "The state of the sign-in"),
        ("iss" = Option<String>, Query, description = "The issuer (RFC 9207)"),
        ("error" = Option<String>, Query, description = "Why the identity provider signed nobody in"),
    ),
    responses(
        (status = 200, description = "Signed in. A page that leads on", body = String, content_type = "text/html"),
        Errors,
    ),
)]
pub(super) async fn callback(state: Data<State>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let parameters = parameters(request.query_string())?;
    let cookies = state.cookies;
    let sealed = match cookies.sign_in.read(request.headers()) {
        Presented::One(sealed) => sealed,
        Presented::Nothing | Presented::Unusable(_) => return Err(ErrorCode::SignInNotBegun.into()),
    };
    let (peer, request_id) = (origin_of(&request).address, origin_of(&request).request);
    let limit = state.refused_sign_ins.as_ref().zip(peer);
    if let Some(wait) = limit.and_then(|(refused, peer)| refused.count(peer)) {
        return Err(ApiError::TooManyCredentialFailures("too many sign-ins of this address were refused", wait));
    }
    let signed_in = state.api.sign_in.complete(sealed, &parameters, browser_of(&request), request_id).await?;
    if let Some((refused, peer)) = limit {
        refused.give_back(peer);
    }
    note_signed_in(&request, &signed_in.opened.session.owner);
    let secret = signed_in.opened.secret.expose();
    // A page and no redirect: browsers do not send a `SameSite=Strict` cookie after a navigation that another site began.
    let kept = cookies.keep_session(secret, SESSION_LIFETIME.as_secs());
    Ok(lead_to("Signed in", signed_in.next.as_str(), [cookies.sign_in.clear()].into_iter().chain(kept)))
}

/// A parameter must not be there twice (RFC 6749, section 4.1.2).
fn parameters(query: &str) -> Result<SignInParameters, ApiError> {
    let pairs = Query::<Vec<(String, String)>>::from_query(query).map(Query::into_inner);
    let pairs = pairs.map_err(|_| ApiError::SignInRefused("the answer's query is not form-encoded"))?;
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

documented_errors!(Errors: SignInNotBegun, SignInRefused, TooManyCredentialFailures);
