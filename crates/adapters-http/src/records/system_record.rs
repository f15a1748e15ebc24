use std::time::Duration;

use domain::ports::{
    AttemptCounts, EventCounts, LaneFigures, QueueReading, SystemState, VerificationCounts, VersionCount,
};
use domain::webhooks::DisabledBy;
use serde::Serialize;
use utoipa::ToSchema;

/// How the instance that answers and the store are doing. Counts begin at 0 when the process starts.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SystemState)]
pub(crate) struct SystemRecord {
    /// The version of the program.
    #[schema(example = "0.1.0")]
    version: &'static str,
    /// The commit that it was built from, or `unknown`.
    #[schema(example = "unknown")]
    commit: &'static str,
    /// `sqlite` or `postgres`.
    #[schema(example = "postgres")]
    database: &'static str,
    /// When the process started. Behind a load balancer, the next answer may come from another process.
    #[schema(format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    started_at: String,
    /// API keys that were presented.
    verifications: VerificationRecord,
    /// Events that the host application published.
    events: EventCountRecord,
    /// Attempts to deliver; `null` if this instance delivers nothing.
    #[schema(required)]
    attempts: Option<AttemptCountRecord>,
    /// The queue of all instances together; `null` until the store has answered once.
    #[schema(required)]
    queue: Option<QueueState>,
    /// The processes on this database, by version, as they were counted with the queue. Empty on SQLite, and until the
    /// database has answered once.
    instances: Vec<VersionCountRecord>,
    /// The age of the last successful read of the change feed, in seconds. It limits how long a key that another instance
    /// revoked stays good here. `null` on SQLite.
    #[schema(required, example = 0.12)]
    change_feed_age_seconds: Option<f64>,
    /// The age of the identity provider's keys, in seconds; `null` before the first fetch.
    #[schema(required, example = 312.5)]
    identity_keys_age_seconds: Option<f64>,
}

/// How many processes have a version.
#[derive(Serialize, ToSchema)]
#[schema(as = VersionCount)]
struct VersionCountRecord {
    /// The version of the program.
    #[schema(example = "0.1.0")]
    version: String,
    /// How many processes have it.
    count: u32,
}

/// API keys that were presented, by result.
#[derive(Serialize, ToSchema)]
#[schema(as = VerificationCounts)]
struct VerificationRecord {
    /// Good keys.
    good: u64,
    /// Keys that were refused.
    refused: u64,
    /// Calls without an answer, because the database did not answer.
    failed: u64,
}

/// Published events, by result.
#[derive(Serialize, ToSchema)]
#[schema(as = EventCounts)]
struct EventCountRecord {
    /// Events that were stored.
    accepted: u64,
    /// Events that were published before.
    duplicate: u64,
    /// Events in conflict with another event of the same id.
    conflict: u64,
    /// Events without an answer, because the database did not answer.
    failed: u64,
}

/// Attempts to deliver, by outcome.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AttemptCounts)]
struct AttemptCountRecord {
    /// Attempts that delivered.
    delivered: u64,
    /// Attempts that the receiver failed.
    failed: u64,
    /// Attempts that Gatepost could not make.
    not_charged: u64,
    /// Attempts that a shutdown cut off.
    cut_off: u64,
}

/// The queue. No count is higher than 100,000: that number means so many or more.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct QueueState {
    /// How old this reading is, in seconds.
    #[schema(example = 4.2)]
    age_seconds: f64,
    /// Deliveries that have not ended.
    waiting: u32,
    /// For how long the oldest due delivery has been due that no instance has claimed, in seconds; 0 without one.
    #[schema(example = 0.0)]
    oldest_due_age_seconds: f64,
    /// Queues of subscriptions, by their state.
    lanes: LaneCounts,
    /// Subscriptions, by their state.
    subscriptions: Vec<SubscriptionCount>,
}

/// Queues of subscriptions, by their state.
#[derive(Serialize, ToSchema)]
struct LaneCounts {
    /// May deliver.
    open: u32,
    /// Paused after failures of the receiver.
    paused: u32,
    /// Closed with the subscription.
    closed: u32,
}

/// How many subscriptions have a state.
#[derive(Serialize, ToSchema)]
struct SubscriptionCount {
    /// `enabled`, or why they are disabled: `owner`, `gone`, `only_failures`, `order_stopped`, `key_leaked`.
    #[schema(example = "enabled")]
    state: &'static str,
    /// How many.
    count: u32,
}

impl SystemRecord {
    pub(crate) fn of(state: &SystemState) -> Self {
        Self {
            version: state.version,
            commit: state.commit,
            database: state.database,
            started_at: state.started_at.to_string(),
            verifications: VerificationRecord::of(state.verifications),
            events: EventCountRecord::of(state.events),
            attempts: state.attempts.map(AttemptCountRecord::of),
            queue: state.queue.as_ref().map(QueueState::of),
            instances: state.instances.iter().map(VersionCountRecord::of).collect(),
            change_feed_age_seconds: state.change_feed_age.map(seconds),
            identity_keys_age_seconds: state.identity_keys_age.map(seconds),
        }
    }
}

impl VersionCountRecord {
    fn of(VersionCount { version, instances }: &VersionCount) -> Self {
        Self { version: version.clone(), count: *instances }
    }
}

impl VerificationRecord {
    fn of(VerificationCounts { good, refused, failed }: VerificationCounts) -> Self {
        Self { good, refused, failed }
    }
}

impl EventCountRecord {
    fn of(EventCounts { accepted, duplicate, conflict, failed }: EventCounts) -> Self {
        Self { accepted, duplicate, conflict, failed }
    }
}

impl AttemptCountRecord {
    fn of(AttemptCounts { delivered, failed, not_charged, cut_off }: AttemptCounts) -> Self {
        Self { delivered, failed, not_charged, cut_off }
    }
}

impl QueueState {
    fn of(reading: &QueueReading) -> Self {
        let LaneFigures { open, paused, closed } = reading.figures.lanes;
        let subscriptions = reading.figures.subscriptions.iter().map(|(status, count)| {
            let state = status.disabled_by().map_or("enabled", DisabledBy::code);
            SubscriptionCount { state, count: *count }
        });
        Self {
            age_seconds: seconds(reading.age),
            waiting: reading.figures.waiting,
            oldest_due_age_seconds: seconds(reading.oldest_due_age),
            lanes: LaneCounts { open, paused, closed },
            subscriptions: subscriptions.collect(),
        }
    }
}

/// Whole milliseconds, so that answers are short.
fn seconds(duration: Duration) -> f64 {
    Duration::from_millis(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)).as_secs_f64()
}
