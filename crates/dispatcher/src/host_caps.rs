use std::collections::HashMap;
use std::sync::Arc;

use domain::SubscriptionId;

/// The attempts in progress to each host, and the lanes that wait because a host is full.
///
/// Several subscriptions may go to one host, and the cap of a lane does not consider the other lanes.
pub(crate) struct HostCaps {
    cap: u32,
    hosts: HashMap<Arc<str>, Host>,
}

#[derive(Default)]
struct Host {
    in_flight: u32,
    /// Lanes that found the host full, in order of arrival.
    blocked: Vec<SubscriptionId>,
}

impl HostCaps {
    /// At most `cap` attempts at a time to each host, at least 1.
    pub(crate) fn new(cap: u32) -> Self {
        Self { cap: cap.max(1), hosts: HashMap::new() }
    }

    /// Counts one more attempt to the host. Returns `false` when the host is full; then [`HostCaps::leave`] returns the
    /// lane later.
    pub(crate) fn enter(&mut self, host: &Arc<str>, lane: SubscriptionId) -> bool {
        let state = self.hosts.entry(Arc::clone(host)).or_default();
        if state.in_flight >= self.cap {
            state.blocked.push(lane);
            return false;
        }
        state.in_flight += 1;
        true
    }

    /// Counts the end of an attempt to the host. Returns all blocked lanes in order of arrival: the first one may have
    /// nothing left to send.
    pub(crate) fn leave(&mut self, host: &Arc<str>) -> Vec<SubscriptionId> {
        let Some(state) = self.hosts.get_mut(host) else { return Vec::new() };
        state.in_flight -= 1;
        let blocked = std::mem::take(&mut state.blocked);
        if state.in_flight == 0 {
            self.hosts.remove(host);
        }
        blocked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_host_blocks_lanes_until_an_attempt_ends() {
        let lanes = [1, 2, 3].map(|byte| SubscriptionId::from_bytes([byte; 16]));
        let [host, other] = ["receiver.example", "other.example"].map(Arc::from);
        let mut caps = HostCaps::new(2);
        assert!(caps.enter(&host, lanes[0]) && caps.enter(&host, lanes[0]));
        assert!(!caps.enter(&host, lanes[2]) && !caps.enter(&host, lanes[1]));
        assert!(caps.enter(&other, lanes[1]), "other hosts have separate caps");
        assert_eq!(caps.leave(&host), [lanes[2], lanes[1]]);
        assert!(caps.enter(&host, lanes[2]) && !caps.enter(&host, lanes[1]));
    }

    #[test]
    fn hosts_without_attempts_are_forgotten() {
        let host = Arc::from("receiver.example");
        let mut caps = HostCaps::new(1);
        assert!(caps.enter(&host, SubscriptionId::from_bytes([1; 16])));
        assert!(caps.leave(&host).is_empty());
        assert!(caps.hosts.is_empty());
    }
}
