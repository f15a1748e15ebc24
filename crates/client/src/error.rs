use std::fmt;
use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde::Deserialize;

/// Why a call has no result. No variant holds a credential or a full key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The base URL is not an absolute `http` or `https` URL without user, query and fragment.
    #[error("the base URL must be an absolute http or https URL without user, query and fragment")]
    InvalidBaseUrl,
    /// The credential has characters that no HTTP header can carry.
    #[error("the credential cannot be sent in a header")]
    InvalidCredential,
    /// The service was not reached, or the answer did not come whole or in time. Nobody can tell whether the call
    /// had an effect.
    #[error("no answer from the service")]
    NoAnswer(#[source] reqwest::Error),
    /// The service refused or failed, and said so.
    #[error(transparent)]
    Refused(Box<Problem>),
    /// The answer is not what the service documents: something else answers at this URL, or another version.
    #[error("unexpected answer with status {status}: {reason}")]
    UnexpectedAnswer {
        /// The HTTP status.
        status: u16,
        /// What is wrong with it.
        reason: String,
    },
}

impl Error {
    /// The HTTP status, when there was an answer.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Refused(problem) => Some(problem.status),
            Self::UnexpectedAnswer { status, .. } => Some(*status),
            Self::InvalidBaseUrl | Self::InvalidCredential | Self::NoAnswer(_) => None,
        }
    }

    /// The stable code of the service's refusal, such as `api_key_limit_reached`.
    pub fn code(&self) -> Option<&str> {
        self.problem().and_then(|problem| problem.code.as_deref())
    }

    /// How long the service asks to wait before the call is made again.
    pub fn retry_after(&self) -> Option<Duration> {
        self.problem().and_then(|problem| problem.retry_after)
    }

    /// The refusal, when this is one.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Refused(problem) => Some(problem),
            _ => None,
        }
    }
}

/// A refusal in the service's words: problem details as of RFC 9457. From something in front of the service (a load
/// balancer, a gateway) only the status may be known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The HTTP status.
    pub status: u16,
    /// Stable, for programs: `api_key_limit_reached`.
    pub code: Option<String>,
    /// For people.
    pub detail: Option<String>,
    /// The fields at fault, if fields are.
    pub errors: Vec<FieldError>,
    /// Finds the call in the service's log.
    pub request_id: Option<String>,
    /// How long to wait before trying again.
    pub retry_after: Option<Duration>,
}

/// What is wrong with one field of a request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct FieldError {
    /// The field's name.
    pub field: String,
    /// What is wrong, for people.
    pub detail: String,
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
        // The service's own detail names a field that is the only one at fault.
        let said = |error: &&FieldError| self.detail.as_ref().is_some_and(|detail| detail.contains(&error.detail));
        for error in self.errors.iter().filter(|error| !said(error)) {
            write!(formatter, "; {} {}", error.field, error.detail)?;
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
            status: status.as_u16(),
            code: members.code,
            detail: members.detail,
            errors: members.errors,
            request_id: members.request_id.or_else(|| header("x-request-id")),
            retry_after: seconds.map(Duration::from_secs),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ProblemMembers {
    code: Option<String>,
    detail: Option<String>,
    errors: Vec<FieldError>,
    request_id: Option<String>,
}
