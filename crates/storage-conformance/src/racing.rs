//! Calls that start together.

use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::Barrier;

/// A call to make, on any thread.
pub(crate) type Call<Answer> = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// Makes each call in a separate task, and starts them all at once. Returns the answers in the order of the calls.
pub(crate) async fn all_at_once<Answer: Send + 'static>(calls: Vec<Call<Answer>>) -> Vec<Answer> {
    let gate = Arc::new(Barrier::new(calls.len()));
    let start = |call: Call<Answer>| {
        let gate = Arc::clone(&gate);
        tokio::spawn(async move {
            gate.wait().await;
            call.await
        })
    };
    let tasks: Vec<_> = calls.into_iter().map(start).collect();
    let mut answers = Vec::with_capacity(tasks.len());
    for task in tasks {
        answers.push(task.await.expect("no parallel call may panic"));
    }
    answers
}
