use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use domain::audit::Origin;
use domain::sessions::Capability;
use domain::{CredentialDigest, KeyId, SubscriptionId, UserId, WebhookAccess, confirm_key};

use crate::Api;
use crate::callers::caller::Caller;
use crate::callers::session::permit;
use crate::credentials::headers::{Credential, credential_in};
use crate::credentials::presented::Presented;
use crate::errors::api_error::{ApiError, Invalid};
use crate::errors::error_code::ErrorCode;
use crate::state::State;

/// A caller that may look at webhooks.
pub(crate) struct WebhookReader(Caller);

/// A caller that may change webhooks.
pub(crate) struct WebhookWriter {
    caller: Caller,
    /// Of the API key, if the caller has one.
    digest: Option<CredentialDigest>,
}

impl WebhookReader {
    /// The user on whose behalf the call is made.
    pub(crate) fn user(&self) -> &UserId {
        self.0.user()
    }
}

impl WebhookWriter {
    /// The user on whose behalf the call is made.
    pub(crate) fn user(&self) -> &UserId {
        self.caller.user()
    }

    /// The API key that makes the call.
    pub(crate) fn key(&self) -> Option<KeyId> {
        match &self.caller {
            Caller::ApiKey(key) => Some(key.id),
            Caller::User(_) | Caller::Session(_) => None,
        }
    }

    /// Fails if the caller's key was revoked while the call ran. The subscription that it has enabled or whose URL it
    /// has set is then disabled.
    pub(crate) async fn confirm(&self, api: &Api, id: SubscriptionId, origin: &Origin) -> Result<(), ApiError> {
        let Some(digest) = &self.digest else { return Ok(()) };
        let is_good = confirm_key(&api.keys, &api.webhooks, digest, (self.user(), id), origin).await?;
        is_good
            .then_some(())
            .ok_or(ApiError::CredentialInvalid(Invalid::ApiKey, "an API key that was revoked during the call"))
    }
}

impl FromRequest for WebhookReader {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { Ok(Self(permitted(&request, WebhookAccess::Read).await?)) })
    }
}

impl FromRequest for WebhookWriter {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let caller = permitted(&request, WebhookAccess::Write).await?;
            if !State::of(&request).allows_webhook_changes(request.headers()) {
                return Err(ErrorCode::NotLocal.into());
            }
            let digest = match credential_in(request.headers()) {
                Presented::One(Credential::ApiKey(key)) => CredentialDigest::of_presented(key),
                _ => None,
            };
            Ok(Self { caller, digest })
        })
    }
}

/// The caller, if its scopes or capabilities allow the access. ID tokens have neither.
async fn permitted(request: &HttpRequest, access: WebhookAccess) -> Result<Caller, ApiError> {
    let caller = Caller::extract(request).await?;
    match &caller {
        Caller::ApiKey(key) if !access.is_granted_by(&key.scopes) => {
            Err(ApiError::InsufficientScope(access.required()))
        }
        Caller::Session(session) => permit(session, Capability::for_webhooks(access)).map(|()| caller),
        _ => Ok(caller),
    }
}
