//! The present primary. Every promotion of a standby begins a timeline with a higher number. A former primary that has
//! not noticed the promotion yet still takes connections, on the old timeline. See decision 95.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, Once, PoisonError};

/// The timeline on which a server writes, as `system:number`: the identifier of the cluster, and the number in decimal. `NULL`
/// on a standby. A promotion notes the timeline at once as the end of its recovery, and later in a checkpoint.
pub(crate) const TIMELINE: &str = "CASE WHEN NOT pg_is_in_recovery() THEN concat(
        (SELECT system_identifier FROM pg_control_system()), ':',
        greatest((SELECT timeline_id FROM pg_control_checkpoint()), (SELECT min_recovery_end_timeline FROM pg_control_recovery()))
    ) END";

/// The same for every server that refuses to tell its timeline. Only `pg_is_in_recovery` says whether it may be used.
pub(crate) const UNTOLD_TIMELINE: &str = "CASE WHEN NOT pg_is_in_recovery() THEN 'untold:0' END";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Timeline {
    system: String,
    number: u32,
}

impl Timeline {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (system, number) = text.split_once(':')?;
        Some(Self { system: system.to_owned(), number: number.parse().ok()? })
    }
}

/// The newest timeline to which this process has connected.
#[derive(Debug, Default)]
pub(crate) struct Timelines {
    newest: Mutex<Option<Timeline>>,
    promotions: AtomicU64,
    are_refused: AtomicBool,
}

impl Timelines {
    /// Whether a server on this timeline may be used: it is not older than another one of the same cluster. Another
    /// cluster, such as a restored copy, may be used.
    pub(crate) fn admit(&self, timeline: Timeline) -> bool {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        match &*newest {
            Some(known) if *known == timeline => return true,
            Some(known) if known.system == timeline.system && known.number > timeline.number => return false,
            Some(_) => drop(self.promotions.fetch_add(1, Ordering::Release)),
            None => {}
        }
        *newest = Some(timeline);
        true
    }

    /// Whether a server has refused to tell its timeline. Later connections do not try again.
    pub(crate) fn are_refused(&self) -> bool {
        self.are_refused.load(Ordering::Relaxed)
    }

    /// Logs once that former primaries are not recognized from now on.
    pub(crate) fn refuse(&self, reason: &str) {
        static SAID: Once = Once::new();
        self.are_refused.store(true, Ordering::Relaxed);
        SAID.call_once(|| {
            tracing::warn!(reason, "the server does not tell its timeline: a former primary is not recognized");
        });
    }

    /// How often the server was replaced. A connection from before the last time leads to a former primary.
    pub(crate) fn promotions(&self) -> u64 {
        self.promotions.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timeline(text: &str) -> Timeline {
        Timeline::parse(text).unwrap()
    }

    #[test]
    fn a_former_primary_is_refused() {
        let timelines = Timelines::default();
        assert!(timelines.admit(timeline("7:9")) && timelines.promotions() == 0);
        assert!(timelines.admit(timeline("7:10")) && timelines.promotions() == 1);
        assert!(timelines.admit(timeline("7:10")) && timelines.promotions() == 1);
        assert!(!timelines.admit(timeline("7:9")));
        assert!(timelines.admit(timeline("8:1")) && timelines.promotions() == 2);
    }

    #[test]
    fn what_is_not_a_timeline_is_not_read() {
        for text in ["", "7", "7:", "7:x", ":"] {
            assert_eq!(Timeline::parse(text), None, "{text}");
        }
    }
}
