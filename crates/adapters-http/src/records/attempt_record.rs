use domain::webhooks::{AttemptRecord as Attempt, FailureReason};
use serde::Serialize;
use utoipa::ToSchema;

/// An attempt that has ended.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Attempt)]
pub(crate) struct AttemptRecord {
    /// Which attempt of its delivery, from 1. There may be gaps: one that a crash cut off leaves no record.
    number: u32,
    /// When it started.
    #[schema(format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    started_at: String,
    /// How long it took, in milliseconds.
    duration_ms: u64,
    /// The status of the receiver's answer; `null` without an answer.
    #[schema(required, example = 204)]
    status: Option<u16>,
    /// Why it failed: `address_refused`, `dns`, `connect`, `tls`, `timeout`, `redirect`, `status` or `too_slow`;
    /// `null` when it was a success.
    #[schema(required)]
    error: Option<&'static str>,
    /// The first 16 KiB of the answer's body as text; what is no UTF-8 is replaced by U+FFFD. In the answer about one
    /// delivery alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    response: Option<String>,
}

impl AttemptRecord {
    /// Without the answer's body.
    pub(crate) fn of(attempt: &Attempt) -> Self {
        Self {
            number: attempt.number,
            started_at: attempt.started_at.to_string(),
            duration_ms: u64::try_from(attempt.duration.as_millis()).unwrap_or(u64::MAX),
            status: attempt.status,
            error: attempt.failure.map(FailureReason::code),
            response: None,
        }
    }

    /// With the answer's body.
    pub(crate) fn with_response(attempt: &Attempt) -> Self {
        let response = String::from_utf8_lossy(&attempt.excerpt).into_owned();
        Self { response: Some(response), ..Self::of(attempt) }
    }
}
