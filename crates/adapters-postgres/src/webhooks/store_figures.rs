use async_trait::async_trait;
use diesel::sql_types::BigInt;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::StoredInstant;
use diesel_mapping::sql_types::Instant;
use diesel_mapping::statement;
use diesel_mapping::webhooks::{
    COUNT_QUEUE, COUNT_SUBSCRIPTIONS, OldestDueRow, QueueCountsRow, StatusCountRow, queue_figures,
};
use domain::Timestamp;
use domain::ports::{LANES_SEARCHED_MAX, ProcessFigures, QueueFigures, ServerFigures, StoreError, StoreFigures};
use futures_util::future::try_join3;

use super::snapshots::{FindSnapshotAge, FindSnapshotHolder};
use crate::PostgresStore;
use crate::attempt::{Failure, Work};
use crate::claimers::CountVersions;
use crate::pool::Connections;

/// The first due delivery of each of the lanes that have waited longest, without those of suspended owners. Of deliveries with a
/// number, only the lowest counts. Each other one is the start of a range of the index, which
/// begins at `due_from`, because the index still has entries of rows that are gone.
const FIND_OLDEST_DUE: &str = "SELECT min(first.due_at) AS oldest_due
    FROM (
        SELECT subscription_id, due_from FROM webhook_lanes
        WHERE is_open AND ready_at <= $1 AND (paused_until IS NULL OR paused_until <= $1) AND NOT EXISTS (
            SELECT FROM owners WHERE number = webhook_lanes.owner AND suspended_at IS NOT NULL OFFSET 0
        )
        ORDER BY ready_at LIMIT $2
    ) AS lane
    CROSS JOIN (VALUES (0::smallint), (1), (2)) AS phases (phase)
    CROSS JOIN LATERAL (
        (SELECT due_at FROM webhook_due
        WHERE subscription_id = lane.subscription_id AND phase = phases.phase AND phase >= 0
            AND due_at >= lane.due_from AND due_at <= $1 AND (claimed_until IS NULL OR claimed_until <= $1)
        ORDER BY due_at LIMIT 1)
        UNION ALL SELECT due_at FROM (
            SELECT * FROM webhook_due
            WHERE subscription_id = lane.subscription_id AND sequence IS NOT NULL ORDER BY sequence LIMIT 1
        ) AS numbered WHERE due_at <= $1 AND (claimed_until IS NULL OR claimed_until <= $1)
    ) AS first";

#[async_trait]
impl StoreFigures for PostgresStore {
    async fn queue_figures(&self, at: Timestamp, max: u32) -> Result<QueueFigures, StoreError> {
        self.run(&Read { at: at.into(), max: max.into() }).await
    }

    async fn server_figures(&self) -> Result<ServerFigures, StoreError> {
        Ok(ServerFigures {
            oldest_snapshot: Some(self.run(&FindSnapshotAge).await?),
            held_snapshot: self.run(&FindSnapshotHolder).await?,
            instances: self.run(&CountVersions { locks: self.claimers.locks() }).await?,
        })
    }

    fn process_figures(&self) -> ProcessFigures {
        let pools = [&self.connections, &self.look_up_connections, &self.feed_connections, &self.queue_connections];
        let pools = pools.into_iter().map(Connections::figures).chain(self.publisher.pools()).collect();
        ProcessFigures { pools, log_bytes: None }
    }
}

/// Reads the figures of the queue. Each statement sees another moment of the database, which is good enough for
/// figures. The statements are planned again each time, because the tables change fast and the readings are rare.
struct Read {
    at: StoredInstant,
    max: i64,
}

impl Work for Read {
    type Answer = QueueFigures;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<QueueFigures, Failure> {
        let counts = statement(COUNT_QUEUE).bind::<BigInt, _>(self.max).bind::<Instant, _>(self.at);
        let statuses = statement(COUNT_SUBSCRIPTIONS).bind::<BigInt, _>(self.max);
        let lanes_max = i64::from(LANES_SEARCHED_MAX);
        let oldest = statement(FIND_OLDEST_DUE).bind::<Instant, _>(self.at).bind::<BigInt, _>(lanes_max);
        let (counts, statuses, oldest): (QueueCountsRow, Vec<StatusCountRow>, OldestDueRow) = try_join3(
            counts.get_result(&mut &*connection),
            statuses.load(&mut &*connection),
            oldest.get_result(&mut &*connection),
        )
        .await?;
        Ok(queue_figures(&counts, &statuses, &oldest))
    }
}
