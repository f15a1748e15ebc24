use std::future::pending;

use async_trait::async_trait;

use crate::ports::{Entropy, StoreError};
use crate::webhooks::{Breaker, ClaimEnd, Payload, SealedSecrets, TargetUrl};
use crate::{DeliveryId, EventId, SubscriptionId, Timestamp};

/// Names one claim, so that whoever has lost it cannot end what another has claimed since (a fencing token).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClaimId(i64);

impl ClaimId {
    /// A new name.
    pub fn mint(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; 8];
        entropy.fill(&mut bytes);
        Self(i64::from_le_bytes(bytes))
    }

    /// The name of this number, as storage keeps it.
    pub const fn from_number(number: i64) -> Self {
        Self(number)
    }

    /// The number, for storage.
    pub const fn number(self) -> i64 {
        self.0
    }
}

/// What a dispatcher has room for.
#[derive(Clone, Debug)]
pub struct ClaimRequest {
    /// Names this claim.
    pub claim: ClaimId,
    /// Now.
    pub at: Timestamp,
    /// When the claim ends by itself.
    pub until: Timestamp,
    /// The most lanes.
    pub lanes_max: u32,
    /// The most deliveries of each lane that `rooms` does not name.
    pub room: u32,
    /// The most deliveries of these lanes, perhaps none.
    pub rooms: Vec<(SubscriptionId, u32)>,
}

impl ClaimRequest {
    /// The most deliveries that may be claimed of the lane.
    pub fn room_of(&self, lane: SubscriptionId) -> u32 {
        self.rooms.iter().find(|(named, _)| *named == lane).map_or(self.room, |(_, room)| *room)
    }
}

/// What was claimed of a lane, and what is needed to deliver it.
#[derive(Clone, Debug)]
pub struct ClaimedLane {
    /// Whose lane.
    pub subscription: SubscriptionId,
    /// Where to.
    pub url: TargetUrl,
    /// What to sign with.
    pub secrets: SealedSecrets,
    /// What the lane knew of the receiver.
    pub breaker: Breaker,
    /// The deliveries, at least one, in the order in which they should leave.
    pub deliveries: Vec<ClaimedDelivery>,
}

/// A claimed delivery.
#[derive(Clone, Debug)]
pub struct ClaimedDelivery {
    /// Its id.
    pub id: DeliveryId,
    /// Its event's id.
    pub event: EventId,
    /// What to send.
    pub payload: Payload,
    /// Which attempt of the delivery this is, from 1.
    pub attempt: u32,
    /// Which attempt of this run of the schedule, from 1. A retry by hand starts a new run.
    pub run_attempt: u32,
    /// When this run started: when the event was published, or the delivery last retried by hand.
    pub run_started_at: Timestamp,
}

/// The end of a claim on one delivery.
#[derive(Clone, Debug)]
pub struct Completion {
    /// Whose lane.
    pub subscription: SubscriptionId,
    /// Which delivery.
    pub delivery: DeliveryId,
    /// Under which claim.
    pub claim: ClaimId,
    /// How the claim ended.
    pub end: ClaimEnd,
}

/// Hands out what is due, and takes back what came of it.
#[async_trait]
pub trait DeliveryQueue: Send + Sync {
    /// Claims due deliveries: waiting ones whose time has come at `request.at`, and those whose claim has ended by
    /// then. They are [`Sending`](crate::webhooks::DeliveryState::Sending) until `request.until`.
    ///
    /// - **Exclusive.** A delivery is in one claim at a time, whatever runs in parallel.
    /// - **Lane-first.** Of all lanes that are open, have something due and are admitted, those that have waited for
    ///   service longest come first, at most `lanes_max`, and of each at most [`ClaimRequest::room_of`] deliveries. A
    ///   lane without room is passed over, and counts for nothing. However many deliveries one lane has, its neighbours
    ///   wait no longer for it.
    /// - **In order.** Of a lane first attempts leave before retries, and those before replays (retried by hand, or
    ///   recovered); each kind by its due time. One whose claim has run out is among the first attempts
    ///   or the retries, as suits the store.
    /// - **Admitted** is what [`Breaker::admission`] says at `request.at`: of a paused lane nothing is claimed, and of
    ///   one that may probe, one delivery, and none while another claim on the lane is out.
    /// - The attempt is counted here, so that deliveries at which the process dies come to an end.
    /// - An empty answer means that nothing could be claimed, unless claims run in parallel: they may pass each other
    ///   by.
    /// - A claim need not be durable: one that a power failure undoes is claimed again.
    /// - It takes as long with a million deliveries waiting as with none.
    async fn claim(&self, request: &ClaimRequest) -> Result<Vec<ClaimedLane>, StoreError>;

    /// Takes the ends of claims into account, all of them in one transaction. Answers for each, in order, whether its
    /// claim still held the delivery.
    ///
    /// - Held: the delivery goes on as [`QueuedDelivery::after`](crate::webhooks::QueuedDelivery::after) says, also when the claim's time has passed, as long as
    ///   nobody else has claimed it.
    /// - Not held (claimed by another since, cancelled, or ended): the delivery stays as it is. Its attempt is recorded
    ///   all the same.
    /// - An attempt's record is stored once for its number: a completion that comes again changes nothing.
    /// - Each lane's breaker takes, by [`Breaker::record`] and in the order given, the [reports](ClaimEnd::report) of the
    ///   attempts whose records are stored now, also where the claim no longer held; of parallel calls none is lost.
    ///   When it answers with a reason, the subscription is disabled for it, if it was enabled, with `updated_at` at
    ///   [`ClaimEnd::ended_at`].
    async fn complete(&self, completions: &[Completion]) -> Result<Vec<bool>, StoreError>;

    /// Ends waiting deliveries of closed lanes at `at`, at most `max`, and answers how many: as
    /// [`SubscriptionDisabled`](crate::webhooks::DeliveryEnd::SubscriptionDisabled) or
    /// [`SubscriptionDeleted`](crate::webhooks::DeliveryEnd::SubscriptionDeleted). Those under a claim that still
    /// holds are left for later.
    ///
    /// What closes a lane may end some of its deliveries by itself. The rest is not claimed while the lane is closed,
    /// and ended here; what is left when the subscription is enabled again is delivered.
    async fn end_closed(&self, at: Timestamp, max: u32) -> Result<u32, StoreError>;

    /// Returns when deliveries may have become due since the last return, or for no reason at all. It may never return.
    ///
    /// A hint makes dispatchers faster, and no dispatcher relies on it. It does not fail, and may be dropped and called
    /// again at any time. A store that sends no notifications keeps this default, which never returns.
    async fn hint(&self) {
        pending::<()>().await;
    }
}
