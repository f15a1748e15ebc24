use std::sync::Arc;
use std::time::Duration;

use domain::SubscriptionId;
use domain::ports::{BoxError, ClaimId, ClaimRequest, ClaimedLane, StoreError};
use domain::webhooks::{FairShares, OwnerNumber, UnsealError};
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout};

use crate::lane::{Lane, StartBy, Target, Waiting};
use crate::lanes::{many_of, may_have_left_payloads};
use crate::state::{LastClaim, Run};
use crate::{POLL_INTERVAL, STORE_TIMEOUT, UNSENT_MAX};

/// The shortest time between two claims. Under load, a later claim finds more deliveries at once.
pub(crate) const CLAIM_SPACING: Duration = Duration::from_millis(1);
/// The shortest time between two claims while there is little room: a claim of one delivery costs the store about as much
/// as a claim of many.
const CLAIM_SPACING_WHEN_SHORT: Duration = Duration::from_millis(10);
/// A claim that finds at most this many deliveries is about as late as the events come, so the next event is claimed at
/// once. Above, waiting makes claims fewer and larger.
const FOUND_FEW: usize = 4;
/// The dispatcher does not claim while this many results are not stored yet.
const UNWRITTEN_MAX: usize = 1_024;

/// How deliveries were claimed.
#[derive(Clone, Copy)]
pub(crate) struct Taken {
    pub(crate) claim: ClaimId,
    pub(crate) start_by: StartBy,
    /// Whether the claim is known to be stored.
    pub(crate) is_stored: bool,
}

