use domain::ports::{AttemptCounts, QueueReading, SystemState, SystemStatus, VerificationCounts};

use crate::metrics::Metrics;
use crate::store_watch::Reading;

/// The metrics that an operator sees first. They come from the same sources as those of [`Metrics::write`], so that
/// both agree.
impl SystemStatus for Metrics {
    fn read(&self) -> SystemState {
        let sources = &self.0;
        let mut reading = sources.watch.latest();
        let instances =
            reading.as_mut().map(|reading| std::mem::take(&mut reading.server.instances)).unwrap_or_default();
        SystemState {
            version: sources.build.version,
            commit: sources.build.commit,
            database: sources.database,
            started_at: sources.started_at,
            verifications: self.verifications(),
            events: sources.events.read(),
            attempts: self.attempts(),
            queue: reading.map(queue),
            instances,
            change_feed_age: sources.verifier.feed_age(),
            identity_keys_age: (sources.identity_keys_age)(),
        }
    }
}

impl Metrics {
    fn verifications(&self) -> VerificationCounts {
        let counts = self.0.verifier.counts();
        VerificationCounts { good: counts.good, refused: counts.refused, failed: counts.failed }
    }

    fn attempts(&self) -> Option<AttemptCounts> {
        let counts = self.0.dispatcher.as_ref()?.counts();
        let (delivered, failed, not_charged) = (counts.delivered, counts.failed, counts.not_charged);
        Some(AttemptCounts { delivered, failed, not_charged, cut_off: counts.cut_off })
    }
}

fn queue(reading: Reading) -> QueueReading {
    QueueReading { age: reading.age(), oldest_due_age: reading.oldest_due_age, figures: reading.queue }
}
