use std::time::Duration;

use super::answer_headers::AnswerHeaders;
use super::failure_reason::FailureReason;

/// The answer of a receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The wait that `Retry-After` asks for, from the start of the attempt. `None` without the header, or if it does
    /// not parse.
    pub retry_after: Option<Duration>,
    /// The headers.
    pub headers: AnswerHeaders,
    /// The first [`Answer::EXCERPT_BYTES_MAX`] bytes of the body as received, never decompressed.
    pub excerpt: Vec<u8>,
}

impl Answer {
    /// How many bytes of an answer's body are read.
    pub const EXCERPT_BYTES_MAX: usize = 16 * 1024;

    /// Why the attempt failed; `None` if it succeeded. Only 2xx is success.
    pub fn failure(&self) -> Option<FailureReason> {
        match self.status {
            200..=299 => None,
            300..=399 => Some(FailureReason::Redirect),
            _ => Some(FailureReason::Status),
        }
    }

    /// The verdict on the answer. 410 asks for no more webhooks. `Retry-After` counts only with 429 and 503.
    pub fn verdict(&self) -> Verdict {
        match (self.failure(), self.status) {
            (None, _) => Verdict::Delivered,
            (Some(_), 410) => Verdict::Gone,
            (Some(reason), 429 | 503) => Verdict::Failed { reason, retry_after: self.retry_after },
            (Some(reason), _) => Verdict::Failed { reason, retry_after: None },
        }
    }
}

/// The part of this service that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OurFault {
    /// The resolver did not answer.
    Resolver,
    /// All connections that the sender may open were in use.
    ConnectionLimit,
    /// The stored URL, payload or secret does not make a valid request.
    Request,
}

/// How one attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// The receiver answered in time.
    Answered(Answer),
    /// No answer, or none in time.
    Failed {
        /// The reason.
        reason: FailureReason,
        /// The part of the answer that was received, with [`FailureReason::TooSlow`] only.
        answer: Option<Answer>,
    },
    /// The sender failed. This does not count as an attempt and is not charged to the receiver.
    NotCharged(OurFault),
}

impl AttemptOutcome {
    /// The verdict on the outcome.
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::Answered(answer) => answer.verdict(),
            Self::Failed { reason, .. } => Verdict::Failed { reason: *reason, retry_after: None },
            Self::NotCharged(_) => Verdict::NotCharged,
        }
    }
}

/// The consequence of an attempt for its delivery and its lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The receiver has it.
    Delivered,
    /// The attempt failed. The delivery is retried until the schedule ends.
    Failed {
        /// The reason.
        reason: FailureReason,
        /// How long the receiver asks to wait. The whole lane waits.
        retry_after: Option<Duration>,
    },
    /// The receiver asks for no more webhooks (410). The attempt failed, and the subscription is disabled.
    Gone,
    /// There was no attempt. The delivery is tried again.
    NotCharged,
}

impl Verdict {
    /// Why the attempt failed, if it did.
    pub fn failure(self) -> Option<FailureReason> {
        match self {
            Self::Failed { reason, .. } => Some(reason),
            Self::Gone => Some(FailureReason::Status),
            Self::Delivered | Self::NotCharged => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn success_is_2xx_and_nothing_else() {
        let minute = Some(Duration::from_mins(1));
        let failed = |reason, retry_after| Verdict::Failed { reason, retry_after };
        for (status, verdict) in [
            (101, failed(FailureReason::Status, None)),
            (199, failed(FailureReason::Status, None)),
            (200, Verdict::Delivered),
            (204, Verdict::Delivered),
            (299, Verdict::Delivered),
            (300, failed(FailureReason::Redirect, None)),
            (304, failed(FailureReason::Redirect, None)),
            (399, failed(FailureReason::Redirect, None)),
            (400, failed(FailureReason::Status, None)),
            (404, failed(FailureReason::Status, None)),
            (410, Verdict::Gone),
            (429, failed(FailureReason::Status, minute)),
            (500, failed(FailureReason::Status, None)),
            (503, failed(FailureReason::Status, minute)),
            (999, failed(FailureReason::Status, None)),
        ] {
            let answer = Answer { status, retry_after: minute, headers: AnswerHeaders::default(), excerpt: Vec::new() };
            assert_eq!(AttemptOutcome::Answered(answer).verdict(), verdict, "{status}");
        }
    }

    #[test]
    fn a_late_answer_never_counts() {
        let answer = Answer { status: 200, retry_after: None, headers: AnswerHeaders::default(), excerpt: Vec::new() };
        let outcome = AttemptOutcome::Failed { reason: FailureReason::TooSlow, answer: Some(answer) };
        assert_eq!(outcome.verdict(), Verdict::Failed { reason: FailureReason::TooSlow, retry_after: None });
        assert_eq!(AttemptOutcome::NotCharged(OurFault::Resolver).verdict(), Verdict::NotCharged);
    }
}
