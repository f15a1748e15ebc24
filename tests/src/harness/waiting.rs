use std::time::Duration;

use tokio::time::{Instant, sleep};

/// How long anything may take that a test waits for: generous, since other tests run beside it.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

/// Asks again and again until the answer is `Some`.
pub(crate) async fn eventually<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(start.elapsed() < DEADLINE, "waited {DEADLINE:?} in vain: {what}");
        sleep(Duration::from_millis(10)).await;
    }
}
