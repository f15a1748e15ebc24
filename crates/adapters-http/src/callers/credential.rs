//! Verifies the credentials of users, and records them for the log.

use std::sync::Arc;

use actix_web::HttpRequest;
use domain::audit::{Cause, Origin};
use domain::organizations::Identity;
use domain::ports::IdentityVerdict;
use domain::{IdToken, OwnerId};
use verifier::VerifiedKey;

use crate::api::Api;
use crate::boundary::browser::note_user;
use crate::boundary::exchange::Exchange;
use crate::callers::calls::Right;
use crate::callers::operator::may_still;
use crate::callers::session::{find_good_session, has_old_roles};
use crate::credentials::headers::{Credential, credential_in};
use crate::credentials::presented::Presented;
use crate::errors::api_error::{ApiError, Invalid};
use crate::parameters::query::organization_in;
use crate::state::State;

/// Whether the credential of a call about this owner is still valid, the owner is not suspended, and the role in the
/// organization for which the call is still counts. For long answers, such as streams. Counts as a use of a key, but not
/// against its rate limit.
pub(crate) async fn is_still_good(request: &HttpRequest, owner: Option<&OwnerId>) -> Result<bool, ApiError> {
    let route = request.match_pattern().unwrap_or_default();
    if Right::of_call(request.method(), &route).is_none() {
        return may_still(request).await;
    }
    let states = &State::of(request).api.owner_states;
    if let Some(owner) = owner
        && states.is_suspended(owner).await?
    {
        return Ok(false);
    }
    if let Presented::One(secret) = State::of(request).cookies.read_session(request.headers()) {
        let session = find_good_session(request, secret).await?;
        let is_for_organization = organization_in(request)?.is_some();
        return Ok(
            session.is_some_and(|session| !(is_for_organization && has_old_roles(&session, &State::of(request).api)))
        );
    }
    match credential_in(request.headers()) {
        Presented::Nothing | Presented::Unusable(_) => Ok(false),
        Presented::One(Credential::ApiKey(key)) => Ok(find_good_key(request, key).await?.is_some()),
        Presented::One(Credential::IdToken(token)) => match verify_id_token(request, token).await {
            Ok(Identity { user, .. }) => Ok(!states.is_suspended(&user).await?),
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

/// The user of this ID token, and the memberships that it names.
pub(super) async fn verify_id_token(request: &HttpRequest, token: &str) -> Result<Identity, ApiError> {
    let api = &State::of(request).api;
    match api.identity.verify(&IdToken::new(token), api.clock.world_time()).await? {
        IdentityVerdict::Refused(reason) => Err(ApiError::CredentialInvalid(Invalid::IdToken, reason)),
        IdentityVerdict::Valid(identity) => {
            note_user(request, &identity.user);
            note_sign_in(api, &identity.user).await;
            Ok(identity)
        }
    }
}

/// Records the sign-in of the user once a day, if the service suspends absent users. A failure is logged only: the next call
/// tries again. See decision 141.
pub(crate) async fn note_sign_in(api: &Api, user: &OwnerId) {
    if !api.notes_sign_ins {
        return;
    }
    let now = api.clock.now();
    let cause = Cause::new(&Origin::SERVICE, now, &*api.entropy);
    if let Err(error) = api.owner_states.see(user, now, cause).await {
        let error: &dyn std::error::Error = &error;
        tracing::warn!(error, "cannot note that a user has signed in");
    }
}
