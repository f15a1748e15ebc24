use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use domain::UserId;

use crate::callers::credentials::bearer_in;
use crate::callers::presented::Presented;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::errors::field_fault::FieldFault;
use crate::state::State;

/// Proof that the call carries the operator token. The first argument of a handler, so that the token is checked first.
pub(crate) struct Operator;

impl FromRequest for Operator {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let token = State::of(request).api.operator_token.as_ref();
        ready(match bearer_in(request.headers()) {
            Presented::Nothing => Err(ErrorCode::CredentialMissing.into()),
            Presented::Unusable(reason) => Err(ApiError::CredentialInvalid(reason)),
            Presented::One(presented) if token.is_some_and(|token| token.is(presented)) => Ok(Self),
            Presented::One(_) => Err(ApiError::CredentialInvalid("a token other than the operator token")),
        })
    }
}

/// The user with this `userId` at this issuer.
pub(crate) fn user_at(issuer: &str, user_id: &str) -> Result<UserId, FieldFault> {
    UserId::new(issuer, user_id).map_err(|error| FieldFault::of("userId", error))
}
