use std::collections::{BTreeSet, HashMap};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use domain::ports::{ClaimId, ClaimedDelivery, ClaimedLane, Completion, HandedOver, StoreError};
use domain::webhooks::{AttemptOutcome, DeliveryRate, FairShares, OwnerNumber};
use domain::{OpenSpan, SubscriptionId, Timestamp};
use tokio::task::{Id, JoinSet};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::claiming::CLAIM_SPACING;
use crate::completions::Completions;
use crate::dispatcher::Dispatcher;
use crate::host_caps::HostCaps;
use crate::lane::{StartBy, Target};
use crate::lanes::Lanes;
use crate::offering::Offering;
use crate::outage::Outage;
use crate::secrets::SecretCache;

/// A future that a run keeps across turns.
pub(crate) type Held<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// One run of a dispatcher: the only task that holds its state.
///
/// Each turn starts what can start, and then waits for one event. The files `claiming`, `sending`, `writing` and
/// `stopping` handle the events.
pub(crate) struct Run<'a> {
    pub(crate) dispatcher: &'a Dispatcher,
    pub(crate) lanes: Lanes,
    pub(crate) hosts: HostCaps,
    pub(crate) secrets: SecretCache,
    pub(crate) claiming: Claiming<'a>,
    pub(crate) offering: Offering<'a>,
    pub(crate) published: Held<'a, Vec<HandedOver>>,
    pub(crate) hint: Held<'a, ()>,
    pub(crate) attempts: JoinSet<AttemptEnd>,
    pub(crate) flights: HashMap<Id, Flight>,
    pub(crate) completions: Completions,
    pub(crate) writing: Option<Held<'a, Written>>,
    pub(crate) write_outage: Outage,
    pub(crate) stopping: Option<Stopping>,
    pub(crate) next_poll: Instant,
    pub(crate) timer: Pin<Box<Sleep>>,
}

/// The most ends of rests that are remembered.
const RESTS_MAX: usize = 4_096;
/// Rests end in steps of this length, so that one claim serves many lanes.
const REST_STEP: Duration = Duration::from_millis(5);

/// Whether the next claim is wanted, and the claim in progress.
pub(crate) struct Claiming<'a> {
    /// Deliveries may be due that no claim has seen.
    pub(crate) is_wanted: bool,
    pub(crate) under_way: Option<Held<'a, Result<Vec<ClaimedLane>, StoreError>>>,
    pub(crate) not_before: Instant,
    /// Events were published since the last claim began.
    pub(crate) is_hinted: bool,
    pub(crate) last: LastClaim,
    /// When the last claim began.
    pub(crate) began: Instant,
    pub(crate) claim: ClaimId,
    pub(crate) lanes_max: usize,
    pub(crate) payload_bytes_max: u64,
    /// The free places when the claim began.
    pub(crate) shares: FairShares,
    pub(crate) start_by: StartBy,
    pub(crate) outage: Outage,
    /// The ends of the rests of lanes with a rate, in steps since the run began.
    rests: BTreeSet<u32>,
    run_began: Instant,
    /// How long a claim takes at least.
    usual: Duration,
}

/// The consequence of the last claim for the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LastClaim {
    /// It had little room, so the next one has little room too.
    HadLittleRoom,
    /// It found few deliveries, so waiting for more has no benefit.
    FoundFew,
    /// It found many, failed, or has not ended.
    Other,
}

