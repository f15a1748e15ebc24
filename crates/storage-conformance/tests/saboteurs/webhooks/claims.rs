use std::time::Duration;

use domain::ports::{ClaimRequest, ClaimedLane, Completion, DeliveryQueue, RetryRequest};
use domain::webhooks::{
    Admission, ClaimEnd, DeliveryFilter, DeliveryStateKind, FairShares, SealedOptions, SealedOptionsChange,
    Subscription, SubscriptionChange,
};
use domain::{Patch, Timestamp};

use super::fault::Fault;
use super::store::{Saboteur, whole_second};

const MILLISECOND: Duration = Duration::from_millis(1);

/// Requests of claims and their effects, wrong for some faults.
impl Saboteur {
    pub(crate) async fn asked(&self, request: &ClaimRequest) -> ClaimRequest {
        let mut asked = request.clone();
        match self.fault {
            Fault::ClaimsEarly => asked.at = request.at.plus(MILLISECOND),
            Fault::LeaseEndsLate => asked.until = request.until.plus(MILLISECOND),
            Fault::LosesMilliseconds => asked.until = whole_second(request.until),
            Fault::IgnoresRooms => asked.rooms.clear(),
            Fault::RoundsRooms => asked.rooms.iter_mut().for_each(|(_, room)| *room = room.next_multiple_of(8)),
            Fault::RoomlessTakePlaces => asked.rooms.iter_mut().for_each(|(_, room)| *room = (*room).max(1)),
            Fault::IgnoresShares | Fault::FullOwnersTakePlaces => asked.shares = FairShares::new(u32::MAX),
            Fault::IgnoresPayloads => asked.payload_bytes_max = u64::MAX,
            Fault::RoundsPayloads => asked.payload_bytes_max = asked.payload_bytes_max.next_power_of_two(),
            Fault::ForgetsWhatIsTaken => asked.shares = FairShares::new(request.shares.free()),
            Fault::GlobalOldestFirst => (asked.lanes_max, asked.room) = (u32::MAX, u32::MAX),
            Fault::PausedTakePlaces => asked.lanes_max = asked.lanes_max.saturating_sub(self.paused(request.at).await),
            Fault::KeepsPauses => {
                let memo = self.memo();
                asked
                    .rooms
                    .extend(memo.pauses.iter().filter(|(_, until)| request.at < **until).map(|(id, _)| (*id, 0)));
            }
            Fault::KeepsRests => {
                let memo = self.memo();
                asked.rooms.extend(memo.rests.iter().filter(|(_, until)| request.at < **until).map(|(id, _)| (*id, 0)));
            }
            Fault::LosesAWake => asked.rooms.extend(self.memo().asleep.iter().map(|id| (*id, 0))),
            _ => {}
        }
        asked
    }

    pub(crate) async fn paused(&self, at: Timestamp) -> u32 {
        let mut paused = 0;
        for (id, _) in self.known() {
            let breaker = self.stored(id).await.map(|(_, health)| health.breaker).unwrap_or_default();
            paused += u32::from(matches!(breaker.admission(at), Admission::Paused(_)));
        }
        paused
    }

    /// Closes the breakers of lanes that should probe.
    pub(crate) async fn forget_probes(&self, at: Timestamp) {
        for (id, owner) in self.known() {
            let breaker = self.stored(id).await.map(|(_, health)| health.breaker).unwrap_or_default();
            if breaker.admission(at) == Admission::Probe {
                self.recover_all(owner, id, RetryRequest { at, published_since: Timestamp::MAX }, 0).await;
            }
        }
    }

    /// Removes the rates or the orders of all subscriptions, if that is the fault.
    pub(crate) async fn ignore_options(&self) {
        if !self.is(Fault::IgnoresRates) && !self.is(Fault::IgnoresOrders) {
            return;
        }
        for (id, _) in self.known() {
            let Some((Subscription { options, .. }, _)) = self.stored(id).await else { continue };
            let without = match self.fault {
                Fault::IgnoresRates => SealedOptions { max_per_second: None, ..options.clone() },
                _ => SealedOptions { order: None, ..options.clone() },
            };
            if without != options {
                self.put_options(id, without).await;
            }
        }
    }

