use sha2::{Digest as _, Sha256};

use crate::{AuditId, Timestamp};

impl AuditId {
    /// Above the id of every event.
    pub const MAX: Self = Self::from_bytes([0xff; 16]);

    /// The time of the event.
    pub fn at(&self) -> Timestamp {
        let mut bytes = [0; 8];
        bytes[2..].copy_from_slice(&self.as_bytes()[..6]);
        Timestamp::from_unix_millis(i64::from_be_bytes(bytes)).unwrap_or(Timestamp::MAX)
    }

    /// The id of the event `number` of one cause. The ids of a cause differ, and the first one is the cause's own.
    #[must_use]
    pub(super) fn nth(self, number: u32) -> Self {
        let number = u128::from(number);
        Self::from_bytes((u128::from_be_bytes(*self.as_bytes()) ^ number).to_be_bytes())
    }

    /// The id of the service's action on this object at this time. It is always the same, because a store that disables
    /// a subscription draws no randomness: a UUIDv7 with 74 bits of a SHA-256.
    pub(super) fn of_service(at: Timestamp, object: &[u8; 16]) -> Self {
        let digest = Sha256::new().chain_update("gatepost audit").chain_update(object).finalize();
        let mut bytes = *Self::first_at(at).as_bytes();
        bytes[6..].copy_from_slice(&digest[..10]);
        bytes[6] = bytes[6] & 0x0F | 0x70;
        bytes[8] = bytes[8] & 0x3F | 0x80;
        Self::from_bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::memory::SeededEntropy;

    const NOW: Timestamp = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();

    #[test]
    fn a_time_is_a_place_among_the_ids() {
        let id = AuditId::mint(NOW, &SeededEntropy::new(1));
        assert_eq!(id.at(), NOW);
        let later = Timestamp::from_unix_millis(NOW.unix_millis() + 1).unwrap();
        assert!(AuditId::first_at(NOW) <= id && id < AuditId::first_at(later) && id < AuditId::MAX);
        let of_service = AuditId::of_service(NOW, &[7; 16]);
        assert_eq!(of_service.at(), NOW);
        assert_ne!(of_service, AuditId::of_service(NOW, &[8; 16]));
    }

    #[test]
    fn the_events_of_a_cause_have_ids_of_their_own() {
        let id = AuditId::mint(NOW, &SeededEntropy::new(1));
        let ids: BTreeSet<AuditId> = (0..1_000).map(|number| id.nth(number)).collect();
        assert_eq!(ids.len(), 1_000);
        assert_eq!(id.nth(0), id);
        assert!(ids.iter().all(|other| other.at() == NOW));
    }
}
