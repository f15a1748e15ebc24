use std::future::{Ready, ready};
use std::str::FromStr;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use domain::{DeliveryId, KeyId, SubscriptionId};

use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::parameters::path_parameters::PathParameters;

/// The id in a path; `None` when a string stands there that is not an id.
///
/// Extracting it never fails, because the credential and the body are checked first.
pub(crate) struct PathId<T>(Option<T>);

/// What a path can name by its id.
pub(crate) trait NamedInPath: FromStr {
    /// The error of an id that nothing has.
    const NOT_FOUND: ErrorCode;

    /// The parameter with the id.
    fn parameter(parameters: PathParameters) -> Option<String>;
}

impl NamedInPath for KeyId {
    const NOT_FOUND: ErrorCode = ErrorCode::KeyNotFound;

    fn parameter(parameters: PathParameters) -> Option<String> {
        parameters.key_id
    }
}

impl NamedInPath for SubscriptionId {
    const NOT_FOUND: ErrorCode = ErrorCode::SubscriptionNotFound;

    fn parameter(parameters: PathParameters) -> Option<String> {
        parameters.id
    }
}

impl NamedInPath for DeliveryId {
    const NOT_FOUND: ErrorCode = ErrorCode::DeliveryNotFound;

    fn parameter(parameters: PathParameters) -> Option<String> {
        parameters.id
    }
}

impl<T: NamedInPath> PathId<T> {
    /// The id. A string that is not an id is answered like an id that nothing has.
    pub(crate) fn known(self) -> Result<T, ApiError> {
        self.0.ok_or_else(|| T::NOT_FOUND.into())
    }
}

impl<T: NamedInPath> FromRequest for PathId<T> {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let text = T::parameter(PathParameters::of(request));
        ready(Ok(Self(text.and_then(|text| text.parse().ok()))))
    }
}
