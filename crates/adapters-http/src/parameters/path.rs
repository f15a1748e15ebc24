use std::str::FromStr;

use actix_web::dev::Payload;
use actix_web::web::Path;
use actix_web::{FromRequest, HttpRequest};
use domain::webhooks::{ConsumerName, EventType};
use domain::{DeliveryId, EventId, KeyId, OwnerId, SessionId, SubscriptionId};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str};
use serde::Deserialize;

use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::errors::field_fault::FieldFault;

/// An id that a path can contain.
pub(crate) trait NamedInPath: FromStr {
    /// The error for an unknown id.
    const NOT_FOUND: ErrorCode;

    /// The parameter that holds the id.
    fn parameter(parameters: &PathParameters) -> Option<&str> {
        parameters.id.as_deref()
    }
}

impl NamedInPath for KeyId {
    const NOT_FOUND: ErrorCode = ErrorCode::KeyNotFound;

    fn parameter(parameters: &PathParameters) -> Option<&str> {
        parameters.key_id.as_deref()
    }
}

impl NamedInPath for SessionId {
    const NOT_FOUND: ErrorCode = ErrorCode::SessionNotFound;
}

impl NamedInPath for SubscriptionId {
    const NOT_FOUND: ErrorCode = ErrorCode::SubscriptionNotFound;
}

impl NamedInPath for EventId {
    const NOT_FOUND: ErrorCode = ErrorCode::EventNotFound;
}

impl NamedInPath for DeliveryId {
    const NOT_FOUND: ErrorCode = ErrorCode::DeliveryNotFound;
}

/// The percent-decoded parameters of a path. Parameters that the path does not have are `None`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PathParameters {
    id: Option<String>,
    key_id: Option<String>,
    user_id: Option<String>,
    organization_id: Option<String>,
    name: Option<String>,
    consumer: Option<String>,
    /// Whether the path has bytes that are not UTF-8. They are decoded to U+FFFD, which would make one id of many.
    #[serde(skip)]
    is_not_utf8: bool,
}

impl PathParameters {
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let extracted = Path::<Self>::from_request(request, &mut Payload::None).into_inner();
        let parameters = extracted.map(Path::into_inner).unwrap_or_default();
        Self { is_not_utf8: !decodes_to_utf8(request.path()), ..parameters }
    }

    /// The name of an event type.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The name of a consumer.
    pub(crate) fn consumer(&self) -> Result<ConsumerName, FieldFault> {
        let name = ConsumerName::parse(self.consumer.as_deref().unwrap_or_default());
        name.map_err(|error| FieldFault::of("consumer", error))
    }

    /// The id. A string that is not a valid id gets the same answer as an unknown id.
    pub(crate) fn id<T: NamedInPath>(&self) -> Result<T, ApiError> {
        let id = T::parameter(self).and_then(|text| text.parse::<T>().ok());
        id.ok_or_else(|| T::NOT_FOUND.into())
    }

    /// The event type. A string that is not a valid type gets the same answer as an unknown type.
    pub(crate) fn event_type(&self) -> Result<EventType, ErrorCode> {
        let event_type = self.name().and_then(|name| EventType::parse(name).ok());
        event_type.ok_or(ErrorCode::EventTypeNotFound)
    }

    /// The owner in `{userId}` or `{organizationId}` of a path of the operator API, at this issuer.
    pub(crate) fn owner(&self, issuer: &str) -> Result<OwnerId, FieldFault> {
        if self.is_not_utf8 {
            let field = if self.user_id.is_some() { "userId" } else { "organizationId" };
            return Err(FieldFault::new(field, NOT_UTF8));
        }
        owner_at(issuer, self.user_id.as_deref(), self.organization_id.as_deref())
    }
}

/// The rule for the bytes of a path or a query.
pub(crate) const NOT_UTF8: &str = "must be percent-encoded UTF-8";

/// The ASCII bytes that are percent-encoded in a segment of a path and in a value of a query: all but the unreserved ones
/// (RFC 3986).
pub(crate) const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Whether a path or a query is UTF-8 without its percent-encoding.
pub(crate) fn decodes_to_utf8(text: &str) -> bool {
    percent_decode_str(text).decode_utf8().is_ok()
}

/// The owner in a body that has either `userId` or `organizationId`.
pub(crate) fn owner_at(
    issuer: &str,
    user_id: Option<&str>,
    organization_id: Option<&str>,
) -> Result<OwnerId, FieldFault> {
    let owner = any_owner_at(issuer, user_id, organization_id)?;
    owner.ok_or(FieldFault::new("userId", "is required"))
}

/// The owner in a filter that has `userId`, `organizationId` or neither.
pub(crate) fn any_owner_at(
    issuer: &str,
    user_id: Option<&str>,
    organization_id: Option<&str>,
) -> Result<Option<OwnerId>, FieldFault> {
    const ORGANIZATION: &str = "organizationId";
    match (user_id, organization_id) {
        (Some(_), Some(_)) => Err(FieldFault::new(ORGANIZATION, "must be absent, because userId is given")),
        (None, Some(id)) => OwnerId::organization(issuer, id)
            .map(Some)
            .map_err(|_| FieldFault::new(ORGANIZATION, "must have 1 to 255 bytes and no control characters")),
        (Some(user_id), None) => user_at(issuer, user_id).map(Some),
        (None, None) => Ok(None),
    }
}

/// The user with this `userId` at this issuer.
pub(crate) fn user_at(issuer: &str, user_id: &str) -> Result<OwnerId, FieldFault> {
    OwnerId::new(issuer, user_id).map_err(|error| FieldFault::of("userId", error))
}
