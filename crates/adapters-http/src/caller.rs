use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use domain::{ApiKey, UserId};

use crate::api::State;
use crate::credentials::{Credential, Presented, credential_in};
use crate::error::ApiError;
use crate::exchange::Exchange;
use crate::identified::verify_id_token;

/// Who calls a path that takes an API key or an ID token: every one under `/api` but key management.
#[derive(Debug)]
pub(crate) enum Caller {
    /// The bearer of an API key that is good now.
    ApiKey(ApiKey),
    /// The user whom an ID token names.
    User(UserId),
}

impl Caller {
    /// Whom the call is made for.
    pub(crate) fn user(&self) -> &UserId {
        match self {
            Self::ApiKey(key) => &key.owner,
            Self::User(user) => user,
        }
    }
}

impl FromRequest for Caller {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            match credential_in(request.headers()) {
                Presented::Nothing => Err(ApiError::CredentialMissing),
                Presented::Unusable(reason) => Err(ApiError::CredentialInvalid(reason)),
                Presented::One(Credential::ApiKey(key)) => verify_key(&request, key).await.map(Self::ApiKey),
                Presented::One(Credential::IdToken(token)) => verify_id_token(&request, token).await.map(Self::User),
            }
        })
    }
}

async fn verify_key(request: &HttpRequest, presented: &str) -> Result<ApiKey, ApiError> {
    let verified = State::of(request).api.verifier.verify(presented).await?;
    let key = verified.ok_or(ApiError::CredentialInvalid("an API key that is not good"))?;
    if let Some(exchange) = Exchange::of(request) {
        exchange.note_key(&key);
    }
    Ok(key)
}
