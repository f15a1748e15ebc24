use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use domain::UserId;
use verifier::{Allowance, VerifiedKey, VerifiedSession};

use crate::boundary::exchange::Exchange;
use crate::callers::id_token::verify_id_token;
use crate::callers::session::{find_good_session, session_beside};
use crate::credentials::headers::{Credential, credential_in};
use crate::credentials::presented::Presented;
use crate::errors::api_error::{ApiError, Invalid, Limited};
use crate::errors::error_code::ErrorCode;
use crate::state::State;

/// The caller of a path that accepts an API key, an ID token or a session: every path under `/api` except key management.
#[derive(Debug)]
pub(crate) enum Caller {
    /// The bearer of an API key that is valid now and within its rate limit.
    ApiKey(Arc<VerifiedKey>),
    /// The user of an ID token.
    User(UserId),
    /// A browser that has signed in.
    Session(Arc<VerifiedSession>),
}

impl Caller {
    /// The user on whose behalf the call is made.
    pub(crate) fn user(&self) -> &UserId {
        match self {
            Self::ApiKey(key) => &key.owner,
            Self::User(user) => user,
            Self::Session(session) => &session.owner,
        }
    }
}

impl FromRequest for Caller {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let presented = credential_in(request.headers());
            let caller = match session_beside(&request, &presented).await? {
                Some(session) => Self::Session(session),
                None => verify(&request, presented).await?,
            };
            State::of(&request).count_call_of(caller.user())?;
            Ok(caller)
        })
    }
}

async fn verify(request: &HttpRequest, presented: Presented<Credential<'_>>) -> Result<Caller, ApiError> {
    match presented {
        Presented::Nothing => Err(ErrorCode::CredentialMissing.into()),
        Presented::Unusable(reason) => Err(ApiError::CredentialInvalid(Invalid::Presented, reason)),
        Presented::One(Credential::ApiKey(key)) => Ok(Caller::ApiKey(verify_key(request, key).await?)),
        Presented::One(Credential::IdToken(token)) => Ok(Caller::User(verify_id_token(request, token).await?)),
    }
}

/// Whether the credential of a caller is still valid. For answers that go on for long, such as streams. Counts as a use
/// of a key, but not against its rate limit.
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

async fn verify_key(request: &HttpRequest, presented: &str) -> Result<Arc<VerifiedKey>, ApiError> {
    let key = find_good_key(request, presented).await?;
    let key = key.ok_or(ApiError::CredentialInvalid(Invalid::ApiKey, "an API key that is not valid"))?;
    spend(request, &key).map_err(limited_key)?;
    Ok(key)
}

/// The presented key, if it is valid now. Records the key for the log.
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

/// The error of a key that is over its rate limit.
pub(crate) fn limited_key(allowance: Allowance) -> ApiError {
    ApiError::RateLimited(Limited::Key, allowance)
}

/// Counts one use against the key's rate limit. Fails with the allowance when the limit is used up.
pub(crate) fn spend(request: &HttpRequest, key: &Arc<VerifiedKey>) -> Result<(), Allowance> {
    match State::of(request).api.verifier.spend(key) {
        Some(allowance) if allowance.retry_after.is_some() => Err(allowance),
        _ => Ok(()),
    }
}
