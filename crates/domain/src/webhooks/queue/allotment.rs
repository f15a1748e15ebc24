use std::collections::HashMap;

use super::fair_shares::FairShares;
use super::owner_number::OwnerNumber;
use crate::SubscriptionId;
use crate::ports::ClaimRequest;

/// The limits of one claim, and the count of its deliveries. The claim visits one lane after the other. Publications
/// come with one delivery after the other, and to a lane again and again.
#[derive(Clone, Debug)]
pub struct Allotment {
    lanes_left: u32,
    room: u32,
    rooms: HashMap<SubscriptionId, u32>,
    shares: FairShares,
}

impl Allotment {
    /// The limits of this request.
    pub fn new(request: &ClaimRequest) -> Self {
        Self {
            lanes_left: request.lanes_max,
            room: request.room,
            rooms: request.rooms.iter().copied().collect(),
            shares: request.shares.clone(),
        }
    }

    /// How many more lanes the claim may take deliveries of; 0 without free places.
    pub fn lanes_left(&self) -> u32 {
        if self.shares.free() == 0 { 0 } else { self.lanes_left }
    }

    /// How many deliveries of this lane to claim, at most `wanted`. 0 passes over the lane, which then does not count.
    pub fn admit(&mut self, lane: SubscriptionId, owner: OwnerNumber, wanted: u32) -> u32 {
        let room = self.rooms.get(&lane).copied().unwrap_or(self.room);
        let room = room.min(wanted).min(self.shares.room(owner));
        if self.lanes_left == 0 || room == 0 {
            return 0;
        }
        self.lanes_left -= 1;
        self.shares.take(owner, room);
        *self.rooms.entry(lane).or_insert(self.room) -= room;
        room
    }

    /// The lanes that have no room, even if their owners have.
    pub fn full_lanes(&self) -> impl Iterator<Item = SubscriptionId> {
        self.rooms.iter().filter(|(_, room)| **room == 0).map(|(lane, _)| *lane)
    }

    /// The owners of lanes that have no more room.
    pub fn full_owners(&self) -> impl Iterator<Item = OwnerNumber> {
        self.shares.full()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timestamp;
    use crate::ports::ClaimId;

    fn request(lanes_max: u32, shares: FairShares, rooms: Vec<(SubscriptionId, u32)>) -> ClaimRequest {
        let (claim, at) = (ClaimId::from_number(1), Timestamp::MIN);
        ClaimRequest { claim, at, until: at, lanes_max, room: 4, rooms, shares, payload_bytes_max: u64::MAX }
    }

    #[test]
    fn a_lane_that_comes_again_has_what_is_left_of_its_room() {
        let [named, other] = [8, 9].map(|byte| SubscriptionId::from_bytes([byte; 16]));
        let owner = OwnerNumber::from_number(1);
        let mut allotment = Allotment::new(&request(64, FairShares::new(64), vec![(named, 2)]));
        let mut admitted = |lane| (0..9).map(|_| allotment.admit(lane, owner, 1)).sum::<u32>();
        assert_eq!((admitted(named), admitted(other)), (2, 4));
    }

    #[test]
    fn lanes_take_what_the_limits_leave_in_the_order_in_which_they_come() {
        let lane = |byte| SubscriptionId::from_bytes([byte; 16]);
        let [first, second, third] = [1, 2, 3].map(OwnerNumber::from_number);
        let rooms = vec![(lane(9), 0), (lane(8), 1)];
        let mut allotment = Allotment::new(&request(4, FairShares::with_taken(8, [(third, 30)]), rooms));
        let admitted = [
            (lane(9), first, 9, 0),
            (lane(1), first, 0, 0),
            (lane(1), first, 9, 4),
            (lane(2), first, 9, 2),
            (lane(3), first, 9, 0),
            (lane(4), third, 9, 0),
            (lane(8), second, 9, 1),
            (lane(5), second, 9, 1),
            (lane(6), second, 9, 0),
        ];
        for (lane, owner, wanted, admitted) in admitted {
            assert_eq!(allotment.admit(lane, owner, wanted), admitted, "{lane} {owner:?}");
        }
        assert_eq!(allotment.lanes_left(), 0);
        assert!(allotment.full_lanes().any(|full| full == lane(9)));
        assert_eq!(allotment.full_owners().collect::<Vec<_>>(), [first, second, third]);
    }
}
