use std::future::poll_fn;
use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use super::allotment::Allotment;
use super::breaker::Admission;
use super::payload_room::PayloadRoom;
use super::queued_delivery::QueuedDelivery;
use crate::ports::{ClaimId, ClaimRequest, ClaimedDelivery, ClaimedLane, HandedOver};
use crate::webhooks::NewEvent;
use crate::{DeliveryId, Timestamp};

/// How long an offer lasts unless a new one replaces it, so that no delivery is claimed for a dispatcher that hangs.
const OFFER_LASTS: Duration = Duration::from_secs(3);

/// The desk at which the dispatcher of a process offers to take deliveries at their publication, and at which the store
/// of that process hands them over. See decision 90.
#[derive(Debug, Default)]
pub struct DirectClaims(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    offer: Option<Offer>,
    handed_over: Vec<HandedOver>,
    /// How many deliveries were taken from offers, and have not reached the dispatcher yet.
    under_way: u32,
    reader: Option<Waker>,
}

#[derive(Debug)]
struct Offer {
    /// The id of the next claim.
    next: ClaimId,
    ends_at: Timestamp,
    /// The length of its claims.
    lasts: Duration,
    allotment: Allotment,
    payload_room: PayloadRoom,
}

impl Offer {
    /// The request without the deliveries `under_way`.
    fn new(request: &ClaimRequest, under_way: u32) -> Self {
        let lanes_max = request.lanes_max.saturating_sub(under_way);
        Self {
            next: request.claim,
            ends_at: request.at.plus(OFFER_LASTS),
            lasts: request.until.since(request.at),
            allotment: Allotment::new(&ClaimRequest { lanes_max, ..request.clone() }),
            payload_room: PayloadRoom::new(request),
        }
    }
}

impl DirectClaims {
    /// See [`DeliveryQueue::offer_claims`](crate::ports::DeliveryQueue::offer_claims).
    pub fn offer(&self, request: Option<&ClaimRequest>) -> u32 {
        let mut state = self.state();
        state.offer = request.map(|request| Offer::new(request, state.under_way));
        state.under_way
    }

    /// See [`DeliveryQueue::handed_over`](crate::ports::DeliveryQueue::handed_over).
    pub async fn handed_over(&self) -> Vec<HandedOver> {
        poll_fn(|context| {
            let mut state = self.state();
            if state.handed_over.is_empty() {
                state.reader = Some(context.waker().clone());
                return Poll::Pending;
            }
            state.under_way -= state.handed_over.iter().map(HandedOver::count).sum::<u32>();
            Poll::Ready(take(&mut state.handed_over))
        })
        .await
    }

    /// Begins a publication at `at`; `None` without an offer of a dispatcher.
    pub fn begin(self: &Arc<Self>, at: Timestamp) -> Option<DirectClaim> {
        let mut state = self.state();
        let offer = state.offer.as_mut().filter(|offer| at < offer.ends_at)?;
        let (claim, until) = (offer.next, at.plus(offer.lasts));
        offer.next = claim.next();
        Some(DirectClaim { desk: Arc::clone(self), until, claimed: Mutex::new(HandedOver::nothing(claim, at)) })
    }

    fn is_admitted(&self, new: &NewEvent, lane: &ClaimedLane) -> bool {
        let mut state = self.state();
        let Some(offer) = state.offer.as_mut() else { return false };
        let is_admitted = offer.allotment.admit(lane.subscription, lane.owner, 1) == 1
            && offer.payload_room.admit(new.event.payload.bytes().len());
        state.under_way += u32::from(is_admitted);
        is_admitted
    }

    fn hand_over(&self, claimed: HandedOver) {
        if claimed.lanes.is_empty() {
            return;
        }
        let mut state = self.state();
        state.handed_over.push(claimed);
        let reader = state.reader.take();
        drop(state);
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The deliveries that one publication claims for the dispatcher. In any case the dispatcher gets each claim that may
/// be stored. If this is dropped without [`DirectClaim::stored`], the claim is marked as uncertain.
#[derive(Debug)]
pub struct DirectClaim {
    desk: Arc<DirectClaims>,
    until: Timestamp,
    claimed: Mutex<HandedOver>,
}

impl DirectClaim {
    /// When the publication began.
    pub fn at(&self) -> Timestamp {
        self.claimed.lock().unwrap_or_else(PoisonError::into_inner).at
    }

    /// The delivery of the event to this lane: under the claim if the dispatcher takes it, otherwise waiting. The lane is
    /// given without deliveries.
    pub fn publish(&mut self, new: &NewEvent, lane: &ClaimedLane) -> QueuedDelivery {
        let waiting = QueuedDelivery::published(new.event.created_at);
        let claimed = self.claimed.get_mut().unwrap_or_else(PoisonError::into_inner);
        let is_free = lane.breaker.admission(claimed.at) == Admission::Free;
        // A claim keeps the rate and the order of a lane.
        let options = &lane.secrets.options;
        let is_free = is_free && options.max_per_second.is_none() && options.order.is_none();
        if !is_free || !self.desk.is_admitted(new, lane) {
            return waiting;
        }
        let queued = waiting.claimed(claimed.claim, self.until);
        let delivery = ClaimedDelivery {
            id: DeliveryId::of(new.event.id, lane.subscription),
            event: new.event.id,
            payload: new.event.payload.clone(),
            attempt: queued.attempts,
            run_attempt: queued.run_attempt(),
            run_started_at: queued.run_started_at,
            sequence: queued.sequence,
            trace: new.trace,
        };
        match claimed.lanes.iter_mut().find(|before| before.subscription == lane.subscription) {
            Some(before) => before.deliveries.push(delivery),
            None => claimed.lanes.push(ClaimedLane { deliveries: vec![delivery], ..lane.clone() }),
        }
        queued
    }

    /// Hands the stored deliveries over.
    pub fn stored(&self) {
        self.hand_over(true);
    }

    fn hand_over(&self, is_stored: bool) {
        let mut claimed = self.claimed.lock().unwrap_or_else(PoisonError::into_inner);
        let lanes = take(&mut claimed.lanes);
        self.desk.hand_over(HandedOver { lanes, is_stored, ..*claimed });
    }
}

impl Drop for DirectClaim {
    fn drop(&mut self) {
        self.hand_over(false);
    }
}
