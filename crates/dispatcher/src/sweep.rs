use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::claiming::flatten;
use crate::dispatcher::Dispatcher;
use crate::outage::Outage;
use crate::{POLL_INTERVAL, STORE_TIMEOUT, SWEEP_MAX};

/// Ends the waiting deliveries of closed lanes, each chunk in a transaction. Runs when this process closes a lane, and
/// every [`POLL_INTERVAL`], because owners and other processes close lanes too.
pub(crate) async fn sweep_closed_lanes(dispatcher: &Dispatcher, stop: &CancellationToken) {
    let sweeping = async {
        let mut outage = Outage::of("ending deliveries of closed lanes");
        loop {
            if !dispatcher.clock.is_certain() {
                // A clock that is ahead would treat deliveries that other processes are sending as forgotten.
                sleep(POLL_INTERVAL).await;
                continue;
            }
            let now = dispatcher.clock.now();
            match flatten(timeout(STORE_TIMEOUT, dispatcher.queue.end_closed(now, SWEEP_MAX)).await) {
                Ok(0) => {
                    outage.worked();
                    tokio::select! {
                        biased;
                        () = sleep(POLL_INTERVAL) => {}
                        () = dispatcher.lane_closed.notified() => {}
                    }
                }
                Ok(ended) => {
                    outage.worked();
                    tracing::debug!(ended, "webhook deliveries of closed lanes ended");
                }
                Err(error) => sleep(outage.failed(&error)).await,
            }
        }
    };
    stop.run_until_cancelled(sweeping).await;
}
