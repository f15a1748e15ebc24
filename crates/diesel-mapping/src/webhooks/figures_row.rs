use diesel::deserialize::QueryableByName;
use diesel::sql_types::{BigInt, Nullable, Text};
use domain::ports::{LaneFigures, QueueFigures};

use super::subscription_row::status_of;
use crate::StoredInstant;
use crate::sql_types::Instant;

/// The counts of deliveries and lanes among the first `$1` of each, at `$2`. The condition on `phase` names an index.
pub const COUNT_QUEUE: &str = "SELECT
        (SELECT count(*) FROM (SELECT 1 FROM webhook_due WHERE phase >= 0 LIMIT $1) AS first) AS waiting,
        COALESCE(sum(CASE WHEN is_open AND (paused_until IS NULL OR paused_until <= $2) THEN 1 ELSE 0 END), 0) AS open,
        COALESCE(sum(CASE WHEN is_open AND paused_until > $2 THEN 1 ELSE 0 END), 0) AS paused,
        COALESCE(sum(CASE WHEN is_open THEN 0 ELSE 1 END), 0) AS closed
    FROM (SELECT is_open, paused_until FROM webhook_lanes LIMIT $1) AS lane";

/// How many of the first `$1` subscriptions have each status.
pub const COUNT_SUBSCRIPTIONS: &str = "SELECT status, count(*) AS count
    FROM (SELECT status, deleted_at FROM webhook_subscriptions LIMIT $1) AS subscription
    WHERE deleted_at IS NULL GROUP BY status";

/// The row of [`COUNT_QUEUE`].
#[derive(Debug, QueryableByName)]
pub struct QueueCountsRow {
    #[diesel(sql_type = BigInt)]
    waiting: i64,
    #[diesel(sql_type = BigInt)]
    open: i64,
    #[diesel(sql_type = BigInt)]
    paused: i64,
    #[diesel(sql_type = BigInt)]
    closed: i64,
}

/// A row of [`COUNT_SUBSCRIPTIONS`].
#[derive(Debug, QueryableByName)]
pub struct StatusCountRow {
    #[diesel(sql_type = Text)]
    status: String,
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// The time since which the oldest due delivery waits.
#[derive(Debug, QueryableByName)]
pub struct OldestDueRow {
    #[diesel(sql_type = Nullable<Instant>)]
    oldest_due: Option<StoredInstant>,
}

/// The figures of these rows. Unreadable values are left out, because no decision depends on them.
pub fn queue_figures(counts: &QueueCountsRow, statuses: &[StatusCountRow], oldest: &OldestDueRow) -> QueueFigures {
    let count = |number: i64| u32::try_from(number).unwrap_or_default();
    let lanes = LaneFigures { open: count(counts.open), paused: count(counts.paused), closed: count(counts.closed) };
    QueueFigures {
        waiting: count(counts.waiting),
        oldest_due: oldest.oldest_due.and_then(StoredInstant::timestamp),
        lanes,
        subscriptions: statuses.iter().filter_map(|row| Some((status_of(&row.status)?, count(row.count)))).collect(),
    }
}
