use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use domain::UserId;

use crate::errors::api_error::ApiError;
use crate::errors::field_fault::FieldFault;
use crate::parameters::path_id::PathParameters;
use crate::state::State;

/// The user in `{userId}` of a path of the operator API: a user of the configured issuer.
///
/// The extraction never fails, because handlers must check the credential first.
pub(crate) struct PathUser(Result<UserId, FieldFault>);

impl PathUser {
    pub(crate) fn valid(self) -> Result<UserId, FieldFault> {
        self.0
    }
}

impl FromRequest for PathUser {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let user_id = PathParameters::of(request).user_id.unwrap_or_default();
        ready(Ok(Self(user_at(&State::of(request).api.issuer, &user_id))))
    }
}

/// The user with this `userId` at this issuer.
pub(crate) fn user_at(issuer: &str, user_id: &str) -> Result<UserId, FieldFault> {
    UserId::new(issuer, user_id).map_err(|error| FieldFault::of("userId", error))
}
