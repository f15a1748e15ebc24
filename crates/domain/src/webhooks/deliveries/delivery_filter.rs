use super::delivery::Delivery;
use super::delivery_state::DeliveryStateKind;
use crate::webhooks::EventType;
use crate::{SubscriptionId, Timestamp};

/// Which deliveries to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveryFilter {
    /// Those of this subscription alone.
    pub subscription: Option<SubscriptionId>,
    /// Those of events of this type alone.
    pub event_type: Option<EventType>,
    /// Those that stand so.
    pub state: Option<DeliveryStateKind>,
    /// Those whose event was published then or later.
    pub since: Option<Timestamp>,
    /// Those whose event was published before then.
    pub until: Option<Timestamp>,
}

impl DeliveryFilter {
    /// Whether `delivery` passes.
    pub fn matches(&self, delivery: &Delivery) -> bool {
        self.subscription.is_none_or(|wanted| wanted == delivery.subscription_id)
            && self.event_type.as_ref().is_none_or(|wanted| *wanted == delivery.event_type)
            && self.state.is_none_or(|wanted| wanted == delivery.state.kind())
            && self.since.is_none_or(|since| delivery.created_at >= since)
            && self.until.is_none_or(|until| delivery.created_at < until)
    }
}
