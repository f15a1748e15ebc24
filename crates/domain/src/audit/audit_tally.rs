use std::sync::atomic::{AtomicU64, Ordering};

use super::audit_action::AuditAction;

/// How many events of each action a store has written since the process began.
#[derive(Debug, Default)]
pub struct AuditTally([AtomicU64; AuditAction::ALL.len()]);

impl AuditTally {
    /// Counts events of these actions. A store calls it when the transaction that wrote them is committed.
    pub fn add(&self, actions: &[AuditAction]) {
        for action in actions {
            let index = AuditAction::ALL.iter().position(|known| known == action);
            if let Some(count) = index.and_then(|index| self.0.get(index)) {
                count.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// The counts, of every action of this version.
    pub fn read(&self) -> AuditCounts {
        let counts = self.0.iter().map(|count| count.load(Ordering::Relaxed));
        AuditAction::ALL.into_iter().zip(counts).collect()
    }
}

/// Counts of events by action.
pub type AuditCounts = Vec<(AuditAction, u64)>;
