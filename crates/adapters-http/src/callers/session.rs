use std::sync::Arc;

use actix_web::HttpRequest;
use domain::Timestamp;
use domain::organizations::Memberships;
use verifier::VerifiedSession;

use crate::Api;
use crate::boundary::exchange::Exchange;
use crate::callers::call::{Admit, CallBody};
use crate::credentials::headers::credential_in;
use crate::credentials::presented::Presented;
use crate::errors::api_error::{ApiError, Invalid};
use crate::errors::error_code::ErrorCode;
use crate::state::State;

/// The session of the browser that calls. Other credentials are refused.
pub(crate) struct CallingSession(pub(crate) Arc<VerifiedSession>);

impl Admit for CallingSession {
    async fn admit(request: &HttpRequest, _: &mut CallBody) -> Result<Self, ApiError> {
        let other = credential_in(request.headers());
        match (session_beside(request, &other).await?, other) {
            (Some(session), _) => Ok(Self(session)),
            (None, Presented::Nothing) => Err(ErrorCode::CredentialMissing.into()),
            (None, _) => {
                let reason = "another credential where only a session is accepted";
                Err(ApiError::CredentialInvalid(Invalid::Presented, reason))
            }
        }
    }
}

/// The session in the cookie of a request; `None` without a cookie. The session counts as used.
///
/// # Errors
///
/// When the session is not valid, when the request carries the `other` credential too, or when it changes something and no
/// page of this service made it. See decision 67.
pub(crate) async fn session_beside<T>(
    request: &HttpRequest,
    other: &Presented<T>,
) -> Result<Option<Arc<VerifiedSession>>, ApiError> {
    let state = State::of(request);
    let secret = match (state.cookies.read_session(request.headers()), other) {
        (Presented::Nothing, _) => return Ok(None),
        (_, Presented::One(_) | Presented::Unusable(_)) => return Err(ErrorCode::SeveralCredentials.into()),
        (Presented::Unusable(reason), _) => return Err(ApiError::CredentialInvalid(Invalid::Presented, reason)),
        (Presented::One(secret), _) => secret,
    };
    if !state.own_origin.allows(request.head()) {
        return Err(ErrorCode::CrossSiteRequest.into());
    }
    let session = find_good_session(request, secret).await?;
    Ok(Some(session.ok_or(ApiError::CredentialInvalid(Invalid::Session, "a session that is not valid"))?))
}

/// When the roles of the user in organizations end, which the session has from the sign-in; `None` if the session has none.
pub(crate) fn roles_end_at(session: &VerifiedSession, api: &Api) -> Option<Timestamp> {
    let has_none = session.memberships.as_ref().is_ok_and(Memberships::is_empty);
    (!has_none).then(|| session.created_at.plus(api.session_role_max_age))
}

/// Whether the roles have ended.
pub(super) fn has_old_roles(session: &VerifiedSession, api: &Api) -> bool {
    roles_end_at(session, api).is_some_and(|end| end <= api.clock.now())
}

/// The session with this secret, if it is good now. Records the user for the log.
pub(crate) async fn find_good_session(
    request: &HttpRequest,
    secret: &str,
) -> Result<Option<Arc<VerifiedSession>>, ApiError> {
    let session = State::of(request).api.verifier.verify_session(secret).await?;
    if let (Some(session), Some(exchange)) = (&session, Exchange::of(request)) {
        exchange.note_user(&session.owner);
        exchange.note_session(session.id);
    }
    Ok(session)
}
