use std::time::Duration;

use domain::ports::StoreError;
use domain::{Absences, LookedForAbsences};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The time between two rounds.
const INTERVAL: Duration = Duration::from_hours(6);
/// The wait after a failure.
const RETRY_INTERVAL: Duration = Duration::from_mins(1);

/// Suspends absent users, until `stop` is cancelled. After each step it waits for the time that the step took, so that it
/// uses one connection for half of the time at most.
pub async fn suspend_absent(absences: Absences, stop: CancellationToken) {
    let steadily = async {
        let mut after = None;
        loop {
            let begun = Instant::now();
            let rest = match absences.look(after.clone()).await {
                Ok(LookedForAbsences { next, failure }) => {
                    if let Some(error) = failure {
                        warn(&error, "cannot suspend an absent user, retrying in the next round");
                    }
                    after = next;
                    if after.is_some() { begun.elapsed() } else { INTERVAL }
                }
                Err(error) => {
                    warn(&error, "cannot look for absent users, retrying in a minute");
                    RETRY_INTERVAL
                }
            };
            tokio::time::sleep(rest).await;
        }
    };
    stop.run_until_cancelled(steadily).await;
}

fn warn(error: &StoreError, message: &str) {
    let error: &dyn std::error::Error = error;
    tracing::warn!(error, "{message}");
}
