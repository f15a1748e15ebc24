use super::delivery::Delivery;
use super::delivery_state::DeliveryStateKind;
use crate::webhooks::EventType;
use crate::{SubscriptionId, Timestamp};

/// Which deliveries a list shows. `None` in a field shows all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveryFilter {
    /// Only deliveries to this subscription.
    pub subscription: Option<SubscriptionId>,
    /// Only deliveries of events of this type.
    pub event_type: Option<EventType>,
    /// Only deliveries in this state.
    pub state: Option<DeliveryStateKind>,
    /// Only deliveries of events published at this time or later.
    pub since: Option<Timestamp>,
    /// Only deliveries of events published before this time.
    pub until: Option<Timestamp>,
}

impl DeliveryFilter {
    /// Whether the list shows `delivery`. Stores repeat this rule in queries, and the conformance suite compares the
    /// two.
    pub fn matches(&self, delivery: &Delivery) -> bool {
        self.subscription.is_none_or(|wanted| wanted == delivery.subscription_id)
            && self.event_type.as_ref().is_none_or(|wanted| *wanted == delivery.event_type)
            && self.state.is_none_or(|wanted| wanted == delivery.state.kind())
            && self.since.is_none_or(|since| delivery.created_at >= since)
            && self.until.is_none_or(|until| delivery.created_at < until)
    }
}
