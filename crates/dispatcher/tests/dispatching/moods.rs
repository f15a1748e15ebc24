//! The behaviour of receivers, and of our sender, in the simulation.

use std::future::pending;
use std::sync::Arc;

use async_trait::async_trait;
use domain::ports::{Attempt, WebhookSender};
use domain::webhooks::{Answer, AttemptOutcome, FailureReason, OurFault};
use domain::{DeliveryId, SubscriptionId};
use tokio::time::{Instant, sleep};

use crate::faulty_queue::{FaultyQueue, Point};
use crate::oracle::Grant;
use crate::receivers::{answer, bare};
use crate::simulation::Simulation;
use crate::world::{millis, seconds};

/// How a receiver behaves for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    Healthy,
    Slow,
    Flaky,
    Failing,
    Hanging,
    /// The sender does not keep its deadline.
    NeverEnding,
    /// It receives the webhook, and the connection breaks.
    Breaking,
    TooSlow,
    Gone,
    Throttling,
    /// Our resolver does not work.
    OurFault,
    /// The sender panics, at times.
    Panicking,
}

impl Mood {
    /// The mood for a number below 16: healthy more often than anything else.
    pub(crate) fn of(number: u64) -> Self {
        match number {
            0 | 1 => Self::Slow,
            2 => Self::Flaky,
            3 | 4 => Self::Failing,
            5 => Self::Hanging,
            6 => Self::NeverEnding,
            7 => Self::Breaking,
            8 => Self::TooSlow,
            9 => Self::Gone,
            10 => Self::Throttling,
            11 => Self::OurFault,
            12 => Self::Panicking,
            _ => Self::Healthy,
        }
    }
}

/// The sender of one process.
pub(crate) struct Sender {
    pub(crate) simulation: Arc<Simulation>,
    pub(crate) queue: Arc<FaultyQueue>,
    pub(crate) process: u64,
}

/// An attempt under way, which may be dropped at any time.
struct UnderWay<'a> {
    sender: &'a Sender,
    lane: SubscriptionId,
    host: String,
    delivery: DeliveryId,
    began: (Instant, Option<Grant>),
    outcome: Option<AttemptOutcome>,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        let Self { sender, lane, host, delivery, began, outcome } = self;
        sender.simulation.oracle.ends(sender.process, *lane, host, *delivery, *began, outcome.as_ref());
    }
}

#[async_trait]
impl WebhookSender for Sender {
    async fn send(&self, attempt: Attempt) -> AttemptOutcome {
        let lane: SubscriptionId = attempt.url.url().path()[1..].parse().unwrap();
        let host = attempt.url.url().host_str().unwrap().to_owned();
        let delivery = DeliveryId::of(attempt.event_id, lane);
        let grant = self.simulation.oracle.begins(self.process, lane, &host, delivery).await;
        self.simulation.oracle.begins_in_order(lane, delivery, attempt.sequence).await;
        let began = (Instant::now(), grant);
        let mut under_way = UnderWay { sender: self, lane, host, delivery, began, outcome: None };
        self.queue.pass(Point::BeforeSend).await.unwrap();
        let outcome = self.react(lane).await;
        under_way.outcome = Some(outcome.clone());
        self.queue.pass(Point::AfterSend).await.unwrap();
        outcome
    }
}

impl Sender {
    async fn react(&self, lane: SubscriptionId) -> AttemptOutcome {
        let world = &self.simulation.world;
        let mood = *self.simulation.moods.lock().unwrap().get(&lane).unwrap();
        let failed = |reason| AttemptOutcome::Failed { reason, answer: None };
        sleep(millis(1 + world.draw(40))).await;
        match mood {
            Mood::Healthy => {}
            Mood::Slow => sleep(millis(8_000 + world.draw(6_000))).await,
            Mood::Flaky if world.draw(2) == 0 => {}
            Mood::Flaky | Mood::Failing => return answer(500),
            Mood::Hanging => {
                sleep(millis(14_900)).await;
                return failed(FailureReason::Timeout);
            }
            Mood::NeverEnding => pending().await,
            Mood::Breaking => return failed(FailureReason::Connect),
            Mood::TooSlow => {
                sleep(millis(14_900)).await;
                let answer = Some(Answer { excerpt: b"late".to_vec(), ..bare(200) });
                return AttemptOutcome::Failed { reason: FailureReason::TooSlow, answer };
            }
            Mood::Gone => return answer(410),
            Mood::Throttling => {
                let retry_after = Some(seconds(world.draw(40)));
                return AttemptOutcome::Answered(Answer { retry_after, ..bare(429) });
            }
            Mood::OurFault => return AttemptOutcome::NotCharged(OurFault::Resolver),
            Mood::Panicking => std::panic::resume_unwind(Box::new("without a word on standard error")),
        }
        self.queue.pass(Point::AfterReceipt).await.unwrap();
        answer(200)
    }
}
