use actix_web::web::Path;
use serde::Deserialize;
use std::future::{Ready, ready};
use std::str::FromStr;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use domain::{DeliveryId, EventId, KeyId, SessionId, SubscriptionId};

use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;

/// The id in a path; `None` when the string in the path is not a valid id.
///
/// The extraction never fails, because handlers must check the credential and the body first.
pub(crate) struct PathId<T>(Option<T>);

/// An id that a path can contain.
pub(crate) trait NamedInPath: FromStr {
    /// The error for an unknown id.
    const NOT_FOUND: ErrorCode;

    /// The parameter that holds the id.
    fn parameter(parameters: PathParameters) -> Option<String>;
}

impl NamedInPath for KeyId {
    const NOT_FOUND: ErrorCode = ErrorCode::KeyNotFound;

    fn parameter(parameters: PathParameters) -> Option<String> {
        parameters.key_id
    }
}

impl NamedInPath for SessionId {
    const NOT_FOUND: ErrorCode = ErrorCode::SessionNotFound;

    fn parameter(parameters: PathParameters) -> Option<String> {
        parameters.id
    }
}

impl NamedInPath for SubscriptionId {
    const NOT_FOUND: ErrorCode = ErrorCode::SubscriptionNotFound;

    fn parameter(parameters: PathParameters) -> Option<String> {
        parameters.id
    }
}

impl NamedInPath for EventId {
    const NOT_FOUND: ErrorCode = ErrorCode::EventNotFound;

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
    /// The id. A string that is not a valid id gets the same answer as an unknown id.
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

/// The percent-decoded parameters of a path. Parameters that the path does not have are `None`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PathParameters {
    pub(crate) id: Option<String>,
    pub(crate) key_id: Option<String>,
    pub(crate) user_id: Option<String>,
}

impl PathParameters {
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let extracted = Path::<Self>::from_request(request, &mut Payload::None).into_inner();
        extracted.map(Path::into_inner).unwrap_or_default()
    }
}
