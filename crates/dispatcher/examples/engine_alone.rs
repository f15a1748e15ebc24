//! The deliveries per second that the engine alone can do: a queue that is always full and answers after a while, and
//! receivers that answer after a while.
//!
//! `cargo run --release -p dispatcher --example engine_alone`
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement by hand")]

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use dispatcher::{Dispatcher, DispatcherPorts, DispatcherSettings};
use domain::memory::{ManualClock, SeededEntropy};
use domain::ports::{
    Attempt, ClaimRequest, ClaimedDelivery, ClaimedLane, Completion, DeliveryQueue, StoreError, WebhookSender,
};
use domain::webhooks::{
    Allotment, Answer, AnswerHeaders, AttemptOutcome, Breaker, ClaimEnd, OwnerNumber, Payload, SealedSecrets,
    SigningSecret, SubscriptionOutcomes, TargetUrl,
};
use domain::{DeliveryId, EventId, SealingKeys, SubscriptionId, Timestamp};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use zeroize::Zeroizing;

const DELIVERIES: i64 = 200_000;
const CLAIM_TIME: Duration = Duration::from_millis(3);
const COMPLETE_TIME: Duration = Duration::from_millis(5);

/// Always has more deliveries of each lane, until all are handed out.
struct FullQueue {
    lanes: Vec<ClaimedLane>,
    left: AtomicI64,
    delivered: AtomicI64,
    claims: AtomicI64,
    batches: AtomicI64,
    done: CancellationToken,
}

#[async_trait]
impl DeliveryQueue for FullQueue {
    async fn claim(&self, request: &ClaimRequest) -> Result<Vec<ClaimedLane>, StoreError> {
        sleep(CLAIM_TIME).await;
        self.claims.fetch_add(1, Ordering::Relaxed);
        let mut claimed = Vec::new();
        let mut allotment = Allotment::new(request);
        for lane in &self.lanes {
            let room = i64::from(allotment.admit(lane.subscription, lane.owner, u32::MAX));
            let count = room.min(self.left.fetch_sub(room, Ordering::Relaxed)).max(0);
            let delivery = lane.deliveries[0].clone();
            let deliveries = vec![delivery; usize::try_from(count).unwrap()];
            if count > 0 {
                claimed.push(ClaimedLane { deliveries, ..lane.clone() });
            }
        }
        Ok(claimed)
    }

    async fn complete(&self, completions: &[Completion]) -> Result<Vec<bool>, StoreError> {
        sleep(COMPLETE_TIME).await;
        self.batches.fetch_add(1, Ordering::Relaxed);
        let delivered =
            completions.iter().filter(|completion| matches!(completion.end, ClaimEnd::Delivered(_))).count();
        let delivered = i64::try_from(delivered).unwrap();
        if self.delivered.fetch_add(delivered, Ordering::Relaxed) + delivered >= DELIVERIES {
            self.done.cancel();
        }
        Ok(vec![true; completions.len()])
    }

    async fn end_closed(&self, _: Timestamp, _: u32) -> Result<u32, StoreError> {
        Ok(0)
    }

    async fn hint(&self) {
        pending::<()>().await;
    }

    async fn add_outcomes(&self, _: &[SubscriptionOutcomes]) -> Result<(), StoreError> {
        Ok(())
    }
}

struct Receivers(Duration);

#[async_trait]
impl WebhookSender for Receivers {
    async fn send(&self, _: Attempt) -> AttemptOutcome {
        sleep(self.0).await;
        AttemptOutcome::Answered(Answer {
            status: 200,
            retry_after: None,
            headers: AnswerHeaders::default(),
            excerpt: Vec::new(),
        })
    }
}

fn lane(number: u8, keys: &SealingKeys, entropy: &SeededEntropy) -> ClaimedLane {
    let subscription = SubscriptionId::from_bytes([number; 16]);
    let delivery = ClaimedDelivery {
        id: DeliveryId::from_bytes([number; 16]),
        event: EventId::from_bytes([number; 16]),
        payload: Payload::from_bytes(vec![b'x'; 300]),
        attempt: 1,
        run_attempt: 1,
        trace: None,
        run_started_at: start(),
        sequence: None,
    };
    ClaimedLane {
        subscription,
        owner: OwnerNumber::from_number(1),
        url: TargetUrl::from_stored(&format!("https://receiver-{number}.example/hook")).unwrap(),
        secrets: SealedSecrets::of(keys.seal(
            &SigningSecret::parse("swordfish").unwrap().into(),
            subscription,
            entropy,
        )),
        breaker: Breaker::default(),
        rests_until: None,
        deliveries: vec![delivery],
    }
}

fn start() -> Timestamp {
    Timestamp::from_unix_millis(1_795_225_323_120).unwrap()
}

async fn measure(lanes: u8, answer_time: Duration) {
    let (entropy, keys) = (Arc::new(SeededEntropy::new(1)), SealingKeys::new(vec![Zeroizing::new([7; 32])]).unwrap());
    let done = CancellationToken::new();
    let queue = Arc::new(FullQueue {
        lanes: (1..=lanes).map(|number| lane(number, &keys, &entropy)).collect(),
        left: AtomicI64::new(DELIVERIES),
        delivered: AtomicI64::new(0),
        claims: AtomicI64::new(0),
        batches: AtomicI64::new(0),
        done: done.clone(),
    });
    let (clock, sender) = (Arc::new(ManualClock::new(start())), Arc::new(Receivers(answer_time)));
    let ports = DispatcherPorts { queue: queue.clone(), sender, keys: Arc::new(keys), clock, entropy, tracer: None };
    let dispatcher = Dispatcher::new(ports, DispatcherSettings::default());
    let stop = CancellationToken::new();
    let began = Instant::now();
    let run = tokio::spawn(dispatcher.run(stop.clone()));
    done.cancelled().await;
    let seconds = began.elapsed().as_secs_f64();
    stop.cancel();
    run.await.unwrap();
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let rate = DELIVERIES as f64 / seconds;
    let (claims, batches) = (queue.claims.load(Ordering::Relaxed), queue.batches.load(Ordering::Relaxed));
    println!(
        "{lanes:>3} lanes, answers after {answer_time:?}: {rate:>8.0} deliveries/s, {claims} claims, {batches} batches"
    );
}

#[tokio::main]
async fn main() {
    for (lanes, answer_time) in [(1, 1), (1, 5), (10, 1), (10, 5), (100, 20)] {
        measure(lanes, Duration::from_millis(answer_time)).await;
    }
}
