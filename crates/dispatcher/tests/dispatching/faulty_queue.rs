use std::future::pending;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use domain::Timestamp;
use domain::memory::MemoryWebhookStore;
use domain::ports::{
    BoxError, ClaimRequest, ClaimedLane, Completion, DeliveryQueue, EventStore, HandedOver, Publication, StoreError,
};
use domain::webhooks::{NewEvent, SubscriptionOutcomes};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

/// The await points of a dispatcher that have a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Point {
    BeforeClaim,
    AfterClaim,
    BeforeComplete,
    AfterComplete,
    BeforeEndClosed,
    AfterEndClosed,
    BeforeCount,
    AfterCount,
    HandedOver,
    BeforeSend,
    AfterReceipt,
    AfterSend,
}

/// The fault at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// The store fails. Not for points of sending.
    Fail,
    Delay(Duration),
    Hang,
    /// The process dies.
    Die,
}

/// Decides on the faults, and is notified of successes.
pub(crate) trait Fate: Send + Sync {
    fn at(&self, point: Point) -> Fault;

    fn claimed(&self, _request: &ClaimRequest, _lanes: &[ClaimedLane]) {}

    fn handed_over(&self, _claim: &HandedOver) {}
}

/// Makes no fault.
pub(crate) struct Fair;

impl Fate for Fair {
    fn at(&self, _: Point) -> Fault {
        Fault::None
    }
}

/// The queue as one process reaches it.
pub(crate) struct FaultyQueue {
    store: MemoryWebhookStore,
    fate: Arc<dyn Fate>,
    pub(crate) hint: Notify,
    /// Notified when the process is to die.
    pub(crate) death: Notify,
    pub(crate) claims_fail: AtomicBool,
    pub(crate) completions_fail: AtomicBool,
    /// When claims began, and their requests.
    pub(crate) claims: Mutex<Vec<(Instant, ClaimRequest)>>,
    /// When batches were given to be stored, and how large they were.
    pub(crate) batches: Mutex<Vec<(Instant, usize)>>,
    pub(crate) sweeps: Mutex<Vec<Instant>>,
}

impl FaultyQueue {
    pub(crate) fn new(store: &Arc<MemoryWebhookStore>, fate: Arc<dyn Fate>) -> Arc<Self> {
        Arc::new(Self {
            store: store.in_another_process(),
            fate,
            hint: Notify::new(),
            death: Notify::new(),
            claims_fail: AtomicBool::new(false),
            completions_fail: AtomicBool::new(false),
            claims: Mutex::default(),
            batches: Mutex::default(),
            sweeps: Mutex::default(),
        })
    }

    /// Publishes in this process, where the dispatcher may take the deliveries at once.
    pub(crate) async fn publish(&self, events: &[NewEvent]) -> Publication {
        self.store.publish(events).await.unwrap()
    }

    pub(crate) async fn pass(&self, point: Point) -> Result<(), StoreError> {
        match self.fate.at(point) {
            Fault::None => {}
            Fault::Fail => return Err(switched_off()),
            Fault::Delay(duration) => sleep(duration).await,
            Fault::Hang => pending().await,
            Fault::Die => {
                self.death.notify_one();
                pending::<()>().await;
            }
        }
        Ok(())
    }
}

pub(crate) fn switched_off() -> StoreError {
    StoreError::Unavailable(BoxError::from("switched off"))
}

#[async_trait]
impl DeliveryQueue for FaultyQueue {
    async fn claim(&self, request: &ClaimRequest) -> Result<Vec<ClaimedLane>, StoreError> {
        self.claims.lock().unwrap().push((Instant::now(), request.clone()));
        self.pass(Point::BeforeClaim).await?;
        if self.claims_fail.load(Ordering::SeqCst) {
            return Err(switched_off());
        }
        let lanes = self.store.claim(request).await?;
        self.fate.claimed(request, &lanes);
        self.pass(Point::AfterClaim).await?;
        Ok(lanes)
    }

    fn offer_claims(&self, request: Option<&ClaimRequest>) -> u32 {
        self.store.offer_claims(request)
    }

    /// The fate decides whether the process knows that its publications are stored.
    async fn handed_over(&self) -> Vec<HandedOver> {
        let mut claims = self.store.handed_over().await;
        for claim in &claims {
            self.fate.handed_over(claim);
        }
        let is_known = self.pass(Point::HandedOver).await.is_ok();
        for claim in &mut claims {
            claim.is_stored &= is_known;
        }
        claims
    }

    async fn complete(&self, completions: &[Completion]) -> Result<Vec<bool>, StoreError> {
        self.batches.lock().unwrap().push((Instant::now(), completions.len()));
        self.pass(Point::BeforeComplete).await?;
        if self.completions_fail.load(Ordering::SeqCst) {
            return Err(switched_off());
        }
        let held = self.store.complete(completions).await?;
        self.pass(Point::AfterComplete).await?;
        Ok(held)
    }

    async fn end_closed(&self, at: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.sweeps.lock().unwrap().push(Instant::now());
        self.pass(Point::BeforeEndClosed).await?;
        let ended = self.store.end_closed(at, max).await?;
        self.pass(Point::AfterEndClosed).await?;
        Ok(ended)
    }

    async fn hint(&self) {
        self.hint.notified().await;
    }

    async fn add_outcomes(&self, outcomes: &[SubscriptionOutcomes]) -> Result<(), StoreError> {
        self.pass(Point::BeforeCount).await?;
        self.store.add_outcomes(outcomes).await?;
        self.pass(Point::AfterCount).await
    }
}
