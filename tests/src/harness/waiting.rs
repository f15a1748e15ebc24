use std::time::Duration;

use tokio::time::{Instant, sleep};

/// How long a test waits at most: long, because other tests run at the same time.
pub(crate) const DEADLINE: Duration = Duration::from_mins(3);

/// Repeats `ask` until it returns `Some`.
pub(crate) async fn eventually<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(start.elapsed() < DEADLINE, "not within {DEADLINE:?}: {what}");
        sleep(Duration::from_millis(10)).await;
    }
}

/// Repeats `is_true` until it is.
pub(crate) async fn until(what: &str, mut is_true: impl AsyncFnMut() -> bool) {
    eventually(what, async || is_true().await.then_some(())).await;
}

/// Repeats a question until its answer is right. A wrong answer fails the test if its question was sent later than `bound`
/// after `start`: the delay of answers on a busy machine does not count.
pub(crate) async fn in_time(start: Instant, bound: Duration, what: &str, mut is_right: impl AsyncFnMut() -> bool) {
    loop {
        let sent = start.elapsed();
        if is_right().await {
            return;
        }
        assert!(sent < bound, "not yet after {sent:?}: {what}");
        sleep(Duration::from_millis(5)).await;
    }
}