impl Claiming<'_> {
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            is_wanted: true,
            under_way: None,
            not_before: now,
            is_hinted: false,
            last: LastClaim::FoundFew,
            began: now,
            claim: ClaimId::from_number(0),
            lanes_max: 0,
            payload_bytes_max: 0,
            shares: FairShares::new(0),
            start_by: StartBy { instant: now, time: Timestamp::MIN },
            outage: Outage::of("claiming deliveries"),
            rests: BTreeSet::new(),
            run_began: now,
            usual: Duration::ZERO,
        }
    }

    /// Asks for a claim at the end of a lane's rest. If there are too many, the poll finds the last ones.
    pub(crate) fn want_after_rest(&mut self, until: Instant) {
        let steps = until.duration_since(self.run_began).as_millis().div_ceil(REST_STEP.as_millis());
        self.rests.insert(steps.try_into().unwrap_or(u32::MAX));
        if self.rests.len() > RESTS_MAX {
            self.rests.pop_last();
        }
    }

    /// When the first rest ends.
    pub(crate) fn first_rest_ends(&self) -> Option<Instant> {
        self.rests.first().map(|steps| self.run_began + REST_STEP * *steps)
    }

    /// Asks for a claim if a rest has ended.
    pub(crate) fn end_rests(&mut self, now: Instant) {
        while self.first_rest_ends().is_some_and(|until| until <= now) {
            self.rests.pop_first();
            self.is_wanted = true;
        }
    }

    /// The latest start of the deliveries that the last claim took at a rate: their rate holds from claim to claim, so no
    /// claim may start its deliveries much later than others. A claim is late if it took longer than usual.
    pub(crate) fn answered(&mut self, now: Instant) -> Instant {
        let (usual, took) = (self.usual, now.duration_since(self.began));
        self.usual = took.min(usual + usual / 8 + Duration::from_millis(1));
        self.began + usual + DeliveryRate::LATE_MAX
    }

    /// Asks for a claim of the deliveries that were just published.
    pub(crate) fn hint(&mut self) {
        (self.is_wanted, self.is_hinted) = (true, true);
    }

    /// When the next claim may begin, if it is wanted. Events that come one by one do not wait for each other.
    pub(crate) fn due_at(&self) -> Instant {
        let is_at_once = self.is_hinted && self.last == LastClaim::FoundFew;
        if is_at_once { self.began } else { self.not_before }
    }

    /// Asks for another claim. One that may find many begins soon, also if there was little room at the last one.
    pub(crate) fn want(&mut self, may_find_many: bool) {
        self.is_wanted = true;
        if may_find_many && !self.outage.is_failing() {
            self.not_before = self.not_before.min(self.began + CLAIM_SPACING);
        }
    }
}

/// An attempt in progress.
pub(crate) struct Flight {
    pub(crate) subscription: SubscriptionId,
    pub(crate) owner: OwnerNumber,
    pub(crate) delivery: ClaimedDelivery,
    pub(crate) target: Arc<Target>,
    pub(crate) claim: ClaimId,
    pub(crate) started_at: Timestamp,
    pub(crate) span: Option<OpenSpan>,
}

/// The outcome of an attempt, and how long the attempt took.
///
/// An attempt cannot return the [`ClaimEnd`](domain::webhooks::ClaimEnd): the lane decides how long a delivery waits after
/// a fault of Gatepost, and the lane is here, not in the task of the attempt.
pub(crate) struct AttemptEnd {
    pub(crate) outcome: AttemptOutcome,
    pub(crate) duration: Duration,
}

/// The progress of a shutdown.
pub(crate) struct Stopping {
    /// When attempts in progress are cut off.
    pub(crate) cut_off_at: Instant,
    /// When the run ends, even if results are not stored.
    pub(crate) end_at: Instant,
    pub(crate) is_cut_off: bool,
}

/// A batch of results, and the store's answer.
pub(crate) struct Written {
    pub(crate) batch: Vec<Completion>,
    pub(crate) answer: Result<Vec<bool>, StoreError>,
}

impl<'a> Run<'a> {
    pub(crate) fn new(dispatcher: &'a Dispatcher) -> Self {
        let now = Instant::now();
        Self {
            dispatcher,
            lanes: Lanes::new(dispatcher.settings.concurrency, dispatcher.settings.claimed_max()),
            hosts: HostCaps::new(dispatcher.settings.concurrency_per_host),
            secrets: SecretCache::default(),
            claiming: Claiming::new(now),
            offering: Offering::new(&*dispatcher.queue),
            published: dispatcher.queue.handed_over(),
            hint: dispatcher.queue.hint(),
            attempts: JoinSet::new(),
            flights: HashMap::new(),
            completions: Completions::new(),
            writing: None,
            write_outage: Outage::of("storing the results of attempts"),
            stopping: None,
            next_poll: now,
            timer: Box::pin(sleep_until(now)),
        }
    }
}
