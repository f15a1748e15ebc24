//! The storage ports of webhooks. What [`crate::ports`] says of all storage ports holds here, too.
//!
//! The four are one store: subscriptions, accepted events, the queue and the log live in one database, so that an
//! accepted event and its deliveries are one transaction. Each subscription has a **lane**, the queue of its
//! deliveries, with a [`Breaker`]. A lane is open while its subscription is enabled.

use async_trait::async_trait;

use super::{
    AttemptRecord, Breaker, Delivery, DeliveryEnd, DeliveryFilter, DeliveryHistory, Event, NewEvent, Payload,
    SealedSecret, SealedSecrets, Subscription, SubscriptionChange, SubscriptionHealth, TargetUrl, Verdict,
};
use crate::ports::{Entropy, StoreError};
use crate::{DeliveryId, EventId, SubscriptionId, Timestamp, UserId};

/// What became of a subscription's insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubscriptionInsertion {
    /// Stored.
    Stored,
    /// Not stored: the owner has as many as allowed.
    LimitReached,
}

/// Stores subscriptions. One that is deleted is found by none of these methods.
#[async_trait]
pub trait SubscriptionStore: Send + Sync {
    /// Stores `subscription` as it is given, with its secret and an empty lane, unless its owner has `max` already.
    ///
    /// - Exact under any concurrency, from any number of processes.
    /// - Disabled ones count, deleted ones do not. An id that is stored already is [`StoreError::Duplicate`].
    async fn insert_within(
        &self,
        subscription: &Subscription,
        secret: &SealedSecret,
        max: u32,
    ) -> Result<SubscriptionInsertion, StoreError>;

    /// The owner's subscriptions with ids below `before`, the newest first, at most `max`.
    async fn list(
        &self,
        owner: &UserId,
        before: Option<SubscriptionId>,
        max: u32,
    ) -> Result<Vec<Subscription>, StoreError>;

    /// The owner's subscription and how it fares; `None` when there is none, or it is another user's.
    async fn find(
        &self,
        owner: &UserId,
        id: SubscriptionId,
    ) -> Result<Option<(Subscription, SubscriptionHealth)>, StoreError>;

    /// Changes the owner's subscription as [`SubscriptionChange::applied_to`] says, and answers with it as it is then;
    /// `None` when there is none, or it is another user's.
    ///
    /// - Of parallel changes none is lost.
    /// - Enabling what was disabled opens the lane with a [`Breaker`] as new. Disabling closes it: see
    ///   [`DeliveryQueue::end_closed`].
    async fn update(
        &self,
        owner: &UserId,
        id: SubscriptionId,
        change: &SubscriptionChange,
        at: Timestamp,
    ) -> Result<Option<Subscription>, StoreError>;

    /// Makes `secret` the current one; the one before signs until `previous_until`, and a third is forgotten. Sets
    /// `updated_at`. `None` when there is no such subscription, or it is another user's.
    async fn rotate_secret(
        &self,
        owner: &UserId,
        id: SubscriptionId,
        secret: &SealedSecret,
        previous_until: Timestamp,
        at: Timestamp,
    ) -> Result<Option<Subscription>, StoreError>;

    /// Deletes the owner's subscription; `false` when there is none, or it is another user's. Its secrets are gone at
    /// once, its lane is closed, and its deliveries stay in the log until they are purged.
    async fn delete(&self, owner: &UserId, id: SubscriptionId, at: Timestamp) -> Result<bool, StoreError>;

    /// The stored secrets of all owners' subscriptions with ids above `after`, in order, at most `max`: for sealing
    /// them again under another key.
    async fn list_secrets(
        &self,
        after: Option<SubscriptionId>,
        max: u32,
    ) -> Result<Vec<(SubscriptionId, SealedSecrets)>, StoreError>;

    /// Puts `to` in the place of `from`, if that is still what is stored, and answers whether it was.
    async fn replace_secrets(
        &self,
        id: SubscriptionId,
        from: &SealedSecrets,
        to: &SealedSecrets,
    ) -> Result<bool, StoreError>;
}

/// What became of a publication of several events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Publication {
    /// All are accepted, in the order given.
    Accepted(Vec<Accepted>),
    /// None is: the owner of the event at this index, from 0, has published another event under its
    /// [`PublisherId`](super::PublisherId).
    Conflict {
        /// Which event.
        index: usize,
    },
}

/// An accepted event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The event; of a repetition, the one that was published first.
    pub event: Event,
    /// How many deliveries it was fanned out to, when it was published first.
    pub deliveries: u32,
    /// Whether it had been published before, so that nothing happened now.
    pub is_duplicate: bool,
}

