use super::description::Description;
use super::subscribed_events::SubscribedEvents;
use crate::webhooks::{DisableReason, TargetUrl};
use crate::{SubscriptionId, Timestamp, UserId};

/// A user's wish to have events sent to a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscription {
    /// Its id, by which it is sorted: ids sort by creation.
    pub id: SubscriptionId,
    /// Whose it is.
    pub owner: UserId,
    /// Where to.
    pub url: TargetUrl,
    /// What for.
    pub events: SubscribedEvents,
    /// Free text; empty when none was given.
    pub description: Description,
    /// Whether it receives events, and why not.
    pub status: SubscriptionStatus,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its owner, or the service, last changed it. Deliveries do not.
    pub updated_at: Timestamp,
}

/// Whether a subscription receives events. See decision 13.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubscriptionStatus {
    /// It does.
    Enabled,
    /// Its owner switched it off.
    DisabledByOwner,
    /// The service switched it off.
    DisabledByService(DisableReason),
}

impl SubscriptionStatus {
    /// Whether it receives events.
    pub fn is_enabled(self) -> bool {
        self == Self::Enabled
    }
}
