use std::collections::HashMap;
use std::sync::Arc;
use std::{future, io};

use anyhow::{Context, Result, anyhow, ensure};
use domain::ports::Close;
use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

/// Every task that runs for the life of the instance. A task that panics, fails, or ends too early stops the instance:
/// a server that no longer writes uses or refreshes the provider's keys would only look healthy.
#[derive(Default)]
pub struct Tasks {
    running: JoinSet<Result<()>>,
    names: HashMap<Id, &'static str>,
}

impl Tasks {
    /// Starts a task that may fail.
    pub fn spawn(&mut self, name: &'static str, task: impl Future<Output = Result<()>> + Send + 'static) {
        self.names.insert(self.running.spawn(task).id(), name);
    }

    /// Starts a task that runs until `stop` is cancelled. To end earlier is a failure.
    pub fn spawn_steady(
        &mut self,
        name: &'static str,
        stop: &CancellationToken,
        task: impl Future<Output = ()> + Send + 'static,
    ) {
        let stop = stop.clone();
        self.spawn(name, async move {
            task.await;
            ensure!(stop.is_cancelled(), "it has ended by itself");
            Ok(())
        });
    }

    /// Starts a task that has a certain amount of work, and ends with it.
    pub fn spawn_finite(&mut self, name: &'static str, task: impl Future<Output = ()> + Send + 'static) {
        self.spawn(name, async move {
            task.await;
            Ok(())
        });
    }

    /// Starts a task that fails when a thread or task of the store has ended.
    pub fn spawn_watch(&mut self, store: Arc<dyn Close>, stop: CancellationToken) {
        self.spawn("the database", async move {
            match stop.run_until_cancelled(store.part_ended()).await {
                Some(part) => Err(anyhow!("{part} has ended")),
                None => Ok(()),
            }
        });
    }

    /// Runs the server to its end. If a task or `once_serving` fails before, cancels `stop`, which stops the server in
    /// order.
    ///
    /// # Errors
    ///
    /// The first failure.
    pub async fn run_beside(
        &mut self,
        server: impl Future<Output = io::Result<()>>,
        once_serving: impl Future<Output = Result<()>>,
        stop: &CancellationToken,
    ) -> Result<()> {
        let mut server = std::pin::pin!(server);
        let reason = tokio::select! {
            ended = &mut server => return ended.context("the HTTP server failed"),
            failure = self.first_failure() => failure,
            Err(failure) = once_serving => failure,
        };
        tracing::error!(error = format!("{reason:#}"), "a part of gatepost has failed, shutting down");
        stop.cancel();
        server.await.context("the HTTP server failed")?;
        Err(reason)
    }

    /// Waits for the first task that fails or panics. Never returns while all tasks run.
    pub async fn first_failure(&mut self) -> anyhow::Error {
        while let Some(ended) = self.running.join_next_with_id().await {
            if let Err(error) = self.outcome(ended) {
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
        while let Some(ended) = self.running.join_next_with_id().await {
            result = result.and(self.outcome(ended));
        }
        result
    }

    fn outcome(&mut self, ended: Result<(Id, Result<()>), JoinError>) -> Result<()> {
        let (id, result) = match ended {
            Ok((id, result)) => (id, result),
            // The log has the panic.
            Err(error) => (error.id(), Err(anyhow!("it panicked"))),
        };
        let name = self.names.remove(&id).unwrap_or("a background task");
        result.with_context(|| format!("{name} failed"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Broken;

    #[async_trait::async_trait]
    impl Close for Broken {
        async fn part_ended(&self) -> &'static str {
            "the thread that writes"
        }
    }

    #[tokio::test]
    async fn a_store_that_loses_a_part_stops_the_server_in_order() {
        let (stop, mut tasks) = (CancellationToken::new(), Tasks::default());
        tasks.spawn_watch(Arc::new(Broken), CancellationToken::new());
        let server = async {
            stop.cancelled().await;
            Ok(())
        };
        let reason = tasks.run_beside(server, future::pending(), &stop).await.unwrap_err();
        assert_eq!(format!("{reason:#}"), "the database failed: the thread that writes has ended");
    }

    #[tokio::test]
    async fn a_task_that_fails_is_named_and_one_that_ends_is_not() {
        let mut tasks = Tasks::default();
        tasks.spawn_steady("the idle one", &CancellationToken::new(), future::pending());
        tasks.spawn_finite("the quick one", future::ready(()));
        tasks.spawn("the weak one", async {
            tokio::task::yield_now().await;
            Err(anyhow!("no more"))
        });
        assert_eq!(format!("{:#}", tasks.first_failure().await), "the weak one failed: no more");
    }

    #[tokio::test]
    async fn a_panic_is_a_failure() {
        let mut tasks = Tasks::default();
        tasks.spawn_steady("the unlucky one", &CancellationToken::new(), async { panic!("on purpose") });
        assert_eq!(format!("{:#}", tasks.first_failure().await), "the unlucky one failed: it panicked");
    }

    #[tokio::test]
    async fn to_end_before_the_stop_is_a_failure() {
        let (mut tasks, stop) = (Tasks::default(), CancellationToken::new());
        tasks.spawn_steady("the lazy one", &stop, future::ready(()));
        assert_eq!(format!("{:#}", tasks.first_failure().await), "the lazy one failed: it has ended by itself");
        stop.cancel();
        tasks.spawn_steady("the obedient one", &stop, future::ready(()));
        assert!(tasks.finish().await.is_ok());
    }

    #[tokio::test]
    async fn the_end_waits_for_all_tasks_and_reports_failures() {
        let mut tasks = Tasks::default();
        tasks.spawn("the weak one", async { Err(anyhow!("no more")) });
        let (done, mut is_done) = tokio::sync::oneshot::channel();
        tasks.spawn_finite("the slow one", async move {
            tokio::task::yield_now().await;
            done.send(()).expect("somebody asks");
        });
        assert!(tasks.finish().await.is_err());
        assert_eq!(is_done.try_recv(), Ok(()));
        assert!(Tasks::default().finish().await.is_ok());
    }
}
