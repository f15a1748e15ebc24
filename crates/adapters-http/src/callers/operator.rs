use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};

use crate::credentials::headers::bearer_in;
use crate::credentials::presented::Presented;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
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
