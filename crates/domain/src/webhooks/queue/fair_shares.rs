use std::collections::BTreeMap;

use super::owner_number::OwnerNumber;

/// An owner may have taken at most this many times the number of free places.
const TIMES_FREE: u64 = 3;

/// Places that owners share: each owner has taken some, and the rest is free.
///
/// An owner may take one more place while it has taken fewer than three times the number of free places. So one owner
/// takes at most three quarters of the places. Of `k` owners that take their maximum, each takes 3 of 3`k` + 1 parts,
/// and one part stays free: a newcomer finds a free place at once. The rule needs no history. Places of long work are
/// held for long, and count for that time. See decision 50.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FairShares {
    places: u32,
    taken_in_all: u32,
    taken: BTreeMap<OwnerNumber, u32>,
}

impl FairShares {
    /// This number of places, all free.
    pub const fn new(places: u32) -> Self {
        Self { places, taken_in_all: 0, taken: BTreeMap::new() }
    }

    /// This number of free places, and the places that each owner has taken.
    pub fn with_taken(free: u32, taken: impl IntoIterator<Item = (OwnerNumber, u32)>) -> Self {
        let taken: BTreeMap<_, _> = taken.into_iter().filter(|(_, count)| *count > 0).collect();
        let taken_in_all = taken.values().sum();
        Self { places: free.saturating_add(taken_in_all), taken_in_all, taken }
    }

    /// How many places are free.
    pub const fn free(&self) -> u32 {
        self.places.saturating_sub(self.taken_in_all)
    }

    /// Each owner that has taken places, and how many.
    pub const fn taken(&self) -> &BTreeMap<OwnerNumber, u32> {
        &self.taken
    }

    /// How many places the owner has taken.
    pub fn taken_by(&self, owner: OwnerNumber) -> u32 {
        self.taken.get(&owner).copied().unwrap_or(0)
    }

    /// How many places the owner may take now, one after the other.
    pub fn room(&self, owner: OwnerNumber) -> u32 {
        let room = (TIMES_FREE * u64::from(self.free())).saturating_sub(self.taken_by(owner).into());
        let room = room.div_ceil(TIMES_FREE + 1);
        u32::try_from(room).unwrap_or(u32::MAX)
    }

    /// The owners without room.
    pub fn full(&self) -> impl Iterator<Item = OwnerNumber> {
        self.taken.keys().copied().filter(|owner| self.room(*owner) == 0)
    }

    /// Leaves the owner room for at most `room` more places, as if it had taken more already. The number of free places
    /// stays the same.
    pub fn limit(&mut self, owner: OwnerNumber, room: u32) {
        let [most, room] = [self.free(), room].map(u64::from);
        let least = u32::try_from((TIMES_FREE * most).saturating_sub((TIMES_FREE + 1) * room)).unwrap_or(u32::MAX);
        let more = least.saturating_sub(self.taken_by(owner));
        self.places = self.places.saturating_add(more);
        self.take(owner, more);
    }

    /// Takes places for the owner.
    pub fn take(&mut self, owner: OwnerNumber, count: u32) {
        if count == 0 {
            return;
        }
        self.taken_in_all += count;
        *self.taken.entry(owner).or_default() += count;
    }

    /// Frees places that the owner has taken.
    pub fn give_back(&mut self, owner: OwnerNumber, count: u32) {
        let Some(taken) = self.taken.get_mut(&owner) else { return };
        let count = count.min(*taken);
        *taken -= count;
        self.taken_in_all -= count;
        if *taken == 0 {
            self.taken.remove(&owner);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn owner(number: u64) -> OwnerNumber {
        OwnerNumber::from_number(i64::try_from(number).unwrap())
    }

    /// Owners take one place each in turn while one of them may. Returns the places with the free rest.
    fn filled(places: u32, owners: u64) -> FairShares {
        let mut shares = FairShares::new(places);
        loop {
            let free = shares.free();
            for number in 0..owners {
                if shares.room(owner(number)) > 0 {
                    shares.take(owner(number), 1);
                }
            }
            if shares.free() == free {
                return shares;
            }
        }
    }

    #[test]
    fn owners_that_take_all_they_may_leave_a_part_free() {
        for (places, owners, each, free) in [
            (512, 1, 384, 128),
            (512, 2, 220, 73),
            (512, 5, 96, 32),
            (1_024, 100, 11, 3),
            (1, 1, 1, 0),
            (2, 1, 2, 0),
            (4, 1, 3, 1),
            (8, 1, 6, 2),
        ] {
            let shares = filled(places, owners);
            assert_eq!((shares.taken()[&owner(0)], shares.free()), (each, free), "{places} for {owners}");
        }
    }

    #[test]
    fn what_is_given_back_is_free_and_forgotten() {
        let mut shares = FairShares::with_taken(2, [(owner(1), 6), (owner(2), 0)]);
        assert_eq!((shares.room(owner(1)), shares.room(owner(2))), (0, 2));
        assert_eq!(shares.full().collect::<Vec<_>>(), [owner(1)]);
        shares.give_back(owner(1), 1);
        assert_eq!((shares.room(owner(1)), shares.free()), (1, 3));
        shares.give_back(owner(1), 9);
        shares.give_back(owner(2), 1);
        assert_eq!(shares, FairShares::new(8));
    }

    #[test]
    fn a_limit_leaves_no_more_room_and_takes_nothing_from_others() {
        for (limit, room) in [(0, 0), (1, 1), (5, 5), (6, 6), (7, 6)] {
            let mut shares = FairShares::with_taken(8, [(owner(1), 0)]);
            shares.limit(owner(1), limit);
            assert_eq!((shares.room(owner(1)), shares.room(owner(2)), shares.free()), (room, 6, 8), "{limit}");
        }
    }

    #[test]
    fn room_without_bound_is_not_too_large_for_a_number() {
        assert_eq!(FairShares::new(u32::MAX).room(owner(1)), 3 * (u32::MAX / 4) + 3);
    }

    proptest! {
        /// The room can be taken one after the other, and at once.
        #[test]
        fn room_is_what_can_be_taken(free in 0_u32..2_000, taken in 0_u32..2_000, other in 0_u32..2_000) {
            let mut shares = FairShares::with_taken(free, [(owner(1), taken), (owner(2), other)]);
            let room = shares.room(owner(1));
            prop_assert!(room <= free);
            for _ in 0..room {
                prop_assert!(shares.room(owner(1)) > 0);
                shares.take(owner(1), 1);
            }
            prop_assert_eq!(shares.room(owner(1)), 0);
            prop_assert_eq!(shares.free(), free - room);
        }

        /// However greedy others are, a newcomer finds a place if there are three for each of them.
        #[test]
        fn a_newcomer_finds_a_place(owners in 1_u64..100, parts in 1_u32..10) {
            let places = (3 * u32::try_from(owners).unwrap() + 1) * parts;
            let shares = filled(places, owners);
            prop_assert!(shares.free() >= parts.saturating_sub(1).max(1), "{shares:?}");
            prop_assert!(shares.room(owner(owners)) > 0);
        }
    }
}
