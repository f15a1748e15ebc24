use crate::named::named;
use crate::webhooks::{EventType, SubscribedEvents};

/// The deliveries that a recovery retries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecoveryFilter {
    /// Whether failed deliveries, missed ones, or both.
    pub what: Recoverable,
    /// Only deliveries of these events; of all events without it.
    pub events: Option<SubscribedEvents>,
}

impl RecoveryFilter {
    /// Whether the recovery includes deliveries of events with this type.
    pub fn has_type(&self, event_type: &EventType) -> bool {
        self.events.as_ref().is_none_or(|events| events.matches(event_type))
    }

    /// The same for a stored name of a type, which may be damaged.
    pub fn has_type_named(&self, name: &str) -> bool {
        self.events.is_none() || EventType::parse(name).is_ok_and(|event_type| self.has_type(&event_type))
    }
}

impl From<Recoverable> for RecoveryFilter {
    fn from(what: Recoverable) -> Self {
        Self { what, events: None }
    }
}

named! {
    /// The deliveries that a recovery retries.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Recoverable: as_str, parse {
        /// Failed and missed deliveries.
        #[default]
        All = "all",
        /// Deliveries that failed or wait for a retry.
        Failed = "failed",
        /// Deliveries of events that were published while the subscription was disabled.
        Missed = "missed",
    }
}

impl Recoverable {
    /// Whether the recovery includes deliveries that failed or wait for a retry.
    pub fn has_failed(self) -> bool {
        self != Self::Missed
    }

    /// Whether the recovery includes missed deliveries.
    pub fn has_missed(self) -> bool {
        self != Self::Failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for kind in Recoverable::ALL {
            assert_eq!(Recoverable::parse(kind.as_str()), Some(kind));
            assert!(kind.has_failed() || kind.has_missed());
        }
        assert_eq!(Recoverable::parse("waiting"), None);
    }
}
