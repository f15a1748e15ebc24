use std::future;

use anyhow::{Context, Result, anyhow};
use tokio::task::{JoinError, JoinSet};

/// The background tasks. A task that panics or fails stops the instance: a server that no longer writes uses or
/// refreshes the provider's keys would only look healthy.
#[derive(Default)]
pub struct Tasks(JoinSet<(&'static str, Result<()>)>);

impl Tasks {
    /// Starts a task that may fail.
    pub fn spawn(&mut self, name: &'static str, task: impl Future<Output = Result<()>> + Send + 'static) {
        self.0.spawn(async move { (name, task.await) });
    }

    /// Starts a task that runs until it is stopped.
    pub fn spawn_steady(&mut self, name: &'static str, task: impl Future<Output = ()> + Send + 'static) {
        self.spawn(name, async move {
            task.await;
            Ok(())
        });
    }

    /// Waits for the first task that fails or panics. Never returns while all tasks run.
    pub async fn first_failure(&mut self) -> anyhow::Error {
        while let Some(ended) = self.0.join_next().await {
            if let Err(error) = outcome(ended) {
                return error;
            }
        }
        future::pending().await
    }

    /// Waits until all tasks have ended.
    ///
    /// # Errors
    ///
    /// The first failure.
    pub async fn finish(mut self) -> Result<()> {
        let mut result = Ok(());
        while let Some(ended) = self.0.join_next().await {
            result = result.and(outcome(ended));
        }
        result
    }
}

fn outcome(ended: Result<(&'static str, Result<()>), JoinError>) -> Result<()> {
    match ended {
        Ok((name, result)) => result.with_context(|| format!("{name} failed")),
        // The log has the panic itself.
        Err(_) => Err(anyhow!("a background task panicked")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_task_that_fails_is_named_and_one_that_ends_is_not() {
        let mut tasks = Tasks::default();
        tasks.spawn_steady("the idle one", future::pending());
        tasks.spawn_steady("the quick one", future::ready(()));
        tasks.spawn("the weak one", async {
            tokio::task::yield_now().await;
            Err(anyhow!("no more"))
        });
        assert_eq!(format!("{:#}", tasks.first_failure().await), "the weak one failed: no more");
    }

    #[tokio::test]
    async fn a_panic_is_a_failure() {
        let mut tasks = Tasks::default();
        tasks.spawn_steady("the unlucky one", async { panic!("on purpose") });
        assert_eq!(tasks.first_failure().await.to_string(), "a background task panicked");
    }

    #[tokio::test]
    async fn the_end_waits_for_all_tasks_and_reports_failures() {
        let mut tasks = Tasks::default();
        tasks.spawn("the weak one", async { Err(anyhow!("no more")) });
        let (done, mut is_done) = tokio::sync::oneshot::channel();
        tasks.spawn_steady("the slow one", async move {
            tokio::task::yield_now().await;
            done.send(()).expect("somebody asks");
        });
        assert!(tasks.finish().await.is_err());
        assert_eq!(is_done.try_recv(), Ok(()));
        assert!(Tasks::default().finish().await.is_ok());
    }
}
