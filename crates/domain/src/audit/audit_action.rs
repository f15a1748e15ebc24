use super::later_name::LaterName;

/// The kind of an event. The names are stable: the API and the stores use them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AuditAction {
    /// A key was created.
    KeyCreated,
    /// The label, the settings or the expiry time of a key was changed.
    KeyChanged,
    /// A key was replaced by a successor.
    KeyRotated,
    /// A key was revoked by its owner or an operator.
    KeyRevoked,
    /// A key was revoked because it was reported as leaked.
    KeyLeaked,
    /// A key expires soon.
    KeyExpiring,
    /// A user has the maximum number of active keys.
    KeyLimitReached,
    /// An operator read something that belongs to a user.
    DataRead,
    /// A subscription was created.
    SubscriptionCreated,
    /// A subscription was changed, enabled or disabled by its owner.
    SubscriptionChanged,
    /// A subscription was deleted.
    SubscriptionDeleted,
    /// A subscription got a new signing secret.
    SubscriptionSecretRotated,
    /// The service disabled a subscription.
    SubscriptionDisabled,
    /// The attempts of a subscription fail repeatedly.
    SubscriptionFailing,
    /// An attempt of a failing subscription succeeded, or a subscription was enabled again by hand and its deliveries
    /// made due.
    SubscriptionRecovered,
    /// The client certificate of a subscription expires soon.
    SubscriptionCertificateExpiring,
    /// A consumer of a pull subscription was moved.
    ConsumerMoved,
    /// A consumer of a pull subscription was deleted.
    ConsumerDeleted,
    /// A delivery was made due by hand.
    DeliveryRetried,
    /// A delivery was cancelled.
    DeliveryCancelled,
    /// A session was opened.
    SessionOpened,
    /// A session was ended before its time.
    SessionEnded,
    /// An operator chose other lines of the log.
    LogFilterChanged,
    /// The record of an owner was changed.
    OwnerChanged,
    /// A user who does not sign in is suspended soon.
    OwnerSuspending,
    /// An owner was suspended.
    OwnerSuspended,
    /// An owner is active again.
    OwnerActivated,
    /// An owner is being erased.
    OwnerErasing,
    /// An owner was erased.
    OwnerErased,
    /// An entry of the catalogue of event types was created, changed or archived.
    EventTypeChanged,
    /// Something that a later version has done.
    Later(LaterName),
}

impl AuditAction {
    /// Every action of this version.
    pub const ALL: [Self; 30] = [
        Self::KeyCreated,
        Self::KeyChanged,
        Self::KeyRotated,
        Self::KeyRevoked,
        Self::KeyLeaked,
        Self::KeyExpiring,
        Self::KeyLimitReached,
        Self::DataRead,
        Self::SubscriptionCreated,
        Self::SubscriptionChanged,
        Self::SubscriptionDeleted,
        Self::SubscriptionSecretRotated,
        Self::SubscriptionDisabled,
        Self::SubscriptionFailing,
        Self::SubscriptionRecovered,
        Self::SubscriptionCertificateExpiring,
        Self::ConsumerMoved,
        Self::ConsumerDeleted,
        Self::DeliveryRetried,
        Self::DeliveryCancelled,
        Self::SessionOpened,
        Self::SessionEnded,
        Self::LogFilterChanged,
        Self::OwnerChanged,
        Self::OwnerSuspending,
        Self::OwnerSuspended,
        Self::OwnerActivated,
        Self::OwnerErasing,
        Self::OwnerErased,
        Self::EventTypeChanged,
    ];

    /// The name that the API and the stores use.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Later(name) => name.as_str(),
            Self::KeyCreated => "key.created",
            Self::KeyChanged => "key.changed",
            Self::KeyRotated => "key.rotated",
            Self::KeyRevoked => "key.revoked",
            Self::KeyLeaked => "key.leaked",
            Self::KeyExpiring => "key.expiring",
            Self::KeyLimitReached => "key.limit_reached",
            Self::DataRead => "data.read",
            Self::SubscriptionCreated => "subscription.created",
            Self::SubscriptionChanged => "subscription.changed",
            Self::SubscriptionDeleted => "subscription.deleted",
            Self::SubscriptionSecretRotated => "subscription.secret_rotated",
            Self::SubscriptionDisabled => "subscription.disabled",
            Self::SubscriptionFailing => "subscription.failing",
            Self::SubscriptionRecovered => "subscription.recovered",
            Self::SubscriptionCertificateExpiring => "subscription.certificate_expiring",
            Self::ConsumerMoved => "consumer.moved",
            Self::ConsumerDeleted => "consumer.deleted",
            Self::DeliveryRetried => "delivery.retried",
            Self::DeliveryCancelled => "delivery.cancelled",
            Self::SessionOpened => "session.opened",
            Self::SessionEnded => "session.ended",
            Self::LogFilterChanged => "log.filter_changed",
            Self::OwnerChanged => "owner.changed",
            Self::OwnerSuspending => "owner.suspending",
            Self::OwnerSuspended => "owner.suspended",
            Self::OwnerActivated => "owner.activated",
            Self::OwnerErasing => "owner.erasing",
            Self::OwnerErased => "owner.erased",
            Self::EventTypeChanged => "event_type.changed",
        }
    }

    /// Whether an operational event announces the action. See decision 89.
    pub const fn is_announced(self) -> bool {
        match self {
            Self::KeyCreated
            | Self::KeyRotated
            | Self::KeyRevoked
            | Self::KeyLeaked
            | Self::KeyExpiring
            | Self::KeyLimitReached
            | Self::SubscriptionFailing
            | Self::SubscriptionDisabled
            | Self::SubscriptionRecovered
            | Self::SubscriptionCertificateExpiring
            | Self::OwnerSuspending
            | Self::OwnerSuspended
            | Self::OwnerActivated
            | Self::OwnerErased => true,
            Self::KeyChanged
            | Self::DataRead
            | Self::SubscriptionCreated
            | Self::SubscriptionChanged
            | Self::SubscriptionDeleted
            | Self::SubscriptionSecretRotated
            | Self::ConsumerMoved
            | Self::ConsumerDeleted
            | Self::DeliveryRetried
            | Self::DeliveryCancelled
            | Self::SessionOpened
            | Self::SessionEnded
            | Self::LogFilterChanged
            | Self::OwnerChanged
            | Self::OwnerErasing
            | Self::EventTypeChanged
            | Self::Later(_) => false,
        }
    }

    /// The action with this name; `None` if the name is unknown.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == name)
    }

    /// The action that a store has under this name; `None` if no version writes such a name.
    pub fn of_stored(name: &str) -> Option<Self> {
        Self::parse(name).or_else(|| LaterName::new(name).map(Self::Later))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_action_has_a_name_of_its_own() {
        let names: BTreeSet<&str> = AuditAction::ALL.iter().map(AuditAction::as_str).collect();
        assert_eq!(names.len(), AuditAction::ALL.len());
        for action in AuditAction::ALL {
            assert_eq!(AuditAction::parse(action.as_str()), Some(action));
        }
        for other in ["", "key", "key.Created", "key.created "] {
            assert_eq!(AuditAction::parse(other), None, "{other:?}");
        }
    }
}
