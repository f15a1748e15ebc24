use std::future::pending;

use async_trait::async_trait;

use crate::ports::{Entropy, StoreError};
use crate::webhooks::{
    Breaker, ClaimEnd, FairShares, OwnerNumber, Payload, SealedSecrets, SubscriptionOutcomes, TargetUrl,
};
use crate::{DeliveryId, EventId, SubscriptionId, Timestamp, TraceContext};

/// Identifies one claim (a fencing token). A dispatcher that has lost its claim cannot end a delivery that another has
/// claimed since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClaimId(i64);

impl ClaimId {
    /// A new random id.
    pub fn mint(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; 8];
        entropy.fill(&mut bytes);
        Self(i64::from_le_bytes(bytes))
    }

    /// The id with this number, which is how stores keep it.
    pub const fn from_number(number: i64) -> Self {
        Self(number)
    }

    /// The number that stores keep.
    pub const fn number(self) -> i64 {
        self.0
    }

    /// The id after this one. Ids are random, so a few that follow each other are as unique as the first.
    #[must_use]
    pub(crate) const fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }
}

/// A dispatcher's request for deliveries, limited to its room.
#[derive(Clone, Debug)]
pub struct ClaimRequest {
    /// The id of this claim.
    pub claim: ClaimId,
    /// The present time.
    pub at: Timestamp,
    /// When the claim ends if the dispatcher does not end it.
    pub until: Timestamp,
    /// The most lanes.
    pub lanes_max: u32,
    /// The most deliveries of each lane that `rooms` does not name.
    pub room: u32,
    /// The most deliveries of each of these lanes; 0 skips the lane.
    pub rooms: Vec<(SubscriptionId, u32)>,
    /// The free places for claimed deliveries, and the places that owners of subscriptions have taken already.
    pub shares: FairShares,
    /// The most bytes of payloads.
    pub payload_bytes_max: u64,
}

/// The claimed deliveries of one lane, and the data to send them.
#[derive(Clone, Debug)]
pub struct ClaimedLane {
    /// The subscription of the lane.
    pub subscription: SubscriptionId,
    /// The owner of the subscription.
    pub owner: OwnerNumber,
    /// The URL of the receiver.
    pub url: TargetUrl,
    /// The signing secrets.
    pub secrets: SealedSecrets,
    /// The breaker of the lane at the time of the claim.
    pub breaker: Breaker,
    /// When the next claim may take deliveries of the lane; `None` without a rate.
    pub rests_until: Option<Timestamp>,
    /// The deliveries, at least one, in the order in which they should be sent.
    pub deliveries: Vec<ClaimedDelivery>,
}

/// A claimed delivery.
#[derive(Clone, Debug)]
pub struct ClaimedDelivery {
    /// Its id.
    pub id: DeliveryId,
    /// Its event's id.
    pub event: EventId,
    /// The body to send.
    pub payload: Payload,
    /// The number of this attempt of the delivery, from 1.
    pub attempt: u32,
    /// The number of this attempt in this run of the schedule, from 1. A retry by hand starts a new run.
    pub run_attempt: u32,
    /// When this run started: the time of the event's publication, or of the last retry by hand.
    pub run_started_at: Timestamp,
    /// Its place in the order of the subscription: see [`QueuedDelivery`](crate::webhooks::QueuedDelivery).
    pub sequence: Option<u64>,
    /// The span that published the event ([`NewEvent::trace`](crate::webhooks::NewEvent::trace)), at every attempt.
    pub trace: Option<TraceContext>,
}

/// Deliveries that a publication has claimed for the dispatcher of its process.
#[derive(Clone, Debug)]
pub struct HandedOver {
    /// The claim.
    pub claim: ClaimId,
    /// When the publication began. The claim lasts as long from then on as the one that was offered.
    pub at: Timestamp,
    /// The deliveries, by lane.
    pub lanes: Vec<ClaimedLane>,
    /// Whether they are certainly stored. Otherwise the commit failed, or had no answer.
    pub is_stored: bool,
}

