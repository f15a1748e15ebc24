//! What a dispatcher does to the queue, without sending anything.

use std::time::Duration;

use domain::memory::SeededEntropy;
use domain::ports::{ClaimId, ClaimRequest, ClaimedLane, Clock, Completion, DeliveryQueue, NextStep};
use domain::webhooks::{AttemptRecord, DeliveryEnd, FailureReason, Verdict};

use crate::server::Server;

/// What a receiver does.
#[derive(Clone, Copy)]
pub(crate) enum Receiver {
    /// Answers 204.
    Accepts,
    /// Answers 500 with bytes that are no text.
    Fails,
    /// Asks for no more: 410.
    IsGone,
}

impl Server {
    /// Attempts whatever is due, each for 20 ms, and answers how many that were.
    pub(crate) async fn dispatch(&self, receiver: Receiver) -> usize {
        let lanes = self.claim().await;
        let completions: Vec<Completion> = lanes
            .iter()
            .flat_map(|lane| lane.deliveries.iter().map(|delivery| (lane.subscription, delivery)))
            .map(|(subscription, delivery)| {
                let (verdict, next, failure, status, excerpt) = outcome(receiver, self);
                let duration = Duration::from_millis(20);
                let started_at = self.clock.now().minus(duration);
                let number = delivery.attempt;
                Completion {
                    subscription,
                    delivery: delivery.id,
                    claim: claim_id(),
                    attempt: Some(AttemptRecord { number, started_at, duration, failure, status, excerpt }),
                    verdict,
                    ended_at: self.clock.now(),
                    next,
                }
            })
            .collect();
        self.queue.complete(&completions).await.unwrap().len()
    }

    /// Claims whatever is due, and leaves it so.
    pub(crate) async fn claim(&self) -> Vec<ClaimedLane> {
        let at = self.clock.now();
        let until = at.plus(Duration::from_mins(1));
        let request = ClaimRequest { claim: claim_id(), at, until, lanes_max: 1_000, room: 1_000, rooms: Vec::new() };
        self.queue.claim(&request).await.unwrap()
    }
}

type Outcome = (Verdict, NextStep, Option<FailureReason>, Option<u16>, Vec<u8>);

fn outcome(receiver: Receiver, server: &Server) -> Outcome {
    let reason = FailureReason::Status;
    let retry_at = server.clock.now().plus(Duration::from_secs(5));
    match receiver {
        Receiver::Accepts => (Verdict::Delivered, NextStep::End(DeliveryEnd::Delivered), None, Some(204), Vec::new()),
        Receiver::Fails => {
            let verdict = Verdict::Failed { reason, retry_after: None };
            (verdict, NextStep::Retry(retry_at), Some(reason), Some(500), b"no \xff".to_vec())
        }
        Receiver::IsGone => {
            (Verdict::Gone, NextStep::End(DeliveryEnd::ScheduleSpent), Some(reason), Some(410), Vec::new())
        }
    }
}

fn claim_id() -> ClaimId {
    ClaimId::mint(&SeededEntropy::new(1))
}
