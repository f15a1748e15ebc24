use std::sync::Arc;

use counters::Tally;
use domain::audit::{AuditAction, AuditEvent};
use domain::ports::{AuditLog, AuditWatcher};

/// Counts the events that the process writes to the audit log. It leaves out actions of later versions, which other
/// processes have written.
#[derive(Default)]
pub struct CountedAudit(Tally<{ AuditAction::ALL.len() }>);

impl CountedAudit {
    /// Counts every event that is written to this log from now on.
    pub fn of(log: &dyn AuditLog) -> Arc<Self> {
        let counted = Arc::new(Self::default());
        log.watch(Arc::clone(&counted) as _);
        counted
    }

    /// The counts so far.
    pub(crate) fn read(&self) -> impl Iterator<Item = (AuditAction, u64)> {
        AuditAction::ALL.into_iter().zip(self.0.read())
    }
}

impl AuditWatcher for CountedAudit {
    fn written(&self, events: &[AuditEvent]) {
        for event in events {
            if let Some(index) = AuditAction::ALL.iter().position(|known| *known == event.action) {
                self.0.count(index);
            }
        }
    }
}
