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
