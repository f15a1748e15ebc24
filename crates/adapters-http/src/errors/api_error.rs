use std::borrow::Cow;
use std::error::Error;
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
use crate::records::event_type_record::SchemaFaultRecord;

/// `WWW-Authenticate` (RFC 6750, section 3). It names an error only when the client sent a credential.
const CHALLENGE: &str = r#"Bearer realm="gatepost""#;
const CHALLENGE_INVALID: &str = r#"Bearer realm="gatepost", error="invalid_token""#;
const CHALLENGE_SCOPE: &str = r#"Bearer realm="gatepost", error="insufficient_scope""#;
/// `Retry-After` in seconds: databases and identity providers usually recover within a few.
const RETRY_AFTER_SECONDS: &str = "2";

/// An answer of an endpoint that is not a success.
#[derive(Debug)]
pub(crate) enum ApiError {
    /// The table of codes says everything about this error.
    Refused(ErrorCode),
    /// The string describes the fault of this request.
    Explained(ErrorCode, Cow<'static, str>),
    /// These fields have faults.
    AtFault(ErrorCode, Vec<FieldFault>),
    /// The service has deleted the next events of a log. Has the cursor of the oldest stored event.
    CursorExpired(String),
    /// The data of an event, in this field, breaks the schema of its type at these places.
    EventInvalid(FieldFault, Vec<SchemaFaultRecord>),
    /// The client reads which kind of credential is not valid. The reason goes to the log.
    CredentialInvalid(Invalid, &'static str),
    /// Holds the required scopes.
    InsufficientScope(Scopes),
    RateLimited(Limited, Allowance),
    /// A credential that is not valid, from an address with too many of them: the reason for the log, and how long the
    /// client must wait.
    TooManyCredentialFailures(&'static str, Duration),
    /// The reason is for the log. The sign-in fails.
    SignInRefused(&'static str),
    Internal(BoxError),
    Unavailable(BoxError),
    NotReady(&'static str, Vec<CheckOutcome>),
}

/// The credential that is not valid.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Invalid {
    ApiKey,
    IdToken,
    Session,
    OperatorToken,
    /// The request presents text that can never be a valid credential for this call.
    Presented,
}

impl Invalid {
    /// Tells only facts that the client knows, and not the reason for a refusal.
    fn detail(self, reason: &'static str) -> Cow<'static, str> {
        match self {
            Self::ApiKey => "The API key is unknown, revoked, expired or malformed.".into(),
            Self::IdToken => {
                "The ID token has expired, is meant for another service, or is not signed by the identity \
                 provider."
                    .into()
            }
            Self::Session => "The session has ended.".into(),
            Self::OperatorToken => "The operator API takes an operator token, and this is another token.".into(),
            Self::Presented => format!("The request has {reason}.").into(),
        }
    }
}

/// The subject of a rate limit: the name of its policy.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limited {
    Key,
    /// The same for nginx, which turns every status other than 401 and 403 into a 500.
    KeyForNginx,
    User,
    ManualSends,
}

impl Limited {
    /// Fails if a use was beyond the limit. `None` is a use without a limit.
    pub(crate) fn check(self, spent: Option<Allowance>) -> Result<(), ApiError> {
        match spent {
            Some(allowance) if allowance.retry_after.is_some() => Err(ApiError::RateLimited(self, allowance)),
            _ => Ok(()),
        }
    }

    fn policy(self) -> &'static str {
        match self {
            Self::Key | Self::KeyForNginx => "key",
            Self::User => "user",
            Self::ManualSends => "manual-sends",
        }
    }

    fn code(self) -> ErrorCode {
        match self {
            Self::Key | Self::KeyForNginx | Self::User => ErrorCode::RateLimited,
            Self::ManualSends => ErrorCode::TooManyManualSends,
        }
    }
}

impl ApiError {
    /// A body that is not valid JSON. The detail must not quote the body, because the body may hold a token.
    pub(crate) fn invalid_json(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::Explained(ErrorCode::InvalidJson, detail.into())
    }

    pub(crate) fn invalid_fields(faults: impl IntoIterator<Item = FieldFault>) -> Self {
        Self::AtFault(ErrorCode::InvalidField, faults.into_iter().collect())
    }

    /// The same faults in a member of this field.
    pub(crate) fn in_field(self, field: &str) -> Self {
        match self {
            Self::AtFault(code, faults) => {
                Self::AtFault(code, faults.into_iter().map(|fault| fault.inside(field)).collect())
            }
            other => other,
        }
    }

    pub(crate) fn code(&self) -> ErrorCode {
        match self {
            Self::Refused(code) | Self::Explained(code, _) | Self::AtFault(code, _) => *code,
            Self::CursorExpired(_) => ErrorCode::CursorExpired,
            Self::EventInvalid(..) => ErrorCode::EventInvalid,
            Self::CredentialInvalid(..) => ErrorCode::CredentialInvalid,
            Self::InsufficientScope(_) => ErrorCode::InsufficientScope,
            Self::RateLimited(limited, _) => limited.code(),
            Self::TooManyCredentialFailures(..) => ErrorCode::TooManyCredentialFailures,
            Self::SignInRefused(_) => ErrorCode::SignInRefused,
            Self::Internal(_) => ErrorCode::InternalError,
            Self::Unavailable(_) | Self::NotReady(..) => ErrorCode::Unavailable,
        }
    }

    /// The text of `detail` for the client. Never contains internals.
    pub(crate) fn detail(&self) -> Cow<'static, str> {
        match self {
            Self::Explained(_, detail) => detail.clone(),
            Self::AtFault(_, faults) => faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ").into(),
            Self::EventInvalid(fault, _) => fault.to_string().into(),
            Self::NotReady(detail, _) => (*detail).into(),
            Self::CredentialInvalid(invalid, reason) => invalid.detail(reason),
            Self::Refused(_)
            | Self::CursorExpired(_)
            | Self::InsufficientScope(_)
            | Self::RateLimited(..)
            | Self::TooManyCredentialFailures(..)
            | Self::SignInRefused(_)
            | Self::Internal(_)
            | Self::Unavailable(_) => self.code().entry().cause.into(),
        }
    }

    /// The cause of this error with its sources, for the log only.
    pub(crate) fn inside(&self) -> Option<String> {
        match self {
            Self::Internal(source) | Self::Unavailable(source) => Some(Chain(&**source).to_string()),
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

impl From<Vec<FieldFault>> for ApiError {
    fn from(faults: Vec<FieldFault>) -> Self {
        Self::invalid_fields(faults)
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
            Self::RateLimited(Limited::KeyForNginx, _) => StatusCode::FORBIDDEN,
            _ => StatusCode::from_u16(self.code().entry().status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
        }
    }

    /// Sets the status and the headers. `problem::fill` writes the body, because it knows the request id.
    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status_code());
        match self {
            Self::InsufficientScope(required) => {
                response.insert_header((header::WWW_AUTHENTICATE, format!("{CHALLENGE_SCOPE}, scope=\"{required}\"")))
            }
            Self::RateLimited(limited @ Limited::KeyForNginx, allowance) => {
                insert_rate_limit(&mut response, *limited, allowance).insert_header(("x-auth-status", "429"))
            }
            Self::RateLimited(limited, allowance) => insert_rate_limit(&mut response, *limited, allowance),
            Self::TooManyCredentialFailures(_, wait) => {
                response.insert_header((header::RETRY_AFTER, whole_seconds(*wait).to_string()))
            }
            _ => insert_header_of(self.code(), &mut response),
        };
        response.finish()
    }
}

fn insert_header_of(code: ErrorCode, response: &mut HttpResponseBuilder) -> &mut HttpResponseBuilder {
    match code {
        ErrorCode::CredentialMissing => response.insert_header((header::WWW_AUTHENTICATE, CHALLENGE)),
        ErrorCode::CredentialInvalid => response.insert_header((header::WWW_AUTHENTICATE, CHALLENGE_INVALID)),
        ErrorCode::OperatorScopeMissing => response.insert_header((header::WWW_AUTHENTICATE, CHALLENGE_SCOPE)),
        ErrorCode::Unavailable | ErrorCode::TestNotSent | ErrorCode::TooManyStreams => {
            response.insert_header((header::RETRY_AFTER, RETRY_AFTER_SECONDS))
        }
        _ => response,
    }
}

/// Adds the headers of the IETF draft "`RateLimit` header fields for HTTP", and `Retry-After`. All times are in whole
/// seconds, rounded up.
fn insert_rate_limit<'a>(
    response: &'a mut HttpResponseBuilder,
    limited: Limited,
    allowance: &Allowance,
) -> &'a mut HttpResponseBuilder {
    let policy = limited.policy();
    let (count, window) = (allowance.limit.count(), allowance.limit.window().as_secs());
    let (remaining, reset) = (allowance.remaining, whole_seconds(allowance.resets_after));
    response
        .insert_header(("ratelimit-policy", format!("\"{policy}\";q={count};w={window}")))
        .insert_header(("ratelimit", format!("\"{policy}\";r={remaining};t={reset}")))
        .insert_header((header::RETRY_AFTER, whole_seconds(allowance.retry_after.unwrap_or_default()).to_string()))
}

fn whole_seconds(duration: Duration) -> u128 {
    duration.as_millis().div_ceil(1_000)
}

/// Displays an error and all its sources in one line.
pub(crate) struct Chain<'a>(pub(crate) &'a (dyn Error + 'static));

impl fmt::Display for Chain<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)?;
        let mut source = self.0.source();
        while let Some(error) = source {
            write!(formatter, ": {error}")?;
            source = error.source();
        }
        Ok(())
    }
}
