use domain::ports::{ClaimId, ClaimRequest, DeliveryQueue, HandedOver};
use tokio::time::Instant;

use crate::UNSENT_MAX;
use crate::claiming::Taken;
use crate::lane::StartBy;
use crate::lane_cap::CAP_START;
use crate::lanes::OFFERED_PART;
use crate::state::Run;

/// An offer to the queue: while there is room, and no older delivery waits, a publication of this process claims its
/// deliveries itself. See decision 90.
pub(crate) struct Offering<'a> {
    queue: &'a dyn DeliveryQueue,
    is_out: bool,
    /// A new offer would have other limits.
    is_wanted: bool,
    /// The last claim may have left due deliveries of lanes that this process does not know.
    has_left_some: bool,
}

impl<'a> Offering<'a> {
    pub(crate) fn new(queue: &'a dyn DeliveryQueue) -> Self {
        Self { queue, is_out: false, is_wanted: false, has_left_some: true }
    }

    pub(crate) fn want(&mut self) {
        self.is_wanted = true;
    }

    /// Notes whether the claim may have left due deliveries.
    pub(crate) fn claim_ended(&mut self, has_left_some: bool) {
        (self.is_wanted, self.has_left_some) = (true, has_left_some);
    }

    /// Makes the offer, or takes it back. Returns how many places it has, or had.
    fn put(&mut self, request: Option<&ClaimRequest>) -> u32 {
        let under_way = self.queue.offer_claims(request);
        (self.is_out, self.is_wanted) = (request.is_some(), false);
        request.map_or(under_way, |request| request.lanes_max)
    }
}

/// Ends the offer of a run that is over.
impl Drop for Offering<'_> {
    fn drop(&mut self) {
        if self.is_out {
            self.put(None);
        }
    }
}

impl Run<'_> {
    /// Makes a new offer when the room has changed. Withdraws the offer when no delivery can be taken.
    pub(crate) fn offer_if_wanted(&mut self) {
        let may_offer = self.stopping.is_none()
            && self.can_write()
            && !self.claiming.outage.is_failing()
            && !self.offering.has_left_some
            && self.dispatcher.clock.is_certain();
        if self.offering.is_out && !may_offer {
            self.lanes.offered = self.offering.put(None);
        } else if self.offering.is_wanted && may_offer {
            let request = self.offer();
            self.lanes.offered = self.offering.put(request.as_ref());
        }
    }

    fn offer(&self) -> Option<ClaimRequest> {
        let dispatcher = self.dispatcher;
        let (at, places) = (dispatcher.clock.now(), dispatcher.settings.claimed_max() / OFFERED_PART);
        let room = self.lanes.room_for_published(places, at)?;
        Some(ClaimRequest {
            claim: ClaimId::mint(&*dispatcher.entropy),
            at,
            until: at.plus(dispatcher.settings.lease()),
            lanes_max: places,
            room: CAP_START,
            rooms: room.rooms,
            shares: room.shares,
            payload_bytes_max: room.payload_bytes,
        })
    }

    /// Takes the deliveries that publications have claimed. If it is unknown whether a claim is stored, gives its
    /// deliveries back.
    pub(crate) fn handed_over(&mut self, claims: Vec<HandedOver>) {
        let (now, at) = (Instant::now(), self.dispatcher.clock.now());
        let soon = StartBy::within(UNSENT_MAX, now, at);
        for HandedOver { claim, at: claimed_at, lanes, is_stored } in claims {
            let startable_for = self.dispatcher.settings.startable_for().saturating_sub(at.since(claimed_at));
            let start_by = StartBy::within(startable_for, now, at).min(soon);
            for lane in lanes {
                self.lanes.offer_taken(u32::try_from(lane.deliveries.len()).unwrap_or(u32::MAX));
                self.take_in(lane, Taken { claim, start_by, is_stored });
            }
        }
        self.offering.want();
        self.start_ready();
    }
}
