use super::audit_action::AuditAction;
use super::audit_event::{AuditEvent, AuditTarget};
use super::origin::Actor;
use crate::{OwnerId, Timestamp};

/// Which events a list shows. `None` shows all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Events of this owner.
    pub owner: Option<OwnerId>,
    /// Events of this actor.
    pub actor: Option<Actor>,
    /// Events of this action.
    pub action: Option<AuditAction>,
    /// Events of this target.
    pub target: Option<AuditTarget>,
    /// Events at this time or later.
    pub since: Option<Timestamp>,
    /// Events before this time.
    pub until: Option<Timestamp>,
}

impl AuditFilter {
    /// Whether a list shows the event.
    pub fn matches(&self, event: &AuditEvent) -> bool {
        self.owner.as_ref().is_none_or(|owner| *owner == event.owner)
            && self.actor.as_ref().is_none_or(|actor| *actor == event.origin.actor)
            && self.action.is_none_or(|action| action == event.action)
            && self.target.is_none_or(|target| target == event.target)
            && self.since.is_none_or(|since| event.at() >= since)
            && self.until.is_none_or(|until| event.at() < until)
    }
}
