use std::sync::Arc;

use actix_web::HttpRequest;
use domain::sessions::SessionRole;
use domain::{CredentialDigest, KeyId, SessionId, SubscriptionId, UserId, WebhookAccess, confirm_key};
use verifier::{VerifiedKey, VerifiedSession};

use crate::callers::call::{Admit, Call, CallBody};
use crate::callers::calls::{CallForOwner, Right};
use crate::callers::credential::{find_good_key, limited_key, spend, verify_id_token};
use crate::callers::operator::{Operator, record_read};
use crate::callers::session::session_beside;
use crate::credentials::headers::{Credential, credential_in, id_token_in};
use crate::credentials::presented::Presented;
use crate::errors::api_error::{ApiError, Invalid};
use crate::errors::error_code::ErrorCode;
use crate::parameters::path::PathParameters;
use crate::state::State;

/// A call about the keys, the webhooks or the sessions of an owner. See decision 116.
pub(crate) type OwnerCall = Call<Owner>;

/// Whose call it is: the owner's, or an operator's for the owner whom the path names.
pub(crate) struct Owner {
    user: UserId,
    caller: Caller,
}

/// The maker of a call about an owner.
pub(crate) enum Caller {
    /// The bearer of an API key that is valid now and within its rate limit.
    ApiKey(Arc<VerifiedKey>),
    /// The owner, with an ID token.
    IdToken,
    /// A browser that has signed in as the owner, or visits for the owner.
    Session(Arc<VerifiedSession>),
    /// An operator, with a token or a session.
    Operator,
}

impl OwnerCall {
    /// The owner of what the call is about.
    pub(crate) fn owner(&self) -> &UserId {
        &self.by.user
    }

    /// The owner, to whose receivers the call sends webhooks, whatever the schedule says. Counts the call against the
    /// owner's limit, unless an operator makes it: a support case must not use up what the owner may do. See decision 10.
    ///
    /// # Errors
    ///
    /// When the owner has used up the limit.
    pub(crate) fn owner_to_send_to(&self) -> Result<&UserId, ApiError> {
        match self.by.caller {
            Caller::Operator => {}
            Caller::ApiKey(_) | Caller::IdToken | Caller::Session(_) => {
                self.state().count_manual_send_of(self.owner())?;
            }
        }
        Ok(self.owner())
    }

    pub(crate) fn caller(&self) -> &Caller {
        &self.by.caller
    }

    /// The API key that makes the call.
    pub(crate) fn key(&self) -> Option<KeyId> {
        match self.caller() {
            Caller::ApiKey(key) => Some(key.id),
            Caller::IdToken | Caller::Session(_) | Caller::Operator => None,
        }
    }

    /// The owner's session that makes the call.
    pub(crate) fn session(&self) -> Option<SessionId> {
        match self.caller() {
            Caller::Session(session) => Some(session.id),
            Caller::ApiKey(_) | Caller::IdToken | Caller::Operator => None,
        }
    }

    /// The caller's access to webhooks, which no key that the caller makes exceeds.
    pub(crate) fn webhook_access(&self) -> Option<WebhookAccess> {
        match self.caller() {
            Caller::ApiKey(key) => WebhookAccess::of_key(&key.scopes),
            Caller::Session(session) => session.role.webhooks(),
            Caller::IdToken | Caller::Operator => Some(WebhookAccess::Write),
        }
    }

    /// Fails if the caller's key was revoked while the call ran. The subscription that it has enabled or whose URL it
    /// has set is then disabled. See decision 46.
    pub(crate) async fn confirm_key(&self, id: SubscriptionId) -> Result<(), ApiError> {
        let digest = match credential_in(self.request.headers()) {
            Presented::One(Credential::ApiKey(key)) if self.key().is_some() => CredentialDigest::of_presented(key),
            _ => None,
        };
        let Some(digest) = digest else { return Ok(()) };
        let (keys, webhooks) = (&self.api().keys, &self.api().webhooks);
        let is_good = confirm_key(keys, webhooks, &digest, (self.owner(), id), &self.origin()).await?;
        let revoked = ApiError::CredentialInvalid(Invalid::ApiKey, "an API key that was revoked during the call");
        is_good.then_some(()).ok_or(revoked)
    }
}

