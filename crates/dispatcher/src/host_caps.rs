use std::collections::HashMap;
use std::sync::Arc;

use domain::SubscriptionId;

/// How many attempts each destination host has under way, and who waits for one of them to end.
///
/// Many subscriptions may go to one host; each lane's own cap knows nothing of the others'.
pub(crate) struct HostCaps {
    cap: u32,
    hosts: HashMap<Arc<str>, Host>,
}

#[derive(Default)]
struct Host {
    in_flight: u32,
    /// Lanes that found the host full, in the order in which they came.
    blocked: Vec<SubscriptionId>,
}

impl HostCaps {
    /// No attempts yet; at most `cap` at a time to each host.
    pub(crate) fn new(cap: u32) -> Self {
        Self { cap: cap.max(1), hosts: HashMap::new() }
    }

    /// Counts one more attempt to the host; `false`: it is full, and [`HostCaps::leave`] will name the lane.
    pub(crate) fn enter(&mut self, host: &Arc<str>, lane: SubscriptionId) -> bool {
        let state = self.hosts.entry(Arc::clone(host)).or_default();
        if state.in_flight >= self.cap {
            state.blocked.push(lane);
            return false;
        }
        state.in_flight += 1;
        true
    }

    /// An attempt to the host has ended. Answers with all lanes that were blocked, in their order: what was blocked may
    /// have gone meanwhile, so the first of them need not be one that still wants to send.
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
        assert!(caps.enter(&other, lanes[1]), "other hosts have caps of their own");
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
