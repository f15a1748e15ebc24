use domain::Timestamp;
use domain::webhooks::{Answer, AnswerHeaders, AttemptOutcome, FailureReason};
use http::Response;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use tokio::time::{Instant, timeout_at};

use crate::retry_after::retry_after;

/// Reads the start of the answer to an attempt that was made at `at`, and drops the rest unread.
///
/// An attempt whose body breaks off can succeed, because the status is already known.
pub(crate) async fn read(response: Response<Incoming>, at: Timestamp, deadline: Instant) -> AttemptOutcome {
    let (head, mut body) = response.into_parts();
    let mut excerpt = Vec::new();
    let in_time = timeout_at(deadline, read_excerpt(&mut body, &mut excerpt)).await.is_ok();
    let headers = AnswerHeaders::keep(head.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())));
    let retry_after = retry_after(&head.headers, at);
    let answer = Answer { status: head.status.as_u16(), retry_after, headers, excerpt };
    if in_time {
        AttemptOutcome::Answered(answer)
    } else {
        AttemptOutcome::Failed { reason: FailureReason::TooSlow, answer: Some(answer) }
    }
}

async fn read_excerpt(body: &mut Incoming, excerpt: &mut Vec<u8>) {
    while excerpt.len() < Answer::EXCERPT_BYTES_MAX
        && let Some(Ok(frame)) = body.frame().await
    {
        let Ok(data) = frame.into_data() else { continue };
        let room = Answer::EXCERPT_BYTES_MAX - excerpt.len();
        excerpt.extend_from_slice(&data[..data.len().min(room)]);
    }
}