/// Accepts events.
#[async_trait]
pub trait EventStore: Send + Sync {
    /// Stores the events and, for each, a delivery to each of the owner's enabled subscriptions that match its type at
    /// that instant (or to [`NewEvent::only`], if that is enabled), due at the event's `created_at`.
    ///
    /// - All or nothing, in one transaction: once it has answered, nothing but a delivery's end ends it.
    /// - Matching is [`SubscribedEvents::matches`](super::SubscribedEvents::matches); a delivery's id is
    ///   [`DeliveryId::of`], so that no subscription has two deliveries of one event.
    /// - An event whose owner has published under the same [`PublicationKey`](super::PublicationKey) is not stored
    ///   again: with the same content it is a duplicate, with other content a [`Publication::Conflict`]. Exact under
    ///   any concurrency, and within one call. A key is known as long as its event is.
    /// - A subscription that is disabled, deleted or changed meanwhile is so wholly before or wholly after.
    /// - An [`EventId`] that is stored already, other than for a repetition, is [`StoreError::Duplicate`].
    /// - Callers pass at most [`PUBLISHED_EVENTS_MAX`] events.
    async fn publish(&self, events: &[NewEvent]) -> Result<Publication, StoreError>;
}

/// The most events in one publication.
pub const PUBLISHED_EVENTS_MAX: usize = 500;

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

/// How a claimed delivery goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// It is over.
    End(DeliveryEnd),
    /// It is to be attempted again, then.
    Retry(Timestamp),
    /// There was no attempt, so none is counted; it is to be claimed again, then.
    GiveBack(Timestamp),
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
    /// The attempt; `None` when there was none.
    pub attempt: Option<AttemptRecord>,
    /// What the attempt means for the lane.
    pub verdict: Verdict,
    /// When it ended.
    pub ended_at: Timestamp,
    /// How the delivery goes on.
    pub next: NextStep,
}

/// Hands out what is due, and takes back what came of it.
#[async_trait]
pub trait DeliveryQueue: Send + Sync {
    /// Claims due deliveries: waiting ones whose time has come at `request.at`, and those whose claim has ended by
    /// then. They are [`Sending`](super::DeliveryState::Sending) until `request.until`.
    ///
    /// - **Exclusive.** A delivery is in one claim at a time, whatever runs in parallel.
    /// - **Lane-first.** Of all lanes that are open, have something due and are admitted, those that have waited for
    ///   service longest come first, at most `lanes_max`, and of each at most [`ClaimRequest::room_of`] deliveries. A lane
    ///   without room is passed over, and counts for nothing.
    ///   However many deliveries one lane has, its neighbours wait no longer for it.
    /// - **In order.** Of a lane first attempts leave before retries, and those before replays (retried by hand, or
    ///   recovered); each kind by its due time. One whose claim has run out is among the first attempts
    ///   or the retries, as suits the store.
    /// - **Admitted** is what [`Breaker::admission`] says at `request.at`: of a paused lane nothing is claimed, and of
    ///   one that may probe, one delivery, and none while another claim on the lane is out.
    /// - The attempt is counted here, so that deliveries at which the process dies come to an end.
    /// - An empty answer means that nothing could be claimed, unless claims run in parallel: they may pass each other by.
    /// - A claim need not be durable: one that a power failure undoes is claimed again.
    /// - It takes as long with a million deliveries waiting as with none.
    async fn claim(&self, request: &ClaimRequest) -> Result<Vec<ClaimedLane>, StoreError>;

    /// Takes the ends of claims into account, all of them in one transaction. Answers for each, in order, whether its
    /// claim still held the delivery.
    ///
    /// - Held: the delivery goes on as [`Completion::next`] says, also when the claim's time has passed, as long as
    ///   nobody else has claimed it.
    /// - Not held (claimed by another since, cancelled, or ended): the delivery stays as it is. Its attempt is recorded
    ///   all the same.
    /// - An attempt's record is stored once for its number: a completion that comes again changes nothing.
    /// - Without a record, [`NextStep::Retry`] and [`NextStep::End`] leave the attempt counted (it was begun, and cut off);
    ///   [`NextStep::GiveBack`] takes the count back, and the place among first attempts with it.
    /// - Each lane's breaker takes, by [`Breaker::record`] and in the order given, the reports of the attempts whose
    ///   records are stored now, also where the claim no longer held; of parallel calls none is lost. When it answers with a reason, the subscription is disabled for it, if it was enabled, with `updated_at`
    ///   at `ended_at`.
    async fn complete(&self, completions: &[Completion]) -> Result<Vec<bool>, StoreError>;

