use std::collections::HashMap;

use crate::audit::{AuditAction, AuditEvent};
use crate::{AuditId, Hour, OwnerId, Timestamp};

/// How many events of one type about one user the operator's webhook gets in an hour.
pub const OPERATOR_EVENTS_PER_HOUR: usize = 60;

/// How many users and types are remembered. With more in one hour, all of them start again.
const REMEMBERED_MAX: usize = 100_000;

/// Counts the events of the operator's webhook, so that a user who creates keys in a loop does not flood it.
#[derive(Debug, Default)]
pub(super) struct OperatorQuota {
    hour: Option<Hour>,
    told: HashMap<(OwnerId, AuditAction), Told>,
}

/// The events of one user and one type for the operator's webhook in this hour.
#[derive(Debug, Default)]
struct Told {
    events: Vec<AuditId>,
    /// The first event that was left out.
    omitted: Option<AuditId>,
}

/// Whether the operator's webhook gets an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admitted {
    /// It gets the event.
    Told,
    /// It gets the notice that events are left out from this one on.
    FirstOmitted,
    /// It does not get the event.
    Omitted,
}

impl OperatorQuota {
    /// Counts the event, and decides. A repeated call for an event gets the same answer.
    pub(super) fn admit(&mut self, event: &AuditEvent, now: Timestamp) -> Admitted {
        let hour = Some(Hour::of(now));
        if self.hour != hour || self.told.len() >= REMEMBERED_MAX {
            (self.hour, self.told) = (hour, HashMap::new());
        }
        let told = self.told.entry((event.owner.clone(), event.action)).or_default();
        if told.events.contains(&event.id) {
            return Admitted::Told;
        }
        if told.events.len() < OPERATOR_EVENTS_PER_HOUR {
            told.events.push(event.id);
            return Admitted::Told;
        }
        if *told.omitted.get_or_insert(event.id) == event.id { Admitted::FirstOmitted } else { Admitted::Omitted }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::KeyId;
    use crate::audit::{Cause, Origin};
    use crate::memory::SeededEntropy;

    const NOW: Timestamp = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();

    fn events(owner: &str, count: usize) -> Vec<AuditEvent> {
        let (owner, entropy) = (OwnerId::new("https://id.example", owner).unwrap(), SeededEntropy::new(1));
        let keys = (0..count).map(|_| (owner.clone(), KeyId::mint(NOW, &entropy)));
        Cause::new(&Origin::SERVICE, NOW, &entropy).keys_revoked(keys)
    }

    #[test]
    fn a_user_has_so_many_events_of_a_type_in_an_hour() {
        let (mut quota, alice) = (OperatorQuota::default(), events("alice", OPERATOR_EVENTS_PER_HOUR + 2));
        let (first_omitted, omitted) = (&alice[OPERATOR_EVENTS_PER_HOUR], &alice[OPERATOR_EVENTS_PER_HOUR + 1]);
        for _ in 0..2 {
            let told = &alice[..OPERATOR_EVENTS_PER_HOUR];
            assert!(told.iter().all(|event| quota.admit(event, NOW) == Admitted::Told), "also when they are repeated");
            assert_eq!(quota.admit(first_omitted, NOW), Admitted::FirstOmitted);
            assert_eq!(quota.admit(omitted, NOW), Admitted::Omitted);
        }
        assert_eq!(quota.admit(&events("bob", 1)[0], NOW), Admitted::Told, "another user");
        let created = AuditEvent { action: AuditAction::KeyCreated, ..omitted.clone() };
        assert_eq!(quota.admit(&created, NOW), Admitted::Told, "another type");
        assert_eq!(quota.admit(omitted, NOW.plus(Duration::from_hours(1))), Admitted::Told, "another hour");
    }
}
