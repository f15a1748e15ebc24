use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use actix_web::http::{StatusCode, header};
use actix_web::{HttpResponse, HttpResponseBuilder, ResponseError};
use domain::ports::{BoxError, IdentityUnavailable, StoreError};
use domain::{CreateKeyError, ReportLeaksError, RevokeKeyError, RotateKeyError, RotationRefusal, Scopes};
use verifier::Allowance;

use crate::error_code::ErrorCode;
use crate::problem::FieldFault;
use crate::readiness::CheckOutcome;

/// RFC 6750, section 3: how a client may authenticate. The error is named only when a credential was sent.
const CHALLENGE: &str = r#"Bearer realm="gatepost""#;
const CHALLENGE_INVALID: &str = r#"Bearer realm="gatepost", error="invalid_token""#;
const CHALLENGE_SCOPE: &str = r#"Bearer realm="gatepost", error="insufficient_scope""#;
/// Seconds after which trying again makes sense: databases and providers come back within a few.
const RETRY_AFTER_SECONDS: &str = "2";

/// Whatever an endpoint answers in place of a success. The only place where errors of the rules become HTTP.
#[derive(Debug)]
pub(crate) enum ApiError {
    CredentialMissing,
    /// The reason is for the log.
    CredentialInvalid(&'static str),
    BodyBroken,
    InvalidJson(Cow<'static, str>),
    InvalidFields(Vec<FieldFault>),
    ApiKeyLimitReached(u32),
    /// What was required.
    InsufficientScope(Scopes),
    KeyNotOwned,
    KeyNotFound,
    KeyNotRotatable(RotationRefusal),
    NotFound,
    RequestTimeout,
    PayloadTooLarge,
    UnsupportedMediaType,
    RateLimited(Allowance),
    /// The same for nginx, which makes a 500 of any refusal other than 401 and 403.
    RateLimitedForNginx(Allowance),
    Internal(BoxError),
    Unavailable(BoxError),
    NotReady(&'static str, Vec<CheckOutcome>),
}

impl ApiError {
    pub(crate) fn code(&self) -> ErrorCode {
        match self {
            Self::CredentialMissing => ErrorCode::CredentialMissing,
            Self::CredentialInvalid(_) => ErrorCode::CredentialInvalid,
            Self::BodyBroken => ErrorCode::BadRequest,
            Self::InvalidJson(_) => ErrorCode::InvalidJson,
            Self::InvalidFields(_) => ErrorCode::InvalidField,
            Self::ApiKeyLimitReached(_) => ErrorCode::ApiKeyLimitReached,
            Self::InsufficientScope(_) => ErrorCode::InsufficientScope,
            Self::KeyNotOwned => ErrorCode::KeyNotOwned,
            Self::KeyNotFound => ErrorCode::KeyNotFound,
            Self::KeyNotRotatable(_) => ErrorCode::KeyNotRotatable,
            Self::NotFound => ErrorCode::NotFound,
            Self::RequestTimeout => ErrorCode::RequestTimeout,
            Self::PayloadTooLarge => ErrorCode::PayloadTooLarge,
            Self::UnsupportedMediaType => ErrorCode::UnsupportedMediaType,
            Self::RateLimited(_) | Self::RateLimitedForNginx(_) => ErrorCode::RateLimited,
            Self::Internal(_) => ErrorCode::InternalError,
            Self::Unavailable(_) | Self::NotReady(..) => ErrorCode::Unavailable,
        }
    }

    /// What is told to the client beyond the title; nothing of the inside.
    pub(crate) fn detail(&self) -> Cow<'static, str> {
        match self {
            Self::InvalidJson(detail) => detail.clone(),
            Self::InvalidFields(faults) => faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ").into(),
            Self::ApiKeyLimitReached(max) => format!("the maximum of {max} active keys is reached").into(),
            Self::KeyNotRotatable(refusal) => refusal.to_string().into(),
            Self::NotReady(detail, _) => (*detail).into(),
            Self::CredentialMissing
            | Self::CredentialInvalid(_)
            | Self::BodyBroken
            | Self::InsufficientScope(_)
            | Self::KeyNotOwned
            | Self::KeyNotFound
            | Self::NotFound
            | Self::RequestTimeout
            | Self::PayloadTooLarge
            | Self::UnsupportedMediaType
            | Self::RateLimited(_)
            | Self::RateLimitedForNginx(_)
            | Self::Internal(_)
            | Self::Unavailable(_) => self.code().entry().cause.into(),
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
            Self::Unavailable(_) | Self::NotReady(..) => {
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

impl From<FieldFault> for ApiError {
    fn from(fault: FieldFault) -> Self {
        Self::InvalidFields(vec![fault])
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) => Self::Unavailable(error.into()),
            StoreError::Corrupt { .. } | StoreError::Duplicate { .. } => Self::Internal(error.into()),
        }
    }
}

impl From<IdentityUnavailable> for ApiError {
    fn from(error: IdentityUnavailable) -> Self {
        Self::Unavailable(error.into())
    }
}

impl From<CreateKeyError> for ApiError {
    fn from(error: CreateKeyError) -> Self {
        match error {
            CreateKeyError::LimitReached { max } => Self::ApiKeyLimitReached(max),
            CreateKeyError::ExpiryOutOfRange { .. } => {
                FieldFault { field: "expiresAt", detail: error.to_string().into() }.into()
            }
            CreateKeyError::Store(error) => error.into(),
        }
    }
}

impl From<RevokeKeyError> for ApiError {
    fn from(error: RevokeKeyError) -> Self {
        match error {
            RevokeKeyError::NotFound => Self::KeyNotFound,
            RevokeKeyError::NotOwned => Self::KeyNotOwned,
            RevokeKeyError::Store(error) => error.into(),
        }
    }
}

impl From<ReportLeaksError> for ApiError {
    fn from(error: ReportLeaksError) -> Self {
        match error {
            ReportLeaksError::TooMany => FieldFault { field: "tokens", detail: error.to_string().into() }.into(),
            ReportLeaksError::Store(error) => error.into(),
        }
    }
}

impl From<RotateKeyError> for ApiError {
    fn from(error: RotateKeyError) -> Self {
        match error {
            RotateKeyError::OverlapOutOfRange => {
                FieldFault { field: "overlapSeconds", detail: error.to_string().into() }.into()
            }
            RotateKeyError::NotFound => Self::KeyNotFound,
            RotateKeyError::NotOwned => Self::KeyNotOwned,
            RotateKeyError::Refused(refusal) => Self::KeyNotRotatable(refusal),
            RotateKeyError::Store(error) => error.into(),
        }
    }
}
