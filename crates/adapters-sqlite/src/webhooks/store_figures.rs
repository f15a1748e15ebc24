use async_trait::async_trait;
use diesel::sql_types::BigInt;
use diesel::{RunQueryDsl, SqliteConnection};
use diesel_mapping::StoredInstant;
use diesel_mapping::sql_types::Instant;
use diesel_mapping::statement;
use diesel_mapping::webhooks::{
    COUNT_QUEUE, COUNT_SUBSCRIPTIONS, OldestDueRow, QueueCountsRow, StatusCountRow, queue_figures,
};
use domain::Timestamp;
use domain::ports::{LANES_SEARCHED_MAX, ProcessFigures, QueueFigures, StoreError, StoreFigures};

use crate::SqliteStore;
use crate::undo::Undo;

/// The first due delivery of each of the lanes that have waited longest, without those of suspended owners. Each is the start of an index.
/// Of deliveries with a number, only the lowest counts.
const FIND_OLDEST_DUE: &str = "WITH lane AS (
        SELECT subscription_id FROM webhook_lanes
        WHERE is_open = 1 AND ready_at <= $1 AND (paused_until IS NULL OR paused_until <= $1) AND NOT EXISTS (
            SELECT 1 FROM owners WHERE number = webhook_lanes.owner AND suspended_at IS NOT NULL
        )
        ORDER BY ready_at LIMIT $2
    )
    SELECT min(due_at) AS oldest_due FROM (
        SELECT (
            SELECT min(due_at) FROM webhook_due WHERE subscription_id = lane.subscription_id
                AND phase = phases.column1 AND claim IS NULL AND due_at <= $1
        ) AS due_at FROM lane CROSS JOIN (VALUES (0), (1), (2)) AS phases
        UNION ALL
        SELECT (
            SELECT min(due_at) FROM webhook_due WHERE subscription_id = lane.subscription_id
                AND claim IS NOT NULL AND due_at <= $1
        ) FROM lane
        UNION ALL
        SELECT (
            SELECT CASE WHEN claim IS NULL AND due_at <= $1 THEN due_at END FROM webhook_due
            WHERE subscription_id = lane.subscription_id AND sequence IS NOT NULL ORDER BY sequence LIMIT 1
        ) FROM lane
    )";

#[async_trait]
impl StoreFigures for SqliteStore {
    async fn queue_figures(&self, at: Timestamp, max: u32) -> Result<QueueFigures, StoreError> {
        self.readers.read(move |connection| read(connection, at, max)).await
    }

    fn process_figures(&self) -> ProcessFigures {
        let pools = vec![self.readers.figures(), self.writer.figures()];
        ProcessFigures { pools, log_bytes: self.file.wal_bytes() }
    }
}

/// Each statement sees another moment of the database, which is good enough for figures.
fn read(connection: &mut SqliteConnection, at: Timestamp, max: u32) -> Result<QueueFigures, Undo> {
    let (at, max) = (StoredInstant::from(at), i64::from(max));
    let counts = statement(COUNT_QUEUE).bind::<BigInt, _>(max).bind::<Instant, _>(at);
    let counts: QueueCountsRow = counts.get_result(connection)?;
    let statuses: Vec<StatusCountRow> = statement(COUNT_SUBSCRIPTIONS).bind::<BigInt, _>(max).load(connection)?;
    let lanes_max = i64::from(LANES_SEARCHED_MAX);
    let oldest = statement(FIND_OLDEST_DUE).bind::<Instant, _>(at).bind::<BigInt, _>(lanes_max);
    let oldest: OldestDueRow = oldest.get_result(connection)?;
    Ok(queue_figures(&counts, &statuses, &oldest))
}