    /// Ends waiting deliveries of closed lanes at `at`, at most `max`, and answers how many: as
    /// [`DeliveryEnd::SubscriptionDisabled`] or [`DeliveryEnd::SubscriptionDeleted`]. Those under a claim that still
    /// holds are left for later.
    ///
    /// What closes a lane may end some of its deliveries by itself. The rest is not claimed while the lane is closed, and
    /// ended here; what is left when the subscription is enabled again is delivered.
    async fn end_closed(&self, at: Timestamp, max: u32) -> Result<u32, StoreError>;

    /// Returns when deliveries may have become due since the last return, or for no reason at all; perhaps never.
    ///
    /// A hint: it makes dispatchers faster, and none relies on it. It does not fail, and may be dropped and called
    /// again at any time.
    async fn hint(&self);
}

/// Some of the deliveries that were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryPage {
    /// The deliveries, the newest first.
    pub deliveries: Vec<Delivery>,
    /// Where to go on; `None` when there are no more. A page may be short, even empty, and yet not be the last: a search
    /// for what is rare stops after reading a while.
    pub next: Option<DeliveryId>,
}

/// What a retry by hand needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryRequest {
    /// Now, when the delivery becomes due and a new run of its schedule starts.
    pub at: Timestamp,
    /// Events that were published earlier are not delivered again: they may be purged before the run ends.
    pub published_since: Timestamp,
}

/// What became of a retry by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RetryByHand {
    /// It is due now. What is being sent goes on as it is.
    Due(Delivery),
    /// There is none, or it is another user's.
    NotFound,
    /// Its subscription is disabled or deleted; nothing changed.
    LaneClosed,
    /// Its event was published too long ago; nothing changed.
    TooOld,
}

/// Names an attempt in the order in which attempts end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttemptCursor {
    /// When it ended.
    pub ended_at: Timestamp,
    /// Of which delivery.
    pub delivery: DeliveryId,
    /// Which attempt of it.
    pub number: u32,
}

/// An attempt and what it was an attempt at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedAttempt {
    /// To which subscription.
    pub subscription: SubscriptionId,
    /// Of which delivery.
    pub delivery: DeliveryId,
    /// Of which event.
    pub event: EventId,
    /// The attempt, its answer's excerpt left out.
    pub attempt: AttemptRecord,
}

/// Shows deliveries to their owners, and takes their orders.
#[async_trait]
pub trait DeliveryLog: Send + Sync {
    /// The owner's deliveries with ids below `before` that pass the filter, the newest first, at most `max`; also
    /// those to subscriptions that were deleted.
    async fn list(
        &self,
        owner: &UserId,
        filter: &DeliveryFilter,
        before: Option<DeliveryId>,
        max: u32,
    ) -> Result<DeliveryPage, StoreError>;

    /// All about one of the owner's deliveries; `None` when there is none, or it is another user's.
    async fn find(&self, owner: &UserId, id: DeliveryId) -> Result<Option<DeliveryHistory>, StoreError>;

    /// Makes a waiting or ended delivery due now, as the start of a new run of its schedule. Attempts go on counting. One
    /// whose claim has run out is waiting. A closed lane is told before an event that is too old.
    async fn retry(&self, owner: &UserId, id: DeliveryId, request: RetryRequest) -> Result<RetryByHand, StoreError>;

    /// Ends a waiting delivery, or one that is being sent, as [`DeliveryEnd::Cancelled`]; one that has ended stays as it
    /// is. `None` when there is none, or it is another user's.
    async fn cancel(&self, owner: &UserId, id: DeliveryId, at: Timestamp) -> Result<Option<Delivery>, StoreError>;

    /// Enables the subscription like [`SubscriptionStore::update`], with a [`Breaker`] as new in any case, and brings
    /// back at most `max` of its deliveries as [`DeliveryLog::retry`] would, the oldest first: of the events published
    /// since `request.published_since`, those that ended as failed
    /// ([`DeliveryStateKind::Failed`](super::DeliveryStateKind::Failed)) or wait for a retry after `request.at`. Answers
    /// how many; fewer than `max` mean that there are no more. `None` when there is no such subscription, or it is
    /// another user's.
    async fn recover(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
    ) -> Result<Option<u32>, StoreError>;

    /// Attempts at the owner's deliveries, or of one subscription's, that come after `after`, in order, at most `max`.
    /// One that is being stored may appear later, before others that are already there.
    async fn attempts_after(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        after: AttemptCursor,
        max: u32,
    ) -> Result<Vec<LoggedAttempt>, StoreError>;

    /// Forgets what was published before `before`: ended deliveries, their attempts, events and their publication keys,
    /// and deleted subscriptions without deliveries. At most about `max` rows; answers how many, 0 when nothing is left.
    ///
    /// Deliveries that have not ended stay, with their attempts; callers keep `before` so far back that there are none.
    async fn purge_history(&self, before: Timestamp, max: u32) -> Result<u32, StoreError>;
}
