use domain::SubscriptionId;

use crate::lane_cap::CAP_START;

/// The most lanes in one claim.
const LANES_MAX: u32 = 64;
/// The lanes for which a claim has room before it has more room for each of them.
const LANES_AT_LEAST: u32 = 16;

/// How many more deliveries of a lane the dispatcher can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LaneRoom {
    pub(crate) lane: SubscriptionId,
    pub(crate) wanted: u32,
}

/// The limits of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClaimRoom {
    /// The most lanes.
    pub(crate) lanes_max: u32,
    /// The most deliveries of each lane that `rooms` does not name.
    pub(crate) room: u32,
    /// The most deliveries of these lanes, sorted by lane.
    pub(crate) rooms: Vec<(SubscriptionId, u32)>,
}

impl ClaimRoom {
    /// Divides `budget`, and never exceeds it. Half is for the known lanes, which must be sorted, in equal shares and no
    /// more than each lane can take. The other half is for lanes that this dispatcher does not know yet.
    pub(crate) fn share(budget: u32, known: &[LaneRoom]) -> Self {
        let for_known = budget / 2;
        let asking = u32::try_from(known.iter().filter(|lane| lane.wanted > 0).count()).unwrap_or(u32::MAX);
        let share = for_known / asking.max(1);
        let for_others = budget - for_known;
        // With little room, more lanes with less room each: one claim reaches more waiting owners.
        let room = (for_others / LANES_AT_LEAST).clamp(1, CAP_START).min(for_others);
        let lanes_max = for_others.checked_div(room).unwrap_or(0).min(LANES_MAX);
        Self { lanes_max, room, rooms: known.iter().map(|lane| (lane.lane, lane.wanted.min(share))).collect() }
    }

    /// The most deliveries of one lane.
    pub(crate) fn of(&self, lane: SubscriptionId) -> u32 {
        let named = self.rooms.binary_search_by_key(&lane, |(named, _)| *named);
        named.map_or(self.room, |index| self.rooms[index].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(byte: u8) -> SubscriptionId {
        SubscriptionId::from_bytes([byte; 16])
    }

    #[test]
    fn half_of_the_budget_is_shared_and_half_is_for_lanes_that_turn_up() {
        for (budget, wanted, lanes_max, room, rooms) in [
            (1_024, &[][..], 64, 8, &[][..]),
            (1_024, &[256], 64, 8, &[256]),
            (1_024, &[256, 0, 3, 256], 64, 8, &[170, 0, 3, 170]),
            (100, &[256, 256], 16, 3, &[25, 25]),
            (8, &[16], 4, 1, &[4]),
            (1, &[16], 1, 1, &[0]),
            (0, &[16], 0, 0, &[0]),
        ] {
            let known: Vec<LaneRoom> =
                (0..).zip(wanted).map(|(n, wanted)| LaneRoom { lane: lane(n), wanted: *wanted }).collect();
            let shared = ClaimRoom::share(budget, &known);
            let shared_rooms: Vec<u32> = shared.rooms.iter().map(|(_, room)| *room).collect();
            assert_eq!((shared.lanes_max, shared.room, &shared_rooms[..]), (lanes_max, room, rooms), "{budget}");
            assert!(shared_rooms.iter().sum::<u32>() + lanes_max * room <= budget);
            assert_eq!(shared.of(lane(200)), room);
            known.iter().zip(rooms).for_each(|(known, room)| assert_eq!(shared.of(known.lane), *room));
        }
    }
}
