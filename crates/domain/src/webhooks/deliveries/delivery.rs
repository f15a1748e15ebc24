use sha2::{Digest, Sha256};

use super::attempt_record::AttemptRecord;
use super::delivery_state::DeliveryState;
use crate::webhooks::{Event, EventType, Payload};
use crate::{DeliveryId, EventId, OwnerId, SubscriptionId, Timestamp};

/// The most attempts of a delivery that are shown, the newest ones. A delivery that is retried by hand may have any
/// number.
pub const SHOWN_ATTEMPTS_MAX: u32 = 100;

/// The delivery of one event to one subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The id. Lists are sorted by it, which is the order of the events' creation.
    pub id: DeliveryId,
    /// The event.
    pub event_id: EventId,
    /// The event's type.
    pub event_type: EventType,
    /// The subscription.
    pub subscription_id: SubscriptionId,
    /// The state.
    pub state: DeliveryState,
    /// How many attempts have begun. An attempt that a crash cut off counts. An attempt that is not charged to the
    /// receiver does not.
    pub attempts: u32,
    /// When the event was published.
    pub created_at: Timestamp,
}

impl Delivery {
    /// The event to show for `owner` if the stored event is missing. Its payload is `null`.
    pub fn lost_event(&self, owner: &OwnerId) -> Event {
        Event {
            id: self.event_id,
            owner: owner.clone(),
            event_type: self.event_type.clone(),
            payload: Payload::from_bytes(*b"null"),
            created_at: self.created_at,
        }
    }
}

impl DeliveryId {
    /// The id of the delivery of `event` to `subscription`. It is always the same, so that a repeated publication does
    /// not make a second delivery. It sorts by the event's creation, like the event's id: a UUIDv7 with that time and
    /// 74 bits of a SHA-256.
    pub fn of(event: EventId, subscription: SubscriptionId) -> Self {
        let digest = Sha256::new().chain_update(event.as_bytes()).chain_update(subscription.as_bytes()).finalize();
        let mut bytes: [u8; 16] = [0; 16];
        bytes[..6].copy_from_slice(&event.as_bytes()[..6]);
        bytes[6..].copy_from_slice(&digest[..10]);
        bytes[6] = bytes[6] & 0x0F | 0x70;
        bytes[8] = bytes[8] & 0x3F | 0x80;
        Self::from_bytes(bytes)
    }
}

/// A delivery as lists show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedDelivery {
    /// The delivery.
    pub delivery: Delivery,
    /// The attempt with the highest number, without the headers and the excerpt of the answer. `None` before the first
    /// attempt has ended, and if a crash cut off every attempt.
    pub last_attempt: Option<AttemptRecord>,
}

/// A delivery with its event and its attempts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryHistory {
    /// The delivery.
    pub delivery: Delivery,
    /// Its event.
    pub event: Event,
    /// The attempts that have ended, oldest first. Their numbers may have gaps: an attempt that a crash cut off has no
    /// record.
    pub attempts: Vec<AttemptRecord>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::SeededEntropy;
    use crate::test_samples::at;

    #[test]
    fn a_delivery_id_follows_from_event_and_subscription() {
        let entropy = SeededEntropy::new(1);
        let now = at(1_795_225_323_120);
        let (event, other_event) = (EventId::mint(now, &entropy), EventId::mint(now, &entropy));
        let (subscription, other) = (SubscriptionId::mint(now, &entropy), SubscriptionId::mint(now, &entropy));
        let id = DeliveryId::of(event, subscription);
        assert_eq!(id, DeliveryId::of(event, subscription));
        assert_ne!(id, DeliveryId::of(other_event, subscription));
        assert_ne!(id, DeliveryId::of(event, other));
        let uuid = uuid::Uuid::from_bytes(*id.as_bytes());
        assert_eq!((uuid.get_version_num(), uuid.get_variant()), (7, uuid::Variant::RFC4122));
        assert_eq!(id.as_bytes()[..6], event.as_bytes()[..6]);
    }
}
