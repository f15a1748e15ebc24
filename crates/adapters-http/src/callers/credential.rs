//! Verifies the credentials of users, and records them for the log.

use std::sync::Arc;

use actix_web::HttpRequest;
use domain::ports::IdentityVerdict;
use domain::{IdToken, UserId};
use verifier::{Allowance, VerifiedKey};

use crate::boundary::exchange::Exchange;
use crate::callers::session::find_good_session;
use crate::credentials::headers::{Credential, credential_in};
use crate::credentials::presented::Presented;
use crate::errors::api_error::{ApiError, Invalid, Limited};
use crate::state::State;

/// Whether the credential of an owner's call is still valid. For answers that go on for long, such as streams. Counts as a
/// use of a key, but not against its rate limit.
pub(crate) async fn is_still_good(request: &HttpRequest) -> Result<bool, ApiError> {
    if let Presented::One(secret) = State::of(request).cookies.read_session(request.headers()) {
        return Ok(find_good_session(request, secret).await?.is_some());
    }
    match credential_in(request.headers()) {
        Presented::Nothing | Presented::Unusable(_) => Ok(false),
        Presented::One(Credential::ApiKey(key)) => Ok(find_good_key(request, key).await?.is_some()),
        Presented::One(Credential::IdToken(token)) => match verify_id_token(request, token).await {
            Ok(_) => Ok(true),
            Err(ApiError::CredentialInvalid(..)) => Ok(false),
            Err(error) => Err(error),
        },
    }
}

/// The presented key, if it is valid now.
pub(crate) async fn find_good_key(
    request: &HttpRequest,
    presented: &str,
) -> Result<Option<Arc<VerifiedKey>>, ApiError> {
    let key = State::of(request).api.verifier.verify(presented).await?;
    if let (Some(key), Some(exchange)) = (&key, Exchange::of(request)) {
        exchange.note_key(key);
    }
    Ok(key)
}

/// Counts one use against the key's rate limit. Fails with the allowance when the limit is used up.
pub(crate) fn spend(request: &HttpRequest, key: &Arc<VerifiedKey>) -> Result<(), Allowance> {
    match State::of(request).api.verifier.spend(key) {
        Some(allowance) if allowance.retry_after.is_some() => Err(allowance),
        _ => Ok(()),
    }
}

/// The error of a key that is over its rate limit.
pub(crate) fn limited_key(allowance: Allowance) -> ApiError {
    ApiError::RateLimited(Limited::Key, allowance)
}

/// The user of this ID token.
pub(super) async fn verify_id_token(request: &HttpRequest, token: &str) -> Result<UserId, ApiError> {
    let api = &State::of(request).api;
    match api.identity.verify(&IdToken::new(token), api.clock.world_time()).await? {
        IdentityVerdict::Refused(reason) => Err(ApiError::CredentialInvalid(Invalid::IdToken, reason)),
        IdentityVerdict::Valid(user) => {
            if let Some(exchange) = Exchange::of(request) {
                exchange.note_user(&user);
            }
            Ok(user)
        }
    }
}
