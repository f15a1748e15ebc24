use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use actix_web::http::{StatusCode, header};
use actix_web::{HttpResponse, HttpResponseBuilder, ResponseError};
use domain::Scopes;
use domain::ports::BoxError;
use verifier::Allowance;

use crate::errors::error_code::ErrorCode;
use crate::errors::field_fault::FieldFault;
use crate::records::check_outcome::CheckOutcome;

/// RFC 6750, section 3: how a client may authenticate. The error is named only when a credential was sent.
const CHALLENGE: &str = r#"Bearer realm="gatepost""#;
const CHALLENGE_INVALID: &str = r#"Bearer realm="gatepost", error="invalid_token""#;
const CHALLENGE_SCOPE: &str = r#"Bearer realm="gatepost", error="insufficient_scope""#;
/// Seconds after which trying again makes sense: databases and providers come back within a few.
const RETRY_AFTER_SECONDS: &str = "2";

/// Whatever an endpoint answers in place of a success.
#[derive(Debug)]
pub(crate) enum ApiError {
    /// The cause in the table of codes says all there is to say.
    Refused(ErrorCode),
    /// The detail says what is wrong with this request.
    Explained(ErrorCode, Cow<'static, str>),
    /// These fields are at fault.
    AtFault(ErrorCode, Vec<FieldFault>),
    /// The reason is for the log.
    CredentialInvalid(&'static str),
    /// What was required.
    InsufficientScope(Scopes),
    RateLimited(Allowance),
    /// The same for nginx, which makes a 500 of any refusal other than 401 and 403.
    RateLimitedForNginx(Allowance),
    Internal(BoxError),
    Unavailable(BoxError),
    NotReady(&'static str, Vec<CheckOutcome>),
}

impl ApiError {
    /// A body that cannot be read as JSON. The detail must hold nothing of the body, which may hold a token.
    pub(crate) fn invalid_json(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::Explained(ErrorCode::InvalidJson, detail.into())
    }

    pub(crate) fn invalid_fields(faults: impl IntoIterator<Item = FieldFault>) -> Self {
        Self::AtFault(ErrorCode::InvalidField, faults.into_iter().collect())
    }

    pub(crate) fn code(&self) -> ErrorCode {
        match self {
            Self::Refused(code) | Self::Explained(code, _) | Self::AtFault(code, _) => *code,
            Self::CredentialInvalid(_) => ErrorCode::CredentialInvalid,
            Self::InsufficientScope(_) => ErrorCode::InsufficientScope,
            Self::RateLimited(_) | Self::RateLimitedForNginx(_) => ErrorCode::RateLimited,
            Self::Internal(_) => ErrorCode::InternalError,
            Self::Unavailable(_) | Self::NotReady(..) => ErrorCode::Unavailable,
        }
    }

    /// What is told to the client beyond the title; nothing of the inside.
    pub(crate) fn detail(&self) -> Cow<'static, str> {
        match self {
            Self::Explained(_, detail) => detail.clone(),
            Self::AtFault(_, faults) => faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ").into(),
            Self::NotReady(detail, _) => (*detail).into(),
            Self::Refused(_)
            | Self::CredentialInvalid(_)
            | Self::InsufficientScope(_)
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

impl From<ErrorCode> for ApiError {
    fn from(code: ErrorCode) -> Self {
        Self::Refused(code)
    }
}

impl From<FieldFault> for ApiError {
    fn from(fault: FieldFault) -> Self {
        Self::invalid_fields([fault])
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
            Self::InsufficientScope(required) => {
                response.insert_header((header::WWW_AUTHENTICATE, format!("{CHALLENGE_SCOPE}, scope=\"{required}\"")))
            }
            Self::RateLimitedForNginx(allowance) => {
                insert_rate_limit(&mut response, allowance).insert_header(("x-auth-status", "429"))
            }
            Self::RateLimited(allowance) => insert_rate_limit(&mut response, allowance),
            _ => insert_header_of(self.code(), &mut response),
        };
        response.finish()
    }
}

fn insert_header_of(code: ErrorCode, response: &mut HttpResponseBuilder) -> &mut HttpResponseBuilder {
    match code {
        ErrorCode::CredentialMissing => response.insert_header((header::WWW_AUTHENTICATE, CHALLENGE)),
        ErrorCode::CredentialInvalid => response.insert_header((header::WWW_AUTHENTICATE, CHALLENGE_INVALID)),
        ErrorCode::Unavailable | ErrorCode::TooManyStreams => {
            response.insert_header((header::RETRY_AFTER, RETRY_AFTER_SECONDS))
        }
        _ => response,
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
