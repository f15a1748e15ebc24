use async_trait::async_trait;
use diesel::QueryResult;
use diesel::sql_types::{BigInt, Binary};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::audit::DELETE_BEFORE;
use diesel_mapping::sessions::{DELETE_ENDED, seen_since};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{KEY_USAGE, Kept, SUBSCRIPTION_OUTCOMES, StoredInstant, statement};
use domain::ports::{Retained, Retention, StoreError};
use domain::{AuditId, Hour, Timestamp};

use crate::PostgresStore;
use crate::attempt::{Failure, Work};
use crate::by_hour::PurgeCounts;
use crate::keys::PurgeKeys;

#[async_trait]
impl Retention for PostgresStore {
    async fn purge(&self, what: Retained, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        let hour = Hour::of(before);
        match what {
            Retained::Keys => self.run(&PurgeKeys { before, max }).await,
            Retained::KeyUsage => self.run(&PurgeCounts { table: &KEY_USAGE, before: hour, max }).await,
            Retained::Sessions => self.run(&PurgeSessions { before, max }).await,
            Retained::AuditEvents => self.run(&PurgeEvents { before, max }).await,
            Retained::Webhooks => self.purge_history(before, max).await,
            Retained::Outcomes => self.run(&PurgeCounts { table: &SUBSCRIPTION_OUTCOMES, before: hour, max }).await,
        }
    }

    async fn prepare_history(&self, at: Timestamp, days: u32) -> Result<(), StoreError> {
        self.prepare_periods(at, days).await
    }
}

/// Deletes sessions that ended through time long ago. One statement.
struct PurgeSessions {
    before: Timestamp,
    max: u32,
}

impl Work for PurgeSessions {
    type Answer = u32;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<u32, Failure> {
        let deletion = statement(DELETE_ENDED)
            .bind::<Instant, StoredInstant>(self.before.into())
            .bind::<Instant, StoredInstant>(seen_since(self.before))
            .bind::<BigInt, i64>(self.max.into());
        count(Kept(deletion).execute(&mut &*connection).await, self.max)
    }
}

/// Deletes old events. One statement.
struct PurgeEvents {
    before: Timestamp,
    max: u32,
}

impl Work for PurgeEvents {
    type Answer = u32;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<u32, Failure> {
        let deletion = statement(DELETE_BEFORE)
            .bind::<Binary, _>(AuditId::first_at(self.before).as_bytes().to_vec())
            .bind::<BigInt, i64>(self.max.into());
        count(Kept(deletion).execute(&mut &*connection).await, self.max)
    }
}

/// How many rows one statement has deleted. After an error it may have run: a second attempt would return another number.
fn count(deleted: QueryResult<usize>, max: u32) -> Result<u32, Failure> {
    Ok(u32::try_from(deleted.map_err(Failure::of_statement)?).unwrap_or(max))
}
