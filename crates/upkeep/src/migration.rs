use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use domain::ports::{MigrateError, Schema};
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The wait before the next call to a database that is unavailable.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);
/// How often the log repeats that the database is still unavailable.
const LOG_INTERVAL: Duration = Duration::from_mins(1);

/// Migrates the schema, or only reads it without `migrate`, and runs `check` when the schema is complete, and while a
/// database does not answer. Retries until the database is available. `tried` is notified after the first attempt.
///
/// # Errors
///
/// When a retry cannot help: the schema is newer than this program, a migration failed, or the database cannot be
/// used.
pub async fn migrate_until_done(
    schema: Arc<dyn Schema>,
    migrate: bool,
    check: impl AsyncFn() -> Result<(), MigrateError>,
    tried: Arc<Notify>,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let (mut logged_at, mut is_checked) = (None, false);
    loop {
        let outcome = match if migrate { apply(&*schema).await } else { look(&*schema).await } {
            Ok(Complete(true)) => check().await,
            Ok(Complete(false)) => Ok(()),
            // One of several databases may not answer, while another one shows that this instance must not serve.
            Err(error) if may_pass(&error) && !is_checked => {
                let checked = check().await;
                is_checked = checked.is_ok();
                Err(checked.err().filter(|found| !may_pass(found)).unwrap_or(error))
            }
            Err(error) => Err(error),
        };
        tried.notify_one();
        match outcome {
            Ok(()) => return Ok(()),
            Err(error) if may_pass(&error) => {
                if is_due(&mut logged_at, Instant::now()) {
                    let error: &dyn Error = &error;
                    tracing::warn!(error, "cannot check the schema, retrying every second; /readyz fails until then");
                }
            }
            Err(error) => return Err(error.into()),
        }
        if stop.run_until_cancelled(tokio::time::sleep(RETRY_INTERVAL)).await.is_none() {
            return Ok(());
        }
    }
}

/// Whether a retry may help.
fn may_pass(error: &MigrateError) -> bool {
    match error {
        MigrateError::Unavailable(_) | MigrateError::Busy { .. } => true,
        MigrateError::Newer { .. } | MigrateError::Failed { .. } | MigrateError::Unusable(_) => false,
    }
}

/// Whether a failure is logged at `now`: the first one, and then one in each [`LOG_INTERVAL`].
fn is_due(logged_at: &mut Option<Instant>, now: Instant) -> bool {
    let is_due = logged_at.is_none_or(|at| now.duration_since(at) >= LOG_INTERVAL);
    if is_due {
        *logged_at = Some(now);
    }
    is_due
}

/// Whether the database has every migration.
struct Complete(bool);

async fn apply(schema: &dyn Schema) -> Result<Complete, MigrateError> {
    let applied = schema.migrate().await?;
    if let Some(last) = applied.last() {
        tracing::info!(count = applied.len(), last, "migrated the schema");
    }
    Ok(Complete(true))
}

async fn look(schema: &dyn Schema) -> Result<Complete, MigrateError> {
    let pending = schema.status().await?.iter().filter(|migration| !migration.applied).count();
    if pending > 0 {
        tracing::warn!(pending, "the schema lacks migrations: run `gatepost migrate`");
    }
    Ok(Complete(pending == 0))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use async_trait::async_trait;

    use super::*;

    /// A database that is unavailable for this many calls.
    struct Away(usize, AtomicUsize);

    #[async_trait]
    impl Schema for Away {
        async fn migrate(&self) -> Result<Vec<String>, MigrateError> {
            let calls = self.1.fetch_add(1, Ordering::SeqCst);
            if calls < self.0 { Err(MigrateError::Busy { seconds: 1 }) } else { Ok(vec!["the first".into()]) }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_database_that_does_not_answer_hides_no_final_failure_of_the_check() {
        let schema = Arc::new(Away(usize::MAX, AtomicUsize::new(0)));
        let foreign = async || Err(MigrateError::Unusable("another key".into()));
        let ended = migrate_until_done(schema, true, foreign, Arc::default(), CancellationToken::new()).await;
        assert_eq!(ended.unwrap_err().root_cause().to_string(), "another key");
    }

    #[tokio::test(start_paused = true)]
    async fn retries_every_second_and_counts_warnings_by_the_minute() {
        let (schema, tried) = (Arc::new(Away(150, AtomicUsize::new(0))), Arc::new(Notify::new()));
        let started = Instant::now();
        let stop = CancellationToken::new();
        migrate_until_done(Arc::clone(&schema) as _, true, async || Ok(()), Arc::clone(&tried), stop).await.unwrap();
        assert_eq!(started.elapsed(), Duration::from_secs(150));
        tried.notified().await;
        let mut logged_at = None;
        let warnings = (0..150).filter(|second| is_due(&mut logged_at, started + Duration::from_secs(*second))).count();
        assert_eq!(warnings, 3, "at 0 s, 60 s and 120 s");
    }
}
