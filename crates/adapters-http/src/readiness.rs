use std::sync::Arc;
use std::time::Duration;

use domain::ports::{NotReady, ReadinessCheck};
use futures_util::future::join_all;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::errors::api_error::Chain;
use crate::records::check_outcome::CheckOutcome;

/// How long a good outcome is reused. Anybody may call `/readyz`, and a check writes to the database.
const OK_AGE_MAX: Duration = Duration::from_millis(500);
/// How long a bad outcome is reused. Short, because clients that poll during a start wait for the first good outcome.
const FAILED_AGE_MAX: Duration = Duration::from_millis(20);

/// Runs the readiness checks, for one request at a time. See decision 22.
pub(crate) struct Readiness {
    checks: Vec<Arc<dyn ReadinessCheck>>,
    deadline: Duration,
    latest: Mutex<Option<(Instant, Vec<CheckOutcome>)>>,
}

impl Readiness {
    pub(crate) fn new(checks: Vec<Arc<dyn ReadinessCheck>>, deadline: Duration) -> Self {
        Self { checks, deadline, latest: Mutex::new(None) }
    }

    /// The outcomes of all checks, or recent ones. Runs the checks in parallel, each within the deadline.
    pub(crate) async fn outcomes(&self) -> Vec<CheckOutcome> {
        let mut latest = self.latest.lock().await;
        if let Some((at, outcomes)) = &*latest
            && at.elapsed() < age_max(outcomes)
        {
            return outcomes.clone();
        }
        let outcomes = join_all(self.checks.iter().map(|check| outcome(&**check, self.deadline))).await;
        *latest = Some((Instant::now(), outcomes.clone()));
        outcomes
    }
}

fn age_max(outcomes: &[CheckOutcome]) -> Duration {
    if outcomes.iter().all(CheckOutcome::is_ok) { OK_AGE_MAX } else { FAILED_AGE_MAX }
}

async fn outcome(check: &dyn ReadinessCheck, deadline: Duration) -> CheckOutcome {
    let name = check.name();
    let late = || NotReady { summary: "did not answer in time", source: None };
    let checked = timeout(deadline, check.check()).await.unwrap_or_else(|_| Err(late()));
    if let Err(not_ready) = &checked {
        tracing::warn!(check = name, error = %Chain(not_ready), "not ready");
    }
    CheckOutcome::of(name, checked)
}
