use std::fmt;
use std::str::FromStr;

use super::audit_action::AuditAction;
use super::field_change::FieldChange;
use super::origin::Origin;
use crate::{AuditId, DeliveryId, KeyId, SessionId, SubscriptionId, Timestamp, UserId};

const KEYS: &str = "keys";

/// One entry of the audit log. It has no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEvent {
    /// Identifies the entry. Lists are sorted by it. It has the time.
    pub id: AuditId,
    /// Who did it, how, and from where.
    pub origin: Origin,
    /// What was done.
    pub action: AuditAction,
    /// What it was done to.
    pub target: AuditTarget,
    /// The user to whom the target belongs.
    pub owner: UserId,
    /// What changed, of what is not secret; often nothing.
    pub changes: Vec<FieldChange>,
}

/// What an action was done to. Its text form is the id, or `keys` for all keys of the owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AuditTarget {
    /// An API key.
    Key(KeyId),
    /// A subscription.
    Subscription(SubscriptionId),
    /// A delivery.
    Delivery(DeliveryId),
    /// A session.
    Session(SessionId),
    /// All keys of the owner.
    Keys,
}

/// The string is not the text form of an [`AuditTarget`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a target of an action")]
pub struct InvalidAuditTarget;

impl AuditEvent {
    /// When it was done.
    pub fn at(&self) -> Timestamp {
        self.id.at()
    }
}

impl AuditTarget {
    /// The kind of the target, which the API uses.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Key(_) => "apiKey",
            Self::Subscription(_) => "subscription",
            Self::Delivery(_) => "delivery",
            Self::Session(_) => "session",
            Self::Keys => "apiKeys",
        }
    }
}

impl fmt::Display for AuditTarget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(id) => write!(formatter, "{id}"),
            Self::Subscription(id) => write!(formatter, "{id}"),
            Self::Delivery(id) => write!(formatter, "{id}"),
            Self::Session(id) => write!(formatter, "{id}"),
            Self::Keys => formatter.write_str(KEYS),
        }
    }
}

impl FromStr for AuditTarget {
    type Err = InvalidAuditTarget;

    fn from_str(text: &str) -> Result<Self, InvalidAuditTarget> {
        if text == KEYS {
            return Ok(Self::Keys);
        }
        let key = text.parse().map(Self::Key);
        let other = || text.parse().map(Self::Subscription).or_else(|_| text.parse().map(Self::Delivery));
        let found = key.or_else(|_| other()).or_else(|_| text.parse().map(Self::Session));
        found.map_err(|_| InvalidAuditTarget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_read_what_they_write_and_nothing_else() {
        let bytes = [7; 16];
        for target in [
            AuditTarget::Key(KeyId::from_bytes(bytes)),
            AuditTarget::Subscription(SubscriptionId::from_bytes(bytes)),
            AuditTarget::Delivery(DeliveryId::from_bytes(bytes)),
            AuditTarget::Session(SessionId::from_bytes(bytes)),
            AuditTarget::Keys,
        ] {
            assert_eq!(target.to_string().parse(), Ok(target));
        }
        for wrong in ["", "key", "evt_01h455vb4pex5vsknk084sn02q", "keys "] {
            assert_eq!(wrong.parse::<AuditTarget>(), Err(InvalidAuditTarget), "{wrong:?}");
        }
    }
}
