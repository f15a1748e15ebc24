//! `/api/operator/system`.

use std::time::Duration;

use domain::Timestamp;
use domain::ports::{
    AttemptCounts, EventCounts, LaneFigures, QueueFigures, QueueReading, SystemState, SystemStatus, VerificationCounts,
    VersionCount,
};
use domain::webhooks::{DisableReason, SubscriptionStatus};
use insta::assert_snapshot;

use crate::server::Server;
use crate::transcript::{OPERATOR, Transcript, request};

/// Another number in each field.
pub(crate) struct FixedSystem;

impl SystemStatus for FixedSystem {
    fn read(&self) -> SystemState {
        let gone = SubscriptionStatus::DisabledByService(DisableReason::Gone);
        let figures = QueueFigures {
            waiting: 12,
            oldest_due: None,
            lanes: LaneFigures { open: 13, paused: 14, closed: 15 },
            subscriptions: vec![(SubscriptionStatus::Enabled, 16), (gone, 17)],
        };
        let (age, oldest_due_age) = (Duration::from_micros(4_200_900), Duration::from_secs(90));
        SystemState {
            version: "1.2.3",
            commit: "abcdef0",
            database: "postgres",
            started_at: Timestamp::from_unix_millis(1_795_225_323_120).unwrap(),
            verifications: VerificationCounts { good: 1, refused: 2, failed: 3 },
            events: EventCounts { accepted: 4, duplicate: 5, conflict: 6, failed: 7 },
            attempts: Some(AttemptCounts { delivered: 8, failed: 9, not_charged: 10, cut_off: 11 }),
            queue: Some(QueueReading { age, figures, oldest_due_age }),
            instances: vec![VersionCount { version: "1.2.2".to_owned(), instances: 18 }],
            change_feed_age: None,
            identity_keys_age: Some(Duration::from_mins(10)),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn shows_each_figure_under_its_name() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    transcript.send(&server, request("GET /api/operator/system").header(OPERATOR)).await;
    assert_snapshot!(transcript.text());
}
