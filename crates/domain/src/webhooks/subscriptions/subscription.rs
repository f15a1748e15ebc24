use super::description::Description;
use super::subscribed_events::SubscribedEvents;
use crate::webhooks::{DisableReason, PayloadFilter, SealedOptions, Signing, TargetUrl};
use crate::{KeyId, OwnerId, SubscriptionId, Timestamp};

/// The subscription of an owner's events at a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscription {
    /// The id. Lists are sorted by it, which is the order of creation.
    pub id: SubscriptionId,
    /// The owner.
    pub owner: OwnerId,
    /// The URL that webhooks are sent to.
    pub url: TargetUrl,
    /// The API key that set the URL, at creation or later; `None` if an ID token did. The key may be purged already.
    pub url_set_by: Option<KeyId>,
    /// The event types that are sent.
    pub events: SubscribedEvents,
    /// Which of these events are sent, by their content; `None` for all.
    pub filter: Option<PayloadFilter>,
    /// The name that its owner gave it; may be empty.
    pub description: Description,
    /// Whether it is enabled, and if not, why.
    pub status: SubscriptionStatus,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its owner or the service last changed it. Deliveries do not change it.
    pub updated_at: Timestamp,
    /// The member who created it, if its owner is an organization and a member created it.
    pub created_by: Option<OwnerId>,
    /// The headers and the authentication of its requests.
    pub options: SealedOptions,
    /// What everybody may know about its signers. Stores read it off the sealed secrets.
    pub signing: Signing,
}

impl Subscription {
    /// Whether its lane numbers ordered deliveries or pulled events.
    pub fn is_numbered(&self) -> bool {
        self.options.order.is_some() || self.url.is_pull()
    }

    /// The subscription after its owner has enabled it at `at`. If it is enabled already, `updated_at` does not change.
    #[must_use]
    pub fn enabled_at(&self, at: Timestamp) -> Self {
        let updated_at = if self.status.is_enabled() { self.updated_at } else { at };
        Self { status: SubscriptionStatus::Enabled, updated_at, ..self.clone() }
    }
}

/// Whether a subscription receives events. See decision 13.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubscriptionStatus {
    /// It receives events.
    Enabled,
    /// Its owner has disabled it.
    DisabledByOwner,
    /// The service has disabled it, for this reason.
    DisabledByService(DisableReason),
}

impl SubscriptionStatus {
    /// Whether it receives events.
    pub fn is_enabled(self) -> bool {
        self == Self::Enabled
    }

    /// The author of the disabling; `None` if it is enabled.
    pub fn disabled_by(self) -> Option<DisabledBy> {
        match self {
            Self::Enabled => None,
            Self::DisabledByOwner => Some(DisabledBy::Owner),
            Self::DisabledByService(reason) => Some(DisabledBy::Service(reason)),
        }
    }
}

/// The author of a subscription's disabling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisabledBy {
    /// Its owner.
    Owner,
    /// The service, for this reason.
    Service(DisableReason),
}

impl DisabledBy {
    /// The code that the API uses.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Service(reason) => reason.code(),
        }
    }
}