impl HandedOver {
    pub(crate) const fn nothing(claim: ClaimId, at: Timestamp) -> Self {
        Self { claim, at, lanes: Vec::new(), is_stored: false }
    }

    /// How many deliveries were claimed.
    pub fn count(&self) -> u32 {
        let count = self.lanes.iter().map(|lane| lane.deliveries.len()).sum::<usize>();
        u32::try_from(count).unwrap_or(u32::MAX)
    }
}

/// The end of a claim on one delivery.
#[derive(Clone, Debug)]
pub struct Completion {
    /// The subscription of the lane.
    pub subscription: SubscriptionId,
    /// The delivery.
    pub delivery: DeliveryId,
    /// The claim that ended.
    pub claim: ClaimId,
    /// How the claim ended.
    pub end: ClaimEnd,
}

/// Hands out deliveries that are due, and records how their claims end.
#[async_trait]
pub trait DeliveryQueue: Send + Sync {
    /// Claims deliveries that are due at `request.at`: waiting deliveries whose time has come, and deliveries whose
    /// claim has ended by then. They are [`Sending`](crate::webhooks::DeliveryState::Sending) until `request.until`.
    ///
    /// - **Exclusive.** A delivery is in one claim at a time, under any concurrency.
    /// - **Lane-first.** A claim takes deliveries of at most `lanes_max` lanes, and of each lane at most its room in
    ///   `rooms`, or `room`. Of the lanes that are open, are admitted and have a due delivery, it takes the ones that
    ///   have waited longest for service. A lane without room is skipped and does not count. However many deliveries
    ///   one lane has, other lanes wait no longer.
    /// - **Fair to owners.** In this order, each lane takes at most the [room](FairShares::room) that `shares` has left
    ///   for its owner after the lanes before it. Lanes of an owner without room are skipped and do not count, however
    ///   many they are. [`Allotment`](crate::webhooks::Allotment) counts all these limits. A store may count the room
    ///   of a lane that turns out to have fewer deliveries.
    /// - **Within the memory.** The payloads have at most `payload_bytes_max` bytes together, unless the claim takes
    ///   one event only. An event counts once, or once for each of its deliveries, as suits the store. Deliveries that
    ///   do not fit are not claimed. [`PayloadRoom`](crate::webhooks::PayloadRoom) counts the bytes.
    /// - **In order.** First attempts of a lane leave before retries, and retries before replays (retried by hand, or
    ///   recovered). Each kind leaves by its due time. A delivery whose claim has expired is among the first attempts
    ///   or the retries, as suits the store.
    /// - **One after the other** in a lane with an [order](crate::webhooks::OnExhausted). A publication numbers its deliveries, in
    ///   the order of the commits and without a gap. A claim takes them by their numbers, up to the first that is not due or
    ///   is under a claim, and its answer has them in this order. Replays have no number, and do not wait for the others.
    /// - **Admitted.** [`Breaker::admission`] at `request.at` decides. No delivery of a paused lane is claimed. Of a
    ///   lane that may probe, one delivery is claimed, and none while another claim on the lane has not ended.
    /// - **At its rate.** Of a lane with a [rate](crate::webhooks::DeliveryRate), a claim takes at most `claim_max`
    ///   deliveries, and none while the lane rests: until [`rests_until`](crate::webhooks::DeliveryRate::rests_until) of the time until which it
    ///   rested before, which is written with the claim. Other lanes do not wait for it. Each claim counts, also of a
    ///   retry, and of a delivery that was not sent. A change of the rate holds for the next claim, and for the rest as
    ///   [`rests_after_change`](crate::webhooks::DeliveryRate::rests_after_change) says; without a rate the lane does not rest.
    /// - **Readable.** A delivery ends as [`Unreadable`](crate::webhooks::DeliveryEnd::Unreadable) if the delivery, its
    ///   event or its subscription is damaged. The claim takes all other deliveries. See decision 55.
    /// - The claim counts the attempt, so that a delivery that crashes the process each time ends.
    /// - An empty answer means that no delivery remains. Parallel claims may miss deliveries that the other one leaves.
    /// - A claim need not be durable: if a power failure undoes it, the delivery is claimed again.
    /// - A store that knows that a process has ended may end its claims early.
    /// - Its time does not depend on the number of waiting deliveries.
    async fn claim(&self, request: &ClaimRequest) -> Result<Vec<ClaimedLane>, StoreError>;

