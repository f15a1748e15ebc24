use std::collections::HashMap;
use std::sync::Arc;

use domain::SubscriptionId;
use domain::webhooks::{FairShares, OwnerNumber};

/// The attempts in progress to each host, and the lanes that wait because a host is full for their owner.
///
/// Several subscriptions may go to one host, and the cap of a lane does not consider the other lanes. Their owners share
/// the places of the host.
pub(crate) struct HostCaps {
    cap: u32,
    hosts: HashMap<Arc<str>, Host>,
}

struct Host {
    places: FairShares,
    /// Lanes that found no place, in order of arrival.
    blocked: Vec<SubscriptionId>,
}

impl HostCaps {
    /// At most `cap` attempts at a time to each host, at least 1.
    pub(crate) fn new(cap: u32) -> Self {
        Self { cap: cap.max(1), hosts: HashMap::new() }
    }

    /// Counts one more attempt to the host. Returns `false` when the host is full for the owner; then [`HostCaps::leave`]
    /// returns the lane later.
    pub(crate) fn enter(&mut self, host: &Arc<str>, owner: OwnerNumber, lane: SubscriptionId) -> bool {
        let new = || Host { places: FairShares::new(self.cap), blocked: Vec::new() };
        let state = self.hosts.entry(Arc::clone(host)).or_insert_with(new);
        if state.places.room(owner) == 0 {
            state.blocked.push(lane);
            return false;
        }
        state.places.take(owner, 1);
        true
    }

    /// Counts the end of an attempt to the host. Returns all blocked lanes in order of arrival: the first one may have
    /// no delivery left.
    pub(crate) fn leave(&mut self, host: &Arc<str>, owner: OwnerNumber) -> Vec<SubscriptionId> {
        let Some(state) = self.hosts.get_mut(host) else { return Vec::new() };
        state.places.give_back(owner, 1);
        let blocked = std::mem::take(&mut state.blocked);
        if state.places.taken().is_empty() {
            self.hosts.remove(host);
        }
        blocked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: OwnerNumber = OwnerNumber::from_number(1);
    const OTHER: OwnerNumber = OwnerNumber::from_number(2);

    fn lane(byte: u8) -> SubscriptionId {
        SubscriptionId::from_bytes([byte; 16])
    }

    #[test]
    fn a_full_host_blocks_lanes_until_an_attempt_ends() {
        let [host, other] = ["receiver.example", "other.example"].map(Arc::from);
        let mut caps = HostCaps::new(2);
        assert!(caps.enter(&host, OWNER, lane(1)) && caps.enter(&host, OWNER, lane(1)));
        assert!(!caps.enter(&host, OWNER, lane(3)) && !caps.enter(&host, OTHER, lane(2)));
        assert!(caps.enter(&other, OWNER, lane(2)), "other hosts have separate caps");
        assert_eq!(caps.leave(&host, OWNER), [lane(3), lane(2)]);
        assert!(caps.enter(&host, OWNER, lane(3)) && !caps.enter(&host, OWNER, lane(2)));
    }

    #[test]
    fn an_owner_that_takes_all_it_may_leaves_places_of_the_host_to_others() {
        let host = Arc::from("hooks.example");
        let mut caps = HostCaps::new(8);
        let entered = (0..8).filter(|byte| caps.enter(&host, OWNER, lane(*byte))).count();
        assert_eq!(entered, 6);
        assert!(caps.enter(&host, OTHER, lane(9)));
        assert!(!caps.enter(&host, OWNER, lane(1)));
    }

    #[test]
    fn hosts_without_attempts_are_forgotten() {
        let host = Arc::from("receiver.example");
        let mut caps = HostCaps::new(1);
        assert!(caps.enter(&host, OWNER, lane(1)));
        assert!(caps.leave(&host, OWNER).is_empty());
        assert!(caps.hosts.is_empty());
    }
}
