use std::sync::Arc;
use std::time::Duration;

use domain::ports::{NotReady, ReadinessCheck};
use domain::{FailuresInARow, Streak};
use futures_util::future::join_all;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::errors::api_error::Chain;
use crate::records::check_outcome::CheckOutcome;

/// How long a good outcome is reused. Anybody may call `/readyz`, and a check writes to the database.
const OK_AGE_MAX: Duration = Duration::from_millis(500);
/// How long a bad outcome is reused. Short, because clients that poll during a start wait for the first good outcome.
const FAILED_AGE_MAX: Duration = Duration::from_millis(20);

/// A check, and the name of its subject in lower case: `database`, `identity-provider`.
pub type NamedCheck = (&'static str, Arc<dyn ReadinessCheck>);

/// Runs the readiness checks, for one request at a time. See decision 22.
pub(crate) struct Readiness {
    checks: Vec<NamedCheck>,
    deadline: Duration,
    latest: Mutex<Latest>,
}

struct Latest {
    outcomes: Option<(Instant, Vec<CheckOutcome>)>,
    /// Of each check.
    failures: Vec<FailuresInARow>,
}

impl Readiness {
    pub(crate) fn new(checks: Vec<NamedCheck>, deadline: Duration) -> Self {
        let latest = Latest { outcomes: None, failures: vec![FailuresInARow::default(); checks.len()] };
        Self { checks, deadline, latest: Mutex::new(latest) }
    }

    /// The outcomes of all checks, or recent ones. Runs the checks in parallel, each within the deadline.
    pub(crate) async fn outcomes(&self) -> Vec<CheckOutcome> {
        let mut latest = self.latest.lock().await;
        if let Some((at, outcomes)) = &latest.outcomes
            && at.elapsed() < age_max(outcomes)
        {
            return outcomes.clone();
        }
        let checked = join_all(self.checks.iter().map(|(_, check)| checked(&**check, self.deadline))).await;
        let with_failures = self.checks.iter().zip(checked).zip(&mut latest.failures);
        let outcomes: Vec<CheckOutcome> = with_failures
            .map(|((&(name, _), checked), failures)| {
                log(name, &checked, failures);
                CheckOutcome::of(name, checked)
            })
            .collect();
        latest.outcomes = Some((Instant::now(), outcomes.clone()));
        outcomes
    }
}

fn age_max(outcomes: &[CheckOutcome]) -> Duration {
    if outcomes.iter().all(CheckOutcome::is_ok) { OK_AGE_MAX } else { FAILED_AGE_MAX }
}

async fn checked(check: &dyn ReadinessCheck, deadline: Duration) -> Result<(), NotReady> {
    let late = |_| Err(NotReady { summary: "did not answer in time", source: None });
    timeout(deadline, check.check()).await.unwrap_or_else(late)
}

/// Logs the first of several failures, and their end: load balancers ask every second.
fn log(check: &str, checked: &Result<(), NotReady>, failures: &mut FailuresInARow) {
    match failures.note(checked) {
        Some(Streak::Began(not_ready)) => tracing::warn!(check, error = %Chain(not_ready), "not ready"),
        Some(Streak::Ended(failures)) => tracing::info!(check, failures, "ready again"),
        None => {}
    }
}
