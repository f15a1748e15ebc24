use std::collections::BTreeMap;

use domain::webhooks::OwnerNumber;

/// How many deliveries of an owner may be claimed at a time, for owners with deliveries that waited too long for their
/// start.
///
/// Places of hosts and of the instance may be taken for long, and a claim does not know to which hosts it leads. So the
/// window is learned, like that of a TCP connection: deliveries that waited too long halve the number that may wait,
/// and each start adds one. See decision 51.
#[derive(Default)]
pub(crate) struct Windows {
    windows: BTreeMap<OwnerNumber, u32>,
    /// Deliveries that waited too long since the windows were narrowed last.
    late: BTreeMap<OwnerNumber, u32>,
}

impl Windows {
    /// Notes that a delivery of the owner waited too long.
    pub(crate) fn late(&mut self, owner: OwnerNumber) {
        *self.late.entry(owner).or_default() += 1;
    }

    /// Sets the windows of these owners to their attempts in progress, and half of the deliveries that waited too long.
    /// Forgets owners without an attempt in progress.
    pub(crate) fn narrow(&mut self, in_flight: impl Fn(OwnerNumber) -> u32) {
        for (owner, late) in std::mem::take(&mut self.late) {
            self.windows.insert(owner, in_flight(owner) + late / 2);
        }
        self.windows.retain(|owner, _| in_flight(*owner) > 0);
    }

    /// Widens the owner's window, because a delivery started.
    pub(crate) fn started(&mut self, owner: OwnerNumber) {
        if let Some(window) = self.windows.get_mut(&owner) {
            *window = window.saturating_add(1);
        }
    }

    /// The most deliveries of the owner that may be claimed at a time.
    pub(crate) fn of(&self, owner: OwnerNumber) -> u32 {
        self.windows.get(&owner).copied().unwrap_or(u32::MAX)
    }

    /// All owners with a limit.
    pub(crate) fn all(&self) -> impl Iterator<Item = (OwnerNumber, u32)> {
        self.windows.iter().map(|(owner, window)| (*owner, *window))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: OwnerNumber = OwnerNumber::from_number(1);
    const OTHER: OwnerNumber = OwnerNumber::from_number(2);

    #[test]
    fn what_waited_too_long_halves_what_may_wait_and_each_start_adds_one() {
        let mut windows = Windows::default();
        for (late, started, window) in [(40, 0, 120), (20, 3, 113), (1, 0, 100), (0, 5, 105)] {
            (0..late).for_each(|_| windows.late(OWNER));
            windows.narrow(|_| 100);
            (0..started).for_each(|_| windows.started(OWNER));
            assert_eq!((windows.of(OWNER), windows.of(OTHER)), (window, u32::MAX));
        }
        assert_eq!(windows.all().collect::<Vec<_>>(), [(OWNER, 105)]);
        windows.narrow(|_| 0);
        assert_eq!(windows.of(OWNER), u32::MAX, "an owner with nothing in progress starts again");
    }
}
