use std::time::Duration;

use super::answer_headers::AnswerHeaders;
use super::attempt_outcome::AttemptOutcome;
use super::failure_reason::FailureReason;
use crate::Timestamp;

/// An attempt that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptRecord {
    /// The number of the attempt, from 1.
    pub number: u32,
    /// When it started.
    pub started_at: Timestamp,
    /// How long the attempt took, to the millisecond.
    pub duration: Duration,
    /// Why the attempt failed; `None` if it delivered the event.
    pub failure: Option<FailureReason>,
    /// The status of the receiver's answer, if there was one.
    pub status: Option<u16>,
    /// The headers of the answer to an attempt that failed. Empty without an answer, and after a success. See
    /// decision 91.
    pub headers: AnswerHeaders,
    /// The start of the answer's body, [`crate::webhooks::Answer::EXCERPT_BYTES_MAX`] bytes at most; empty without an
    /// answer.
    pub excerpt: Vec<u8>,
}

impl AttemptRecord {
    /// The record of an attempt with this outcome. `None` if the sender failed, which does not count as an attempt.
    pub fn of(number: u32, started_at: Timestamp, duration: Duration, outcome: &AttemptOutcome) -> Option<Self> {
        let (failure, answer) = match outcome {
            AttemptOutcome::Answered(answer) => (answer.failure(), Some(answer)),
            AttemptOutcome::Failed { reason, answer } => (Some(*reason), answer.as_ref()),
            AttemptOutcome::NotCharged(_) => return None,
        };
        let duration = Duration::from_millis(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX));
        let status = answer.map(|answer| answer.status);
        let headers = answer.filter(|_| failure.is_some()).map(|answer| answer.headers.clone()).unwrap_or_default();
        let excerpt = answer.map(|answer| answer.excerpt.clone()).unwrap_or_default();
        Some(Self { number, started_at, duration, failure, status, headers, excerpt })
    }

    /// The record as lists show it: without the headers and the excerpt of the answer.
    #[must_use]
    pub fn brief(self) -> Self {
        Self { headers: AnswerHeaders::default(), excerpt: Vec::new(), ..self }
    }

    /// When it ended.
    pub fn ended_at(&self) -> Timestamp {
        self.started_at.plus(self.duration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_samples::at;
    use crate::webhooks::{Answer, OurFault};

    #[test]
    fn a_record_says_what_the_verdict_says() {
        let record = |outcome: &AttemptOutcome| AttemptRecord::of(1, at(0), Duration::from_micros(1_999), outcome);
        for (status, failure) in [
            (204, None),
            (302, Some(FailureReason::Redirect)),
            (410, Some(FailureReason::Status)),
            (503, Some(FailureReason::Status)),
        ] {
            let headers = AnswerHeaders::keep([("server", b"caddy".as_slice())]);
            let answer = Answer { status, retry_after: None, headers: headers.clone(), excerpt: b"so".to_vec() };
            let record = record(&AttemptOutcome::Answered(answer)).unwrap();
            assert_eq!(record.headers == headers, failure.is_some(), "only failures keep the headers: {status}");
            assert_eq!((record.failure, record.status, &record.excerpt[..]), (failure, Some(status), &b"so"[..]));
            assert_eq!(record.ended_at(), at(1));
        }
        let late = record(&AttemptOutcome::Failed { reason: FailureReason::Timeout, answer: None }).unwrap();
        assert_eq!((late.failure, late.status, late.excerpt.len()), (Some(FailureReason::Timeout), None, 0));
        assert_eq!(record(&AttemptOutcome::NotCharged(OurFault::Resolver)), None);
    }
}
