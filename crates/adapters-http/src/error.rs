use std::borrow::Cow;
use std::fmt;

use actix_web::http::{StatusCode, header};
use actix_web::{HttpResponse, ResponseError};
use domain::ports::{BoxError, IdentityUnavailable, StoreError};
use domain::{CreateKeyError, RevokeKeyError};

use crate::error_code::ErrorCode;
use crate::problem::FieldFault;
use crate::readiness::CheckOutcome;

/// RFC 6750, section 3: how a client may authenticate. The error is named only when a credential was sent.
const CHALLENGE: &str = r#"Bearer realm="gatepost""#;
const CHALLENGE_INVALID: &str = r#"Bearer realm="gatepost", error="invalid_token""#;
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
    KeyNotOwned,
    KeyNotFound,
    NotFound,
    RequestTimeout,
    PayloadTooLarge,
    UnsupportedMediaType,
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
            Self::KeyNotOwned => ErrorCode::KeyNotOwned,
            Self::KeyNotFound => ErrorCode::KeyNotFound,
            Self::NotFound => ErrorCode::NotFound,
            Self::RequestTimeout => ErrorCode::RequestTimeout,
            Self::PayloadTooLarge => ErrorCode::PayloadTooLarge,
            Self::UnsupportedMediaType => ErrorCode::UnsupportedMediaType,
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
            Self::NotReady(detail, _) => (*detail).into(),
            Self::CredentialMissing
            | Self::CredentialInvalid(_)
            | Self::BodyBroken
            | Self::KeyNotOwned
            | Self::KeyNotFound
            | Self::NotFound
            | Self::RequestTimeout
            | Self::PayloadTooLarge
            | Self::UnsupportedMediaType
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
        StatusCode::from_u16(self.code().entry().status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// Status and headers; the body is written where the request id is known.
    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status_code());
        match self.code() {
            ErrorCode::CredentialMissing => response.insert_header((header::WWW_AUTHENTICATE, CHALLENGE)),
            ErrorCode::CredentialInvalid => response.insert_header((header::WWW_AUTHENTICATE, CHALLENGE_INVALID)),
            ErrorCode::Unavailable => response.insert_header((header::RETRY_AFTER, RETRY_AFTER_SECONDS)),
            _ => &mut response,
        };
        response.finish()
    }
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
