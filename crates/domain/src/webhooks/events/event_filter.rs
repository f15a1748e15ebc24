use super::event::Event;
use super::event_type::EventType;
use crate::{OwnerId, Timestamp};

/// Which events a list shows. `None` in a field shows all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Only events of this user.
    pub owner: Option<OwnerId>,
    /// Only events of this type.
    pub event_type: Option<EventType>,
    /// Only events published at this time or later.
    pub since: Option<Timestamp>,
    /// Only events published before this time.
    pub until: Option<Timestamp>,
}

impl EventFilter {
    /// Whether the list shows `event`. Stores repeat this rule in queries, and the conformance suite compares the two.
    pub fn matches(&self, event: &Event) -> bool {
        self.owner.as_ref().is_none_or(|wanted| *wanted == event.owner)
            && self.event_type.as_ref().is_none_or(|wanted| *wanted == event.event_type)
            && self.since.is_none_or(|since| event.created_at >= since)
            && self.until.is_none_or(|until| event.created_at < until)
    }
}
