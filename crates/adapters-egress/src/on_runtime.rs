use std::sync::Arc;

use async_trait::async_trait;
use domain::ports::{Attempt, WebhookSender};
use domain::webhooks::{AttemptOutcome, OurFault};
use tokio::runtime::Handle;
use tokio_util::task::AbortOnDropHandle;

/// A sender whose attempts all run on one runtime, for callers on other runtimes: a connection that an attempt leaves
/// open belongs to the runtime of the attempt.
pub struct OnRuntime {
    sender: Arc<dyn WebhookSender>,
    runtime: Handle,
}

impl OnRuntime {
    /// The sender, whose attempts run on `runtime`.
    pub fn new(sender: Arc<dyn WebhookSender>, runtime: Handle) -> Self {
        Self { sender, runtime }
    }
}

#[async_trait]
impl WebhookSender for OnRuntime {
    async fn send(&self, attempt: Attempt) -> AttemptOutcome {
        let sender = Arc::clone(&self.sender);
        let task = AbortOnDropHandle::new(self.runtime.spawn(async move { sender.send(attempt).await }));
        task.await.unwrap_or_else(|error| {
            let error: &dyn std::error::Error = &error;
            tracing::error!(error, "a test of a URL panicked");
            AttemptOutcome::NotCharged(OurFault::Request)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use domain::memory::SeededEntropy;
    use domain::webhooks::{FailureReason, Payload, RequestHeaders, TargetUrl};
    use domain::{EventId, Timestamp};
    use tokio::sync::{Notify, oneshot};

    use super::*;

    /// Answers with a timeout after `go_on`; reports the begin of an attempt, and its drop.
    struct Slow {
        began: Notify,
        go_on: Arc<Notify>,
        dropped: std::sync::Mutex<Option<oneshot::Sender<thread::ThreadId>>>,
    }

    struct Last(Option<oneshot::Sender<thread::ThreadId>>);

    impl Drop for Last {
        fn drop(&mut self) {
            if let Some(tell) = self.0.take() {
                tell.send(thread::current().id()).ok();
            }
        }
    }

    #[async_trait]
    impl WebhookSender for Slow {
        async fn send(&self, _: Attempt) -> AttemptOutcome {
            let _last = Last(self.dropped.lock().unwrap().take());
            self.began.notify_one();
            self.go_on.notified().await;
            AttemptOutcome::Failed { reason: FailureReason::Timeout, answer: None }
        }
    }

    fn attempt() -> Attempt {
        Attempt {
            url: TargetUrl::from_stored("https://hooks.example/").unwrap(),
            event_id: EventId::mint(Timestamp::MIN, &SeededEntropy::new(1)),
            payload: Payload::from_bytes(*b"{}"),
            signers: Arc::new([]),
            headers: RequestHeaders::default(),
            sequence: None,
            at: Timestamp::MIN,
            trace: None,
        }
    }

    fn slow() -> (Arc<Notify>, oneshot::Receiver<thread::ThreadId>, Arc<Slow>) {
        let (tell, told) = oneshot::channel();
        let go_on = Arc::new(Notify::new());
        let slow = Slow { began: Notify::new(), go_on: Arc::clone(&go_on), dropped: std::sync::Mutex::new(Some(tell)) };
        (go_on, told, Arc::new(slow))
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn attempts_run_on_the_runtime_that_was_given() {
        let (go_on, ran_on, slow) = slow();
        let own = OnRuntime::new(slow, Handle::current());
        go_on.notify_one();
        let caller = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            (thread::current().id(), runtime.block_on(own.send(attempt())))
        });
        let ran_on = tokio::time::timeout(Duration::from_secs(20), ran_on).await.unwrap().unwrap();
        let (called_on, outcome) = caller.join().unwrap();
        assert_ne!(ran_on, called_on, "the caller's runtime ends before the connection does");
        assert_eq!(outcome, AttemptOutcome::Failed { reason: FailureReason::Timeout, answer: None });
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn a_call_that_is_dropped_ends_its_attempt() {
        let (_, ended, slow) = slow();
        let sender: Arc<Slow> = Arc::clone(&slow);
        let own = OnRuntime::new(sender, Handle::current());
        tokio::select! {
            _ = own.send(attempt()) => panic!("it waits"),
            () = slow.began.notified() => {}
        }
        tokio::time::timeout(Duration::from_secs(20), ended).await.unwrap().expect("the attempt is dropped");
    }
}
