use std::error::Error;
use std::time::Duration;

use domain::webhooks::Webhooks;
use tokio_util::sync::CancellationToken;

/// The wait after secrets could not be encrypted again.
const RETRY_INTERVAL: Duration = Duration::from_mins(1);

/// Encrypts all stored secrets with the first encryption key, once, so that the other keys are no longer needed. Retries
/// until it succeeds or `stop` is cancelled.
pub async fn reseal_secrets(webhooks: Webhooks, stop: CancellationToken) {
    let until_done = async {
        loop {
            match webhooks.reseal_secrets().await {
                Ok(done) => return report(done.resealed, done.unreadable),
                Err(error) => {
                    let error: &dyn Error = &error;
                    tracing::warn!(error, "cannot encrypt the signing secrets again, retrying in a minute");
                }
            }
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
    };
    stop.run_until_cancelled(until_done).await;
}

fn report(resealed: u64, unreadable: u64) {
    if unreadable > 0 {
        tracing::error!(unreadable, "no encryption key decrypts the signing secrets of some subscriptions");
    }
    tracing::info!(resealed, "encrypted the signing secrets again; only the first encryption key is needed now");
}
