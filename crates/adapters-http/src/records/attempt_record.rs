use domain::ports::LoggedAttempt;
use domain::webhooks::{AttemptRecord as Attempt, FailureReason};
use serde::Serialize;
use utoipa::ToSchema;

/// An attempt that has ended.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Attempt)]
pub(crate) struct AttemptRecord {
    /// The number of the attempt within its delivery, from 1. There may be gaps, because an attempt that a crash
    /// interrupts leaves no record.
    number: u32,
    /// When the attempt started.
    #[schema(format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    started_at: String,
    /// The duration of the attempt in milliseconds.
    duration_ms: u64,
    /// The HTTP status of the receiver's answer; `null` when there was no answer.
    #[schema(required, example = 204)]
    status: Option<u16>,
    /// Why the attempt failed: `address_refused`, `dns`, `connect`, `tls`, `timeout`, `redirect`, `status`, `too_slow` or
    /// `no_token`; `null` after a success. `dns`: the name has no address that webhooks may reach. `no_token`: the token
    /// endpoint of the subscription gave no access token.
    #[schema(required)]
    error: Option<&'static str>,
    /// The first 16 KiB of the answer's body as text. Bytes that are not UTF-8 are replaced by U+FFFD. Only in the
    /// answer about one delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    response: Option<String>,
    /// The headers of the answer to an attempt that failed, at most 2 KiB and without `set-cookie`. Absent without an
    /// answer, and after a success. Only in the answer about one delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    response_headers: Option<Vec<Header>>,
}

/// A header of an answer.
#[derive(Serialize, ToSchema)]
struct Header {
    /// The name, in lower case.
    #[schema(example = "retry-after")]
    name: String,
    /// The value. Bytes that are not UTF-8 are replaced by U+FFFD.
    #[schema(example = "120")]
    value: String,
}

impl AttemptRecord {
    /// Leaves out the answer's headers and body.
    pub(crate) fn of(attempt: &Attempt) -> Self {
        Self {
            number: attempt.number,
            started_at: attempt.started_at.to_string(),
            duration_ms: u64::try_from(attempt.duration.as_millis()).unwrap_or(u64::MAX),
            status: attempt.status,
            error: attempt.failure.map(FailureReason::code),
            response: None,
            response_headers: None,
        }
    }

    /// Includes the answer's headers and body.
    pub(crate) fn with_response(attempt: &Attempt) -> Self {
        let response = String::from_utf8_lossy(&attempt.excerpt).into_owned();
        let header = |(name, value): (&str, &str)| Header { name: name.to_owned(), value: value.to_owned() };
        let response_headers = attempt.headers.iter().map(header).collect::<Vec<_>>();
        let response_headers = (!response_headers.is_empty()).then_some(response_headers);
        Self { response: Some(response), response_headers, ..Self::of(attempt) }
    }
}

/// An attempt in a stream: the `data` of a server-sent event.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StreamedAttempt {
    /// The delivery of the attempt.
    #[schema(example = "dlv_01h455vb4pex5vsknk084sn02q")]
    delivery_id: String,
    /// The event that is delivered.
    #[schema(example = "evt_01h455vb4pex5vsknk084sn02q")]
    event_id: String,
    /// The subscription that receives the event.
    #[schema(example = "sub_01h455vb4pex5vsknk084sn02q")]
    subscription_id: String,
    /// The attempt.
    attempt: AttemptRecord,
}

impl StreamedAttempt {
    pub(crate) fn of(logged: &LoggedAttempt) -> Self {
        Self {
            delivery_id: logged.delivery.to_string(),
            event_id: logged.event.to_string(),
            subscription_id: logged.subscription.to_string(),
            attempt: AttemptRecord::of(&logged.attempt),
        }
    }
}
