use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use domain::ports::IdentityVerdict;
use domain::{IdToken, UserId};

use crate::bodies::body::read_fields;
use crate::bodies::fields::Fields;
use crate::boundary::exchange::Exchange;
use crate::callers::credentials::{Presented, id_token_in};
use crate::errors::api_error::ApiError;
use crate::state::State;

/// A user whom an ID token in the headers names. API keys are refused.
pub(crate) struct IdentifiedUser(pub(crate) UserId);

impl FromRequest for IdentifiedUser {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { identify(&request, id_token_in(request.headers())).await.map(Self) })
    }
}

/// A user whom an ID token in the headers or in the body names, and the fields of the body. API keys are refused.
///
/// The body is read first, within its limits, because the token may be in it. What is wrong with it is told only to
/// whom has a valid token in the headers: to anybody else it is a 401.
pub(crate) struct IdentifiedRequest {
    pub(crate) user: UserId,
    pub(crate) fields: Fields,
}

impl FromRequest for IdentifiedRequest {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let body = read_fields(&request, payload, &State::of(&request).limits).await;
            let in_body = body.as_ref().map_or(Presented::Nothing, Fields::id_token);
            let user = identify(&request, id_token_in(request.headers()).and(in_body)).await?;
            Ok(Self { user, fields: body? })
        })
    }
}

/// The user whom the token names, noted for the log.
async fn identify(request: &HttpRequest, presented: Presented<&str>) -> Result<UserId, ApiError> {
    match presented {
        Presented::Nothing => Err(ApiError::CredentialMissing),
        Presented::Unusable(reason) => Err(ApiError::CredentialInvalid(reason)),
        Presented::One(token) => verify_id_token(request, token).await,
    }
}

pub(crate) async fn verify_id_token(request: &HttpRequest, token: &str) -> Result<UserId, ApiError> {
    let api = &State::of(request).api;
    match api.identity.verify(&IdToken::new(token), api.clock.now()).await? {
        IdentityVerdict::Refused(reason) => Err(ApiError::CredentialInvalid(reason)),
        IdentityVerdict::Valid(user) => {
            if let Some(exchange) = Exchange::of(request) {
                exchange.note_user(&user);
            }
            Ok(user)
        }
    }
}