    /// Offers to take deliveries of events that this process publishes, or takes the offer back. An offer replaces the
    /// previous one, and ends after three seconds. A store that ignores offers is correct, but slower. See decision 90.
    ///
    /// - A publication claims as `claim` does, at the time of its events, within the limits of the request. `lanes_max`
    ///   is the most deliveries, including deliveries that were claimed under earlier offers and did not come out of
    ///   [`DeliveryQueue::handed_over`] yet. The claim has the length of the request's.
    /// - It claims first attempts of its events only, of open lanes that are freely admitted and have no rate. The dispatcher leaves out
    ///   lanes in which older deliveries may wait.
    /// - The claim and the events are one transaction.
    ///
    /// Returns how many deliveries were claimed under earlier offers and did not come out yet.
    fn offer_claims(&self, _request: Option<&ClaimRequest>) -> u32 {
        0
    }

    /// Returns the claims of publications under the offers of this process, each claim once, not later than the
    /// publication's answer. It may be dropped and called again at any time.
    async fn handed_over(&self) -> Vec<HandedOver> {
        pending().await
    }

    /// Records the ends of claims, all in one transaction. Returns for each, in order, whether its claim still held the
    /// delivery.
    ///
    /// - If the claim held the delivery, the delivery continues by
    ///   [`QueuedDelivery::after`](crate::webhooks::QueuedDelivery::after). A claim whose time has passed still holds
    ///   the delivery until another claim takes it.
    /// - If it did not (another claim has taken the delivery, or it was cancelled or has ended), the delivery does not
    ///   change. The attempt is recorded anyway.
    /// - The record of an attempt is stored once for its number: a repeated completion has no effect.
    /// - Each lane's breaker records ([`Breaker::record`]), in the order of the call, the [reports](ClaimEnd::report)
    ///   of the attempts whose records are stored now, also if the claim no longer held the delivery. Parallel calls
    ///   lose no report. If the breaker returns a reason, an enabled subscription is disabled for this reason, with
    ///   `updated_at` at [`ClaimEnd::ended_at`].
    async fn complete(&self, completions: &[Completion]) -> Result<Vec<bool>, StoreError>;

    /// Ends at most `max` waiting deliveries of closed lanes at `at`, and returns how many. They end as
    /// [`SubscriptionDisabled`](crate::webhooks::DeliveryEnd::SubscriptionDisabled) or
    /// [`SubscriptionDeleted`](crate::webhooks::DeliveryEnd::SubscriptionDeleted). Deliveries under an unexpired claim
    /// are left for later.
    ///
    /// The call that closes a lane may already end some of its deliveries. The others are not claimed while the lane is
    /// closed, and end here. Deliveries that remain when the subscription is enabled again are delivered.
    async fn end_closed(&self, at: Timestamp, max: u32) -> Result<u32, StoreError>;

    /// Adds to the stored counts of each subscription in each hour.
    ///
    /// - Parallel calls lose no count. A call may name a subscription and an hour several times. Callers pass at most
    ///   20,000 entries.
    /// - The counts need not be durable: a power failure may undo the call. If the call fails and its effect is unknown,
    ///   callers add the counts again.
    /// - Subscriptions need not be stored.
    async fn add_outcomes(&self, outcomes: &[SubscriptionOutcomes]) -> Result<(), StoreError>;

    /// Returns when deliveries may have become due since the last return, or without a reason. It may never return.
    ///
    /// A hint makes dispatchers faster, and no dispatcher relies on it. It does not fail, and may be dropped and called
    /// again at any time. A store that sends no notifications keeps this default, which never returns.
    async fn hint(&self) {
        pending::<()>().await;
    }
}
