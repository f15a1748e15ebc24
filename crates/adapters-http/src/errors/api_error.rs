use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use actix_web::http::{StatusCode, header};
use actix_web::{HttpResponse, HttpResponseBuilder, ResponseError};
use domain::ports::BoxError;
use domain::{RotationRefusal, Scopes};
use verifier::Allowance;

use crate::errors::error_code::ErrorCode;
use crate::errors::problem::{FieldFault, LocatedFault};
use crate::readiness::CheckOutcome;

/// RFC 6750, section 3: how a client may authenticate. The error is named only when a credential was sent.
const CHALLENGE: &str = r#"Bearer realm="gatepost""#;
const CHALLENGE_INVALID: &str = r#"Bearer realm="gatepost", error="invalid_token""#;
const CHALLENGE_SCOPE: &str = r#"Bearer realm="gatepost", error="insufficient_scope""#;
/// Seconds after which trying again makes sense: databases and providers come back within a few.
const RETRY_AFTER_SECONDS: &str = "2";

/// Whatever an endpoint answers in place of a success.
#[derive(Debug)]
pub(crate) enum ApiError {
    CredentialMissing,
    /// The reason is for the log.
    CredentialInvalid(&'static str),
    BodyBroken,
    InvalidJson(Cow<'static, str>),
    InvalidFields(Vec<FieldFault>),
    /// The same for fields of a list's items, and for fields that have no name of ours.
    InvalidMembers(Vec<LocatedFault>),
    ApiKeyLimitReached(u32),
    SubscriptionLimitReached(u32),
    /// What was required.
    InsufficientScope(Scopes),
    KeyNotOwned,
    KeyNotFound,
    KeyNotRotatable(RotationRefusal),
    SubscriptionNotFound,
    SubscriptionDisabled,
    DeliveryNotFound,
    EventTooOld,
    /// Which event has an id that stands for another one.
    EventConflict(LocatedFault),
    NotFound,
    RequestTimeout,
    PayloadTooLarge,
    /// Which event makes a payload that is too large.
    EventTooLarge(LocatedFault),
    UnsupportedMediaType,
    RateLimited(Allowance),
    /// The same for nginx, which makes a 500 of any refusal other than 401 and 403.
    RateLimitedForNginx(Allowance),
    Internal(BoxError),
    Unavailable(BoxError),
    TooManyStreams,
    NotReady(&'static str, Vec<CheckOutcome>),
}

impl ApiError {
    pub(crate) fn code(&self) -> ErrorCode {
        match self {
            Self::CredentialMissing => ErrorCode::CredentialMissing,
            Self::CredentialInvalid(_) => ErrorCode::CredentialInvalid,
            Self::BodyBroken => ErrorCode::BadRequest,
            Self::InvalidJson(_) => ErrorCode::InvalidJson,
            Self::InvalidFields(_) | Self::InvalidMembers(_) => ErrorCode::InvalidField,
            Self::ApiKeyLimitReached(_) => ErrorCode::ApiKeyLimitReached,
            Self::SubscriptionLimitReached(_) => ErrorCode::SubscriptionLimitReached,
            Self::InsufficientScope(_) => ErrorCode::InsufficientScope,
            Self::KeyNotOwned => ErrorCode::KeyNotOwned,
            Self::KeyNotFound => ErrorCode::KeyNotFound,
            Self::KeyNotRotatable(_) => ErrorCode::KeyNotRotatable,
            Self::SubscriptionNotFound => ErrorCode::SubscriptionNotFound,
            Self::SubscriptionDisabled => ErrorCode::SubscriptionDisabled,
            Self::DeliveryNotFound => ErrorCode::DeliveryNotFound,
            Self::EventTooOld => ErrorCode::EventTooOld,
            Self::EventConflict(_) => ErrorCode::EventConflict,
            Self::NotFound => ErrorCode::NotFound,
            Self::RequestTimeout => ErrorCode::RequestTimeout,
            Self::PayloadTooLarge | Self::EventTooLarge(_) => ErrorCode::PayloadTooLarge,
            Self::UnsupportedMediaType => ErrorCode::UnsupportedMediaType,
            Self::RateLimited(_) | Self::RateLimitedForNginx(_) => ErrorCode::RateLimited,
            Self::Internal(_) => ErrorCode::InternalError,
            Self::Unavailable(_) | Self::NotReady(..) => ErrorCode::Unavailable,
            Self::TooManyStreams => ErrorCode::TooManyStreams,
        }
    }

    /// What is told to the client beyond the title; nothing of the inside.
    pub(crate) fn detail(&self) -> Cow<'static, str> {
        match self {
            Self::InvalidJson(detail) => detail.clone(),
            Self::InvalidFields(faults) => joined(faults),
            Self::InvalidMembers(faults) => joined(faults),
            Self::EventConflict(fault) | Self::EventTooLarge(fault) => fault.to_string().into(),
            Self::ApiKeyLimitReached(max) => format!("the maximum of {max} active keys is reached").into(),
            Self::SubscriptionLimitReached(max) => format!("the maximum of {max} subscriptions is reached").into(),
            Self::KeyNotRotatable(refusal) => refusal.to_string().into(),
            Self::NotReady(detail, _) => (*detail).into(),
            Self::CredentialMissing
            | Self::CredentialInvalid(_)
            | Self::BodyBroken
            | Self::InsufficientScope(_)
            | Self::KeyNotOwned
            | Self::KeyNotFound
            | Self::SubscriptionNotFound
            | Self::SubscriptionDisabled
            | Self::DeliveryNotFound
            | Self::EventTooOld
            | Self::NotFound
            | Self::RequestTimeout
            | Self::PayloadTooLarge
            | Self::UnsupportedMediaType
            | Self::RateLimited(_)
            | Self::RateLimitedForNginx(_)
            | Self::Internal(_)
            | Self::Unavailable(_)
            | Self::TooManyStreams => self.code().entry().cause.into(),
        }
    }

    /// The error behind this one, for the log alone.
    pub(crate) fn inside(&self) -> Option<&BoxError> {
        match self {
            Self::Internal(source) | Self::Unavailable(source) => Some(source),
            _ => None,
        }
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.code().entry().title)
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::RateLimitedForNginx(_) => StatusCode::FORBIDDEN,
            _ => StatusCode::from_u16(self.code().entry().status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
        }
    }

    /// Status and headers; the body is written where the request id is known.
    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status_code());
        match self {
            Self::CredentialMissing => response.insert_header((header::WWW_AUTHENTICATE, CHALLENGE)),
            Self::CredentialInvalid(_) => response.insert_header((header::WWW_AUTHENTICATE, CHALLENGE_INVALID)),
            Self::Unavailable(_) | Self::TooManyStreams | Self::NotReady(..) => {
                response.insert_header((header::RETRY_AFTER, RETRY_AFTER_SECONDS))
            }
            Self::InsufficientScope(required) => {
                response.insert_header((header::WWW_AUTHENTICATE, format!("{CHALLENGE_SCOPE}, scope=\"{required}\"")))
            }
            Self::RateLimitedForNginx(allowance) => {
                insert_rate_limit(&mut response, allowance).insert_header(("x-auth-status", "429"))
            }
            Self::RateLimited(allowance) => insert_rate_limit(&mut response, allowance),
            _ => &mut response,
        };
        response.finish()
    }
}

fn joined<T: ToString>(faults: &[T]) -> Cow<'static, str> {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ").into()
}

/// The headers of the IETF's draft "`RateLimit` header fields for HTTP", and `Retry-After`: whole seconds, rounded up.
fn insert_rate_limit<'a>(response: &'a mut HttpResponseBuilder, allowance: &Allowance) -> &'a mut HttpResponseBuilder {
    let seconds = |duration: Duration| duration.as_millis().div_ceil(1_000);
    let (count, window) = (allowance.limit.count(), allowance.limit.window().as_secs());
    let (remaining, reset) = (allowance.remaining, seconds(allowance.resets_after));
    response
        .insert_header(("ratelimit-policy", format!("\"key\";q={count};w={window}")))
        .insert_header(("ratelimit", format!("\"key\";r={remaining};t={reset}")))
        .insert_header((header::RETRY_AFTER, seconds(allowance.retry_after.unwrap_or_default()).to_string()))
}