    /// Ends the rests of these lanes.
    pub(crate) async fn forget_rests(&self, lanes: &[ClaimedLane], at: Timestamp) {
        for lane in lanes {
            let Some(rate) = lane.secrets.options.max_per_second else { continue };
            for max_per_second in [Patch::Reset, Patch::Set(rate)] {
                let options = SealedOptionsChange { max_per_second, ..SealedOptionsChange::default() };
                let change = SubscriptionChange { options, ..SubscriptionChange::default() };
                self.put_change(lane.subscription, change, at).await;
            }
        }
    }

    /// Gives back claimed deliveries that are beyond the oldest ones, or without room.
    pub(crate) async fn give_back_some(&self, request: &ClaimRequest, lanes: Vec<ClaimedLane>) -> Vec<ClaimedLane> {
        let mut all: Vec<_> =
            lanes.iter().flat_map(|lane| lane.deliveries.iter().map(move |one| (lane, one))).collect();
        all.sort_by_key(|(_, one)| one.run_started_at);
        let budget = (request.lanes_max * request.room) as usize;
        let is_kept = |index: usize, lane: &ClaimedLane| match self.fault {
            Fault::GlobalOldestFirst => index < budget,
            Fault::FullOwnersTakePlaces => request.shares.room(lane.owner) as usize > index,
            _ => !request.rooms.contains(&(lane.subscription, 0)),
        };
        let split = all.iter().enumerate().map(|(index, (lane, one))| (is_kept(index, lane), lane, one));
        let (kept, back): (Vec<_>, Vec<_>) = split.partition(|(is_kept, ..)| *is_kept);
        let back = back.into_iter().map(|(_, lane, one)| Completion {
            subscription: lane.subscription,
            delivery: one.id,
            claim: request.claim,
            end: ClaimEnd::GivenBack { at: request.at, due_at: one.run_started_at },
        });
        self.inner.complete(&back.collect::<Vec<_>>()).await.expect("never fails");
        kept.into_iter()
            .map(|(_, lane, one)| ClaimedLane { deliveries: vec![(*one).clone()], ..(*lane).clone() })
            .collect()
    }

    /// Puts lanes to sleep that had no waiting delivery a moment ago.
    pub(crate) async fn fall_asleep(&self, lanes: &[ClaimedLane]) {
        let mut empty = Vec::new();
        for lane in lanes {
            let filter = DeliveryFilter {
                subscription: Some(lane.subscription),
                state: Some(DeliveryStateKind::Waiting),
                ..DeliveryFilter::default()
            };
            let Some(owner) = self.memo().owners.get(&lane.subscription).cloned() else { continue };
            if self.deliveries_of(&owner, filter).await.is_empty() {
                empty.push(lane.subscription);
            }
        }
        self.gap().await;
        self.memo().asleep.extend(empty);
    }

    /// Keeps only deliveries that became due since a claim was empty.
    pub(crate) fn overlook_late(&self, request: &ClaimRequest, lanes: &mut Vec<ClaimedLane>) {
        let looked_until = self.memo().looked_until;
        for lane in lanes.iter_mut() {
            lane.deliveries.retain(|one| Some(one.run_started_at) >= looked_until);
        }
        lanes.retain(|lane| !lane.deliveries.is_empty());
        if lanes.is_empty() {
            self.memo().looked_until = Some(request.at);
        }
    }

    pub(crate) fn note_claims(&self, request: &ClaimRequest, lanes: &[ClaimedLane]) {
        let mut memo = self.memo();
        for one in lanes.iter().flat_map(|lane| &lane.deliveries) {
            memo.claims.insert(one.id, (request.claim, request.until));
        }
        memo.rests.extend(lanes.iter().filter_map(|lane| Some((lane.subscription, lane.rests_until?))));
        if !lanes.is_empty() {
            memo.last_claim = lanes.to_vec();
        }
    }
}
