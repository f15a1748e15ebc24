use std::sync::Arc;
use std::time::Duration;

use domain::ports::{HeldSnapshot, StoreFigures};
use tokio_util::sync::CancellationToken;

/// How often the oldest snapshot is read.
const INTERVAL: Duration = Duration::from_mins(1);
/// How many reads must find the same snapshot before the log says so: it has been held for five minutes.
const READS_TO_REPORT: u32 = 6;

/// Writes a line to the log when a snapshot of the database has been held for minutes, and another line when it ends, until
/// `stop` is cancelled. See decision 61.
pub async fn watch_snapshots(store: Arc<dyn StoreFigures>, stop: CancellationToken) {
    let watch = async {
        let mut watched = Watched::default();
        loop {
            // An error means that the database is away, which other lines say.
            if let Ok(server) = store.server_figures().await {
                watched.note(server.held_snapshot).into_iter().for_each(Report::log);
            }
            tokio::time::sleep(INTERVAL).await;
        }
    };
    stop.run_until_cancelled(watch).await;
}

/// The oldest snapshot, and how many reads in a row have found it.
#[derive(Default)]
struct Watched {
    oldest: Option<HeldSnapshot>,
    reads: u32,
}

#[derive(Debug, PartialEq, Eq)]
enum Report {
    Held(HeldSnapshot),
    Ended(HeldSnapshot),
}

impl Watched {
    fn note(&mut self, found: Option<HeldSnapshot>) -> Option<Report> {
        if found == self.oldest {
            self.reads = self.reads.saturating_add(1);
            return self.oldest.clone().filter(|_| self.reads == READS_TO_REPORT).map(Report::Held);
        }
        let was_reported = self.reads >= READS_TO_REPORT;
        self.reads = 1;
        std::mem::replace(&mut self.oldest, found).filter(|_| was_reported).map(Report::Ended)
    }
}

impl Report {
    fn log(self) {
        match self {
            Self::Held(HeldSnapshot { holder, .. }) => tracing::warn!(
                holder,
                "a snapshot of the database has been held for five minutes: the tables of webhooks grow until it ends"
            ),
            Self::Ended(HeldSnapshot { holder, .. }) => tracing::info!(holder, "the held snapshot has ended"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_is_reported_once_when_it_is_held_and_once_when_it_ends() {
        let snapshot = |state: &str| HeldSnapshot { holder: "session 7".into(), state: state.into() };
        let mut watched = Watched::default();
        let mut reports = |found: Option<&str>, reads: usize| -> Vec<Report> {
            (0..reads).filter_map(|_| watched.note(found.map(snapshot))).collect()
        };
        assert_eq!(reports(None, 20), []);
        assert_eq!(reports(Some("700"), 5), [], "it may end soon");
        assert_eq!(reports(None, 1), [], "an end that nobody waits for");
        assert_eq!(reports(Some("701"), 20), [Report::Held(snapshot("701"))]);
        assert_eq!(reports(Some("702"), 5), [Report::Ended(snapshot("701"))], "the same session goes on");
        assert_eq!(reports(Some("702"), 1), [Report::Held(snapshot("702"))]);
        assert_eq!(reports(None, 20), [Report::Ended(snapshot("702"))]);
    }
}
