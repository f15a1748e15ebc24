use std::fmt;
use std::str::FromStr;

use super::audit_action::AuditAction;
use super::field_change::FieldChange;
use super::later_name::LaterName;
use super::origin::Origin;
use crate::{AuditId, DeliveryId, EventId, KeyId, OwnerId, SessionId, SubscriptionId, Timestamp};

/// Targets without an id, by their text form: everything of one kind that an owner has, the log, and the catalogue.
const WORDS: [(&str, AuditTarget); 8] = [
    ("keys", AuditTarget::Keys),
    ("subscriptions", AuditTarget::Subscriptions),
    ("deliveries", AuditTarget::Deliveries),
    ("sessions", AuditTarget::Sessions),
    ("events", AuditTarget::Events),
    ("log", AuditTarget::Log),
    ("owner", AuditTarget::Owner),
    ("event_types", AuditTarget::EventTypes),
];

/// One entry of the audit log. It has no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEvent {
    /// Identifies the entry, sorts lists, and has the time.
    pub id: AuditId,
    /// The actor, means, request and address.
    pub origin: Origin,
    /// The action.
    pub action: AuditAction,
    /// The target of the action.
    pub target: AuditTarget,
    /// The user to whom the target belongs.
    pub owner: OwnerId,
    /// The changes of fields that are not secret; often none.
    pub changes: Vec<FieldChange>,
}

/// What an action was done to. Its text form is the id, or a word: `keys` for all keys of the owner, `log` for the log,
/// `event_types` for the catalogue.
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
    /// A published event.
    Event(EventId),
    /// All keys of the owner.
    Keys,
    /// All subscriptions of the owner.
    Subscriptions,
    /// All deliveries to the owner.
    Deliveries,
    /// All sessions of the owner.
    Sessions,
    /// All events that were published to the owner.
    Events,
    /// The log of an instance.
    Log,
    /// The record of the owner.
    Owner,
    /// The catalogue of event types.
    EventTypes,
    /// Something that a later version has.
    Later(LaterName),
}

/// The string is not the text form of an [`AuditTarget`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a target of an action")]
pub struct InvalidAuditTarget;

impl AuditEvent {
    /// When the action took place.
    pub fn at(&self) -> Timestamp {
        self.id.at()
    }

    /// Whether an operational event announces it. Events of the operator's subscription are not announced: a failing
    /// receiver would get events about itself. See decision 89.
    pub fn is_announced(&self) -> bool {
        self.action.is_announced() && !self.owner.is_of_operator()
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
            Self::Event(_) => "event",
            Self::Keys => "apiKeys",
            Self::Subscriptions => "subscriptions",
            Self::Deliveries => "deliveries",
            Self::Sessions => "sessions",
            Self::Events => "events",
            Self::Log => "log",
            Self::Owner => "owner",
            Self::EventTypes => "eventTypes",
            Self::Later(_) => "other",
        }
    }

    /// The text forms of targets, as a regular expression of JSON Schema.
    pub fn pattern() -> String {
        let ids = [KeyId::PATTERN, SubscriptionId::PATTERN, DeliveryId::PATTERN, SessionId::PATTERN, EventId::PATTERN];
        let words = WORDS.map(|(word, _)| word).join("|");
        format!("{}|^({words})$", ids.join("|"))
    }

    /// The target that a store has under this text; `None` if no version writes such a string.
    pub fn of_stored(text: &str) -> Option<Self> {
        text.parse().ok().or_else(|| LaterName::new(text).map(Self::Later))
    }

    /// The text form of a target without an id; `None` for one that has an id.
    pub fn word(&self) -> Option<&'static str> {
        WORDS.iter().find(|(_, target)| target == self).map(|(word, _)| *word)
    }
}

impl fmt::Display for AuditTarget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(id) => write!(formatter, "{id}"),
            Self::Subscription(id) => write!(formatter, "{id}"),
            Self::Delivery(id) => write!(formatter, "{id}"),
            Self::Session(id) => write!(formatter, "{id}"),
            Self::Event(id) => write!(formatter, "{id}"),
            Self::Later(name) => formatter.write_str(name.as_str()),
            without_id => formatter.write_str(without_id.word().unwrap_or_default()),
        }
    }
}

impl FromStr for AuditTarget {
    type Err = InvalidAuditTarget;

    fn from_str(text: &str) -> Result<Self, InvalidAuditTarget> {
        let without_id = WORDS.iter().find(|(word, _)| *word == text).map(|(_, target)| *target);
        let found = without_id
            .or_else(|| text.parse().ok().map(Self::Key))
            .or_else(|| text.parse().ok().map(Self::Subscription))
            .or_else(|| text.parse().ok().map(Self::Delivery))
            .or_else(|| text.parse().ok().map(Self::Session))
            .or_else(|| text.parse().ok().map(Self::Event));
        found.ok_or(InvalidAuditTarget)
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
            AuditTarget::Event(EventId::from_bytes(bytes)),
        ] {
            assert_eq!((target.to_string().parse(), target.word()), (Ok(target), None));
        }
        for (word, target) in WORDS {
            assert_eq!((&*target.to_string(), target.word()), (word, Some(word)));
            assert_eq!(target.to_string().parse(), Ok(target));
        }
        for wrong in ["", "key", "aud_01h455vb4pex5vsknk084sn02q", "keys "] {
            assert_eq!(wrong.parse::<AuditTarget>(), Err(InvalidAuditTarget), "{wrong:?}");
        }
    }
}
