use super::later_name::{LaterName, named_or_later};

named_or_later! {
    /// The kind of an event. The names are stable: the API and the stores use them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum AuditAction {
        /// A key was created.
        KeyCreated = "key.created",
        /// The label, the settings or the expiry time of a key was changed.
        KeyChanged = "key.changed",
        /// A key was replaced by a successor.
        KeyRotated = "key.rotated",
        /// A key was revoked by its owner or an operator.
        KeyRevoked = "key.revoked",
        /// A key was revoked because it was reported as leaked.
        KeyLeaked = "key.leaked",
        /// A key expires soon.
        KeyExpiring = "key.expiring",
        /// A user has the maximum number of active keys.
        KeyLimitReached = "key.limit_reached",
        /// An operator read something that belongs to a user.
        DataRead = "data.read",
        /// A subscription was created.
        SubscriptionCreated = "subscription.created",
        /// A subscription was changed, enabled or disabled by its owner.
        SubscriptionChanged = "subscription.changed",
        /// A subscription was deleted.
        SubscriptionDeleted = "subscription.deleted",
        /// A subscription got a new signing secret.
        SubscriptionSecretRotated = "subscription.secret_rotated",
        /// The service disabled a subscription.
        SubscriptionDisabled = "subscription.disabled",
        /// The attempts of a subscription fail repeatedly.
        SubscriptionFailing = "subscription.failing",
        /// An attempt of a failing subscription succeeded, or a subscription was enabled again by hand and its
        /// deliveries made due.
        SubscriptionRecovered = "subscription.recovered",
        /// The client certificate of a subscription expires soon.
        SubscriptionCertificateExpiring = "subscription.certificate_expiring",
        /// A consumer of a pull subscription was moved.
        ConsumerMoved = "consumer.moved",
        /// A consumer of a pull subscription was deleted.
        ConsumerDeleted = "consumer.deleted",
        /// A delivery was made due by hand.
        DeliveryRetried = "delivery.retried",
        /// A delivery was cancelled.
        DeliveryCancelled = "delivery.cancelled",
        /// A session was opened.
        SessionOpened = "session.opened",
        /// A session was ended before its time.
        SessionEnded = "session.ended",
        /// An operator chose other lines of the log.
        LogFilterChanged = "log.filter_changed",
        /// The record of an owner was changed.
        OwnerChanged = "owner.changed",
        /// A user who does not sign in is suspended soon.
        OwnerSuspending = "owner.suspending",
        /// An owner was suspended.
        OwnerSuspended = "owner.suspended",
        /// An owner is active again.
        OwnerActivated = "owner.activated",
        /// An owner is being erased.
        OwnerErasing = "owner.erasing",
        /// An owner was erased.
        OwnerErased = "owner.erased",
        /// An entry of the catalogue of event types was created, changed or archived.
        EventTypeChanged = "event_type.changed",
    }
}

impl AuditAction {
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
