//! Works on the queue as a dispatcher does, without sending.

use std::time::Duration;

use domain::Timestamp;
use domain::memory::SeededEntropy;
use domain::ports::{ClaimId, ClaimRequest, ClaimedLane, Clock, Completion, DeliveryQueue};
use domain::webhooks::{AnswerHeaders, AttemptRecord, ClaimEnd, FailureReason, FairShares, PauseLengths};

use crate::server::Server;

/// The behaviour of a receiver.
#[derive(Clone, Copy)]
pub(crate) enum Receiver {
    /// Answers 204.
    Accepts,
    /// Answers 500 with bytes that are not UTF-8.
    Fails,
    /// Answers 410, which asks for no further webhooks.
    IsGone,
}

impl Server {
    /// Attempts all due deliveries, each for 20 ms, and returns how many there were.
    pub(crate) async fn dispatch(&self, receiver: Receiver) -> usize {
        let lanes = self.claim().await;
        let completions: Vec<Completion> = lanes
            .iter()
            .flat_map(|lane| lane.deliveries.iter().map(|delivery| (lane.subscription, delivery)))
            .map(|(subscription, delivery)| {
                let end = receiver.answers(delivery.attempt, self.clock.now());
                Completion { subscription, delivery: delivery.id, claim: claim_id(), end }
            })
            .collect();
        self.queue.complete(&completions).await.unwrap().len()
    }

    /// Claims all due deliveries, and does not complete them.
    pub(crate) async fn claim(&self) -> Vec<ClaimedLane> {
        let at = self.clock.now();
        let until = at.plus(Duration::from_mins(1));
        let request = ClaimRequest {
            claim: claim_id(),
            at,
            until,
            lanes_max: 1_000,
            room: 1_000,
            rooms: Vec::new(),
            shares: FairShares::new(u32::MAX),
            payload_bytes_max: u64::MAX,
        };
        self.queue.claim(&request).await.unwrap()
    }
}

impl Receiver {
    /// How an attempt of 20 ms ends at `ended_at`.
    fn answers(self, number: u32, ended_at: Timestamp) -> ClaimEnd {
        let duration = Duration::from_millis(20);
        let attempt = |failure: Option<FailureReason>, status, excerpt: &[u8]| {
            let (started_at, status, excerpt) = (ended_at.minus(duration), Some(status), excerpt.to_vec());
            // Successes have none.
            let headers = failure.map(|_| AnswerHeaders::keep([("x-request-id", b"req_\xe9".as_slice())]));
            let headers = headers.unwrap_or_default();
            AttemptRecord { number, started_at, duration, failure, status, headers, excerpt }
        };
        let failed = Some(FailureReason::Status);
        match self {
            Self::Accepts => ClaimEnd::Delivered(attempt(None, 204, b"")),
            Self::Fails => ClaimEnd::Failed {
                attempt: attempt(failed, 500, b"no \xff"),
                retry_after: None,
                retry_at: Some(ended_at.plus(Duration::from_secs(5))),
                pauses: PauseLengths::default(),
            },
            Self::IsGone => ClaimEnd::Gone(attempt(failed, 410, b"")),
        }
    }
}

fn claim_id() -> ClaimId {
    ClaimId::mint(&SeededEntropy::new(1))
}
