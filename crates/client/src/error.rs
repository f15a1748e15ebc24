use std::fmt;
use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde::{Deserialize, Serialize, Serializer};

/// Why a call failed. No variant contains a credential or a full key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The base URL is not an absolute `http` or `https` URL without user, query and fragment.
    #[error("the base URL must be an absolute http or https URL without user, query and fragment")]
    InvalidBaseUrl,
    /// The credential contains characters that are not allowed in an HTTP header.
    #[error("the credential cannot be sent in a header")]
    InvalidCredential,
    /// An id in the path of the call is empty, `.` or `..`, which would lead to another call.
    #[error("an id must not be empty, \".\" or \"..\"")]
    InvalidId,
    /// The client did not reach the service, or did not receive the whole answer in time. The call may have had its
    /// effect.
    #[error("no answer from the service")]
    NoAnswer(#[source] reqwest::Error),
    /// The service answered with an error.
    #[error(transparent)]
    Refused(Box<Problem>),
    /// The answer differs from the documented one: another service or another version answers at this URL.
    #[error("unexpected answer with status {status}: {reason}")]
    UnexpectedAnswer {
        /// The HTTP status.
        status: u16,
        /// The problem of the answer.
        reason: String,
    },
}

impl Error {
    /// The HTTP status, if there was an answer.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Refused(problem) => Some(problem.status),
            Self::UnexpectedAnswer { status, .. } => Some(*status),
            Self::InvalidBaseUrl | Self::InvalidCredential | Self::InvalidId | Self::NoAnswer(_) => None,
        }
    }

    /// The stable error code of the service, such as `api_key_limit_reached`.
    pub fn code(&self) -> Option<&str> {
        self.problem().and_then(|problem| problem.code.as_deref())
    }

    /// The wait that `Retry-After` asks for; `None` if the header is absent or has a date.
    pub fn retry_after(&self) -> Option<Duration> {
        self.problem().and_then(|problem| problem.retry_after)
    }

    /// The problem document, if the service sent one.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Refused(problem) => Some(problem),
            _ => None,
        }
    }
}

/// An error answer of the service: problem details (RFC 9457). If a load balancer or a gateway answered instead of the
/// service, only the status may be set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Problem {
    /// The page that explains this kind of error, relative to the URL of the service.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// A short summary of this kind of error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The HTTP status.
    pub status: u16,
    /// The stable code for programs, such as `api_key_limit_reached`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The explanation for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The invalid fields of the request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// Where the data of an event breaks the schema of its type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<SchemaFault>,
    /// The cursor of the oldest event that is stored. Only with the code `cursor_expired`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest_cursor: Option<String>,
    /// The id of the call in the service's log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// How long to wait before the next call. In JSON `retryAfterSeconds`, which the service sends as a header.
    #[serde(rename = "retryAfterSeconds", skip_serializing_if = "Option::is_none", serialize_with = "whole_seconds")]
    pub retry_after: Option<Duration>,
}

/// The problem of one field of a request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct FieldError {
    /// The field's name.
    pub field: String,
    /// The explanation for people.
    pub detail: String,
}

/// A place where the data of an event breaks the schema of its type.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SchemaFault {
    /// The place in `data`: a JSON Pointer (RFC 6901).
    pub pointer: String,
    /// The keyword of the schema.
    pub keyword: String,
    /// What `data` must follow.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the service answered {}", self.status)?;
        if let Some(code) = &self.code {
            write!(formatter, " {code}")?;
        }
        if let Some(detail) = &self.detail {
            write!(formatter, ": {detail}")?;
        }
        // If only one field is wrong, the detail of the problem already names the field.
        let said = |error: &&FieldError| self.detail.as_ref().is_some_and(|detail| detail.contains(&error.detail));
        for error in self.errors.iter().filter(|error| !said(error)) {
            write!(formatter, "; {} {}", error.field, error.detail)?;
        }
        for SchemaFault { pointer, message, .. } in &self.faults {
            write!(formatter, "; {pointer:?} {message}")?;
        }
        match &self.request_id {
            Some(request_id) => write!(formatter, " (request {request_id})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Problem {}

impl Problem {
    pub(crate) fn of(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Self {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let members: ProblemMembers = serde_json::from_slice(body).unwrap_or_default();
        let seconds = header(RETRY_AFTER.as_str()).and_then(|text| text.parse().ok());
        Self {
            page: members.page,
            title: members.title,
            status: status.as_u16(),
            code: members.code,
            detail: members.detail,
            errors: members.errors,
            faults: members.faults,
            oldest_cursor: members.oldest_cursor,
            request_id: members.request_id.or_else(|| header("x-request-id")),
            retry_after: seconds.map(Duration::from_secs),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ProblemMembers {
    #[serde(rename = "type")]
    page: Option<String>,
    title: Option<String>,
    code: Option<String>,
    detail: Option<String>,
    errors: Vec<FieldError>,
    faults: Vec<SchemaFault>,
    oldest_cursor: Option<String>,
    request_id: Option<String>,
}

#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
fn whole_seconds<S: Serializer>(time: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_some(&time.map(|time| time.as_secs()))
}
