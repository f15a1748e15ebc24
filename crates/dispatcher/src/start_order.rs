use std::collections::{BTreeMap, BTreeSet, VecDeque};

use domain::SubscriptionId;
use domain::webhooks::{FairShares, OwnerNumber};

/// The order in which lanes start deliveries, within the places for attempts that owners share.
///
/// The owner with the fewest attempts in progress comes first; owners with an equal number take turns, and so do the
/// lanes of an owner. After a start both go to the back, so that a lane with many deliveries does not delay a lane with
/// few, and an owner with many lanes does not delay an owner with few. See decision 50.
pub(crate) struct StartOrder {
    places: FairShares,
    /// The owners with lanes that can start a delivery.
    owners: BTreeMap<OwnerNumber, Owner>,
    /// Their attempts in progress, their turns, and their numbers.
    order: BTreeSet<(u32, u64, OwnerNumber)>,
    turns: u64,
}

#[derive(Default)]
struct Owner {
    turn: u64,
    lanes: VecDeque<SubscriptionId>,
}

impl StartOrder {
    /// An order with this number of places for attempts, at least 1.
    pub(crate) fn new(places: u32) -> Self {
        let (owners, order) = (BTreeMap::new(), BTreeSet::new());
        Self { places: FairShares::new(places.max(1)), owners, order, turns: 0 }
    }

    /// Puts a lane at the back of its owner's line.
    pub(crate) fn push(&mut self, owner: OwnerNumber, lane: SubscriptionId) {
        self.turns += 1;
        let turn = self.turns;
        self.change(owner, |_, line| {
            if line.lanes.is_empty() {
                line.turn = turn;
            }
            line.lanes.push_back(lane);
        });
    }

    /// Takes the next lane out; `None` when no owner may start a delivery.
    pub(crate) fn next(&mut self) -> Option<SubscriptionId> {
        let (.., owner) = *self.order.first()?;
        if self.places.room(owner) == 0 {
            return None;
        }
        let mut next = None;
        self.change(owner, |_, line| next = line.lanes.pop_front());
        next
    }

    /// Takes a place for an attempt.
    pub(crate) fn start(&mut self, owner: OwnerNumber) {
        self.turns += 1;
        let turn = self.turns;
        self.change(owner, |places, line| {
            places.take(owner, 1);
            line.turn = turn;
        });
    }

    /// Frees the place of an attempt that has ended.
    pub(crate) fn land(&mut self, owner: OwnerNumber) {
        self.change(owner, |places, _| places.give_back(owner, 1));
    }

    fn change(&mut self, number: OwnerNumber, change: impl FnOnce(&mut FairShares, &mut Owner)) {
        let mut owner = self.owners.remove(&number).unwrap_or_default();
        self.order.remove(&(self.in_flight(number), owner.turn, number));
        change(&mut self.places, &mut owner);
        if !owner.lanes.is_empty() {
            self.order.insert((self.in_flight(number), owner.turn, number));
            self.owners.insert(number, owner);
        }
    }

    /// How many attempts of the owner are in progress.
    pub(crate) fn in_flight(&self, owner: OwnerNumber) -> u32 {
        self.places.taken_by(owner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: OwnerNumber = OwnerNumber::from_number(1);
    const B: OwnerNumber = OwnerNumber::from_number(2);
    const C: OwnerNumber = OwnerNumber::from_number(3);

    fn lane(byte: u8) -> SubscriptionId {
        SubscriptionId::from_bytes([byte; 16])
    }

    /// An order of lanes that always have more to send: the owner is the first digit of the lane.
    fn order(places: u32, lanes: &[u8]) -> StartOrder {
        let mut order = StartOrder::new(places);
        for byte in lanes {
            order.push(owner(*byte), lane(*byte));
        }
        order
    }

    fn owner(lane: u8) -> OwnerNumber {
        OwnerNumber::from_number(i64::from(lane / 10))
    }

    /// Starts deliveries until no owner may start one. Returns the lanes.
    fn started(order: &mut StartOrder) -> Vec<u8> {
        let mut started = Vec::new();
        while let Some(lane) = order.next() {
            let byte = lane.as_bytes()[0];
            order.start(owner(byte));
            order.push(owner(byte), lane);
            started.push(byte);
        }
        started
    }

    #[test]
    fn owners_take_turns_and_so_do_the_lanes_of_an_owner() {
        let mut order = order(14, &[10, 11, 12, 20]);
        assert_eq!(started(&mut order), [10, 20, 11, 20, 12, 20, 10, 20, 11, 20, 12, 20]);
    }

    #[test]
    fn a_newcomer_finds_a_place_and_comes_before_those_who_have_many() {
        let mut order = order(16, &[10, 11, 20]);
        assert_eq!(started(&mut order).len(), 14);
        order.push(C, lane(30));
        assert_eq!(started(&mut order), [30, 30]);
        // A freed place goes to the owner with the fewest attempts in progress.
        order.land(A);
        assert_eq!(started(&mut order), [30]);
        assert_eq!((order.in_flight(A), order.in_flight(B), order.in_flight(C)), (6, 7, 3));
    }

    #[test]
    fn who_has_nothing_to_send_is_forgotten() {
        let mut order = order(4, &[10]);
        assert_eq!(order.next(), Some(lane(10)));
        order.start(A);
        order.land(A);
        assert!(order.owners.is_empty() && order.order.is_empty() && order.next().is_none());
    }
}