impl Run<'_> {
    /// When the next claim may begin; `None` while it does not wait for a time.
    pub(crate) fn claim_due_at(&self) -> Option<Instant> {
        let is_idle = self.claiming.under_way.is_none() && self.stopping.is_none();
        let may_claim = self.claiming.is_wanted && is_idle && self.can_write() && self.lanes.budget() > 0;
        (may_claim && self.dispatcher.clock.is_certain()).then_some(self.claiming.due_at())
    }

    /// Whether the results of attempts are stored as they come.
    pub(crate) fn can_write(&self) -> bool {
        !self.write_outage.is_failing() && self.completions.len() < UNWRITTEN_MAX
    }

    pub(crate) fn begin_claim_if_wanted(&mut self, now: Instant) {
        if self.claim_due_at().is_some_and(|due_at| due_at <= now) {
            self.begin_claim(now);
        }
    }

    fn begin_claim(&mut self, now: Instant) {
        let dispatcher = self.dispatcher;
        let (at, shares) = (dispatcher.clock.now(), self.lanes.shares());
        let room = self.lanes.claim_begins(&shares, now, at);
        let request = ClaimRequest {
            claim: ClaimId::mint(&*dispatcher.entropy),
            at,
            until: at.plus(dispatcher.settings.lease()),
            lanes_max: room.lanes_max,
            room: room.room,
            rooms: room.rooms,
            shares: shares.clone(),
            payload_bytes_max: self.lanes.payload_bytes_left(),
        };
        let claiming = &mut self.claiming;
        (claiming.is_wanted, claiming.is_hinted, claiming.began) = (false, false, now);
        (claiming.last, claiming.not_before) = if is_short(&shares, dispatcher.settings.claimed_max()) {
            (LastClaim::HadLittleRoom, now + CLAIM_SPACING_WHEN_SHORT)
        } else {
            (LastClaim::Other, now + CLAIM_SPACING)
        };
        (claiming.claim, claiming.shares) = (request.claim, shares);
        (claiming.lanes_max, claiming.payload_bytes_max) = (room.lanes_max as usize, request.payload_bytes_max);
        claiming.start_by = StartBy::within(dispatcher.settings.startable_for(), now, at);
        claiming.under_way =
            Some(Box::pin(async move { flatten(timeout(STORE_TIMEOUT, dispatcher.queue.claim(&request)).await) }));
    }

    /// Takes the answer of the queue.
    pub(crate) fn claimed(&mut self, answer: Result<Vec<ClaimedLane>, StoreError>) {
        let lanes = match answer {
            Ok(lanes) => lanes,
            Err(error) => {
                self.claiming.not_before = Instant::now() + self.claiming.outage.failed(&error);
                self.claiming.is_wanted = true;
                return;
            }
        };
        self.claiming.outage.worked();
        let found = lanes.iter().map(|lane| lane.deliveries.len()).sum::<usize>();
        if self.claiming.last == LastClaim::Other && found <= FOUND_FEW {
            self.claiming.last = LastClaim::FoundFew;
        }
        let (now, at) = (Instant::now(), self.dispatcher.clock.now());
        let start_by = self.claiming.start_by.min(StartBy::within(UNSENT_MAX, now, at));
        let taken = Taken { claim: self.claiming.claim, start_by, is_stored: true };
        let latest_at_rate = self.claiming.answered(now);
        let has_left_some =
            lanes.len() >= self.claiming.lanes_max || may_have_left_payloads(self.claiming.payload_bytes_max, &lanes);
        if has_left_some {
            self.claiming.is_wanted = true;
        } else {
            self.lanes.claim_ended(&self.claiming.shares, &lanes);
        }
        self.offering.claim_ended(has_left_some);
        for lane in lanes {
            let (known, mut taken) = (self.lanes.known(lane.subscription, lane.owner), taken);
            known.has_rate = lane.rests_until.is_some();
            known.claim_found(lane.deliveries.len());
            if let Some(until) = lane.rests_until {
                taken.start_by.instant = taken.start_by.instant.min(latest_at_rate);
                self.claiming.want_after_rest(now + until.since(at));
            }
            self.take_in(lane, taken);
        }
        self.start_ready();
    }

    /// Takes the claimed deliveries of a lane: queues them for sending, or gives them back if the lane must wait.
    pub(crate) fn take_in(&mut self, claimed: ClaimedLane, Taken { claim, start_by, is_stored }: Taken) {
        let ClaimedLane { subscription, owner, url, secrets, breaker, rests_until: _, deliveries } = claimed;
        let at = self.dispatcher.clock.now();
        self.lanes.known(subscription, owner).order = secrets.options.order;
        let opened = self.secrets.open(&self.dispatcher.keys, subscription, secrets, at);
        let lane = self.lanes.known(subscription, owner);
        let may_deliver = lane.adopt(breaker, at);
        // In an order, nothing leaves before the results of these.
        self.claiming.is_wanted |= lane.order.is_none() && lane.wants_more(at);
        if let Err(error) = &opened {
            cannot_open(lane, subscription, *error);
        }
        let refused_for = match &opened {
            // Another process may have the key: this one holds the lane longer, and leaves the deliveries to others.
            Err(_) => Some(POLL_INTERVAL),
            Ok(_) if self.stopping.is_some() || !is_stored => Some(Duration::ZERO),
            Ok(_) if start_by.is_over(Instant::now(), at) => Some(Duration::ZERO),
            Ok(_) if !may_deliver => Some(POLL_INTERVAL),
            Ok(_) => None,
        };
        match (opened, refused_for) {
            (Ok(secrets), None) => {
                let host = Arc::from(url.url().host_str().unwrap_or_default());
                let target = Arc::new(Target { url, host, secrets });
                for delivery in deliveries {
                    self.lanes.admit(subscription, Waiting { delivery, target: Arc::clone(&target), claim, start_by });
                }
            }
            (_, wait) => {
                let at = at.plus(wait.unwrap_or_default());
                for delivery in &deliveries {
                    self.give_back(subscription, claim, delivery, at);
                }
            }
        }
    }
}

/// Whether few places are free, or an owner may take only few more: an owner that is alone never takes the last quarter.
fn is_short(shares: &FairShares, places: u32) -> bool {
    let has_little_room = |(owner, taken): (&OwnerNumber, &u32)| shares.room(*owner) < many_of(*taken);
    shares.free() < many_of(places) || shares.taken().iter().any(has_little_room)
}

/// Holds the lane, because this process cannot open its secret. Logs the first time only.
fn cannot_open(lane: &mut Lane, subscription: SubscriptionId, error: UnsealError) {
    lane.fault(Instant::now());
    if lane.is_first_fault() {
        let error: &dyn std::error::Error = &error;
        tracing::error!(%subscription, error, "cannot open the signing secret of a subscription, this instance leaves its deliveries to others: is ENCRYPTION_KEY complete?");
    }
}

/// A call that times out is unavailable, like a call that fails.
pub(crate) fn flatten<T>(answer: Result<Result<T, StoreError>, Elapsed>) -> Result<T, StoreError> {
    answer.unwrap_or_else(|_| Err(StoreError::Unavailable(BoxError::from("the store did not answer in time"))))
}
