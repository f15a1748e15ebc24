use std::time::Duration;

use domain::announcements::Announcements;
use domain::ports::StoreError;
use domain::{SubscriptionId, Timestamp};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How often events to announce are read from the audit log: one look at an index that is usually empty.
const ANNOUNCE_INTERVAL: Duration = Duration::from_secs(1);
/// The interval at which keys that expire soon are looked for.
const EXPIRY_INTERVAL: Duration = Duration::from_mins(1);
/// The wait after a round that has read all subscriptions. A round reads some of them in each second.
const CERTIFICATES_INTERVAL: Duration = Duration::from_mins(1);
/// How often the log repeats that announcing fails.
const LOG_INTERVAL: Duration = Duration::from_mins(1);

/// Publishes operational events, until `stop` is cancelled. Retries every second. See decision 89.
pub async fn announce_steadily(announcements: Announcements, stop: CancellationToken) {
    let steadily = async {
        let mut round = Round::default();
        loop {
            if let Err(error) = round.run(&announcements).await {
                round.report(&error);
            }
            tokio::time::sleep(ANNOUNCE_INTERVAL).await;
        }
    };
    stop.run_until_cancelled(steadily).await;
}

#[derive(Default)]
struct Round {
    /// The result of the last look for keys that expire soon, and its time.
    expiry: Option<(Timestamp, Instant)>,
    certificates: CertificateRound,
    reported_at: Option<Instant>,
}

/// The place of a round that looks for client certificates that expire soon.
#[derive(Default)]
struct CertificateRound {
    after: Option<SubscriptionId>,
    /// When the last round ended.
    ended_at: Option<Instant>,
}

impl Round {
    /// Announces even if one of the looks fails, as both do while one of several databases does not answer.
    async fn run(&mut self, announcements: &Announcements) -> Result<(), StoreError> {
        let keys = self.note_expiring_keys(announcements).await;
        let certificates = self.certificates.step(announcements).await;
        while announcements.announce().await? > 0 {}
        keys.and(certificates)
    }

    async fn note_expiring_keys(&mut self, announcements: &Announcements) -> Result<(), StoreError> {
        if self.expiry.is_none_or(|(_, ended_at)| ended_at.elapsed() >= EXPIRY_INTERVAL) {
            let last = announcements.note_expiring_keys(self.expiry.map(|(last, _)| last)).await?;
            self.expiry = Some((last, Instant::now()));
        }
        Ok(())
    }

    fn report(&mut self, error: &StoreError) {
        if self.reported_at.is_none_or(|at| at.elapsed() >= LOG_INTERVAL) {
            self.reported_at = Some(Instant::now());
            let error: &dyn std::error::Error = error;
            tracing::warn!(error, "cannot publish operational events, retrying every second");
        }
    }
}

impl CertificateRound {
    async fn step(&mut self, announcements: &Announcements) -> Result<(), StoreError> {
        if self.ended_at.is_some_and(|at| at.elapsed() < CERTIFICATES_INTERVAL) {
            return Ok(());
        }
        self.after = announcements.note_expiring_certificates(self.after).await?;
        self.ended_at = self.after.is_none().then(Instant::now);
        Ok(())
    }
}