impl Admit for Owner {
    async fn admit(request: &HttpRequest, body: &mut CallBody) -> Result<Self, ApiError> {
        let route = request.match_pattern().unwrap_or_default();
        match Right::of_call(request.method(), &route) {
            Some(right) => Self::who_calls(request, body, right).await,
            None => Self::in_path(request, body, &route).await,
        }
    }
}

impl Owner {
    /// The owner who calls.
    async fn who_calls(request: &HttpRequest, body: &mut CallBody, right: Right) -> Result<Self, ApiError> {
        let owner = Self::presented(request, body, right).await?;
        let state = State::of(request);
        state.count_call_of(&owner.user)?;
        owner.caller.permit(right)?;
        if right == Right::ChangeWebhooks && !state.allows_webhook_changes(request.headers()) {
            return Err(ErrorCode::NotLocal.into());
        }
        Ok(owner)
    }

    /// The owner whom the path names, for whom an operator calls. The audit log of the owner has what the operator sees,
    /// before the operator sees it.
    async fn in_path(request: &HttpRequest, body: &mut CallBody, route: &str) -> Result<Self, ApiError> {
        Operator::admit(request, body).await?;
        let path = PathParameters::of(request);
        let user = path.user(&State::of(request).api.issuer)?;
        let shows = CallForOwner::find(request.method(), route).and_then(|call| call.shows);
        if let Some(shown) = shows.and_then(|shows| shows(&path)) {
            record_read(request, &user, shown).await?;
        }
        Ok(Self { user, caller: Caller::Operator })
    }

    /// The owner whose credential the request has.
    async fn presented(request: &HttpRequest, body: &mut CallBody, right: Right) -> Result<Self, ApiError> {
        let presented = if right.is_for_api_keys() {
            credential_in(request.headers())
        } else {
            let in_body = match right {
                Right::ChangeKeys => body.find_id_token(request).await,
                _ => Presented::Nothing,
            };
            id_token_in(request.headers()).and(in_body).map(Credential::IdToken)
        };
        if let Some(session) = session_beside(request, &presented).await? {
            return Ok(Self { user: session.owner.clone(), caller: Caller::Session(session) });
        }
        match presented {
            Presented::Nothing => Err(ErrorCode::CredentialMissing.into()),
            Presented::Unusable(reason) => Err(ApiError::CredentialInvalid(Invalid::Presented, reason)),
            Presented::One(Credential::IdToken(token)) => {
                Ok(Self { user: verify_id_token(request, token).await?, caller: Caller::IdToken })
            }
            Presented::One(Credential::ApiKey(key)) => {
                let key = find_good_key(request, key).await?;
                let key = key.ok_or(ApiError::CredentialInvalid(Invalid::ApiKey, "an API key that is not valid"))?;
                spend(request, &key).map_err(limited_key)?;
                Ok(Self { user: key.owner.clone(), caller: Caller::ApiKey(key) })
            }
        }
    }
}

impl Caller {
    /// Fails if the caller lacks the right.
    fn permit(&self, right: Right) -> Result<(), ApiError> {
        match (self, right.webhooks(), right.capability()) {
            (Self::ApiKey(key), Some(access), _) if !access.is_granted_by(&key.scopes) => {
                Err(ApiError::InsufficientScope(access.required()))
            }
            (Self::Session(session), _, Some(needed)) if !session.role.may(needed) => {
                let detail = format!("the session lacks the capability {}", needed.name());
                Err(ApiError::Explained(ErrorCode::CapabilityMissing, detail.into()))
            }
            (Self::Session(session), ..)
                if right == Right::Account && matches!(session.role, SessionRole::Visitor(_)) =>
            {
                let detail = "visitors see neither the sessions nor the audit log of a user";
                Err(ApiError::Explained(ErrorCode::CapabilityMissing, detail.into()))
            }
            _ => Ok(()),
        }
    }
}
