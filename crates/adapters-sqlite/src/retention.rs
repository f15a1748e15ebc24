use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{
    CountsTable, KEY_USAGE, Kept, SUBSCRIPTION_OUTCOMES, StoredInstant, audit, keys, sessions, statement,
};
use domain::ports::{Retained, Retention, StoreError};
use domain::{AuditId, Hour, Timestamp};

use crate::SqliteStore;

#[async_trait]
impl Retention for SqliteStore {
    async fn purge(&self, what: Retained, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        let delete: Deletion = match what {
            Retained::Keys => purge_keys,
            Retained::KeyUsage => |connection, before, max| purge_counts(connection, &KEY_USAGE, before, max),
            Retained::Sessions => purge_sessions,
            Retained::AuditEvents => purge_events,
            Retained::Webhooks => return self.purge_history(before, max).await,
            Retained::Outcomes => {
                |connection, before, max| purge_counts(connection, &SUBSCRIPTION_OUTCOMES, before, max)
            }
        };
        let deleted = self.writer.write(move |connection| Ok(delete(connection, before, max.into())?)).await?;
        Ok(u32::try_from(deleted).unwrap_or(max))
    }
}

/// Deletes at most a number of rows from before the instant.
type Deletion = fn(&mut SqliteConnection, Timestamp, i64) -> QueryResult<usize>;

fn purge_keys(connection: &mut SqliteConnection, before: Timestamp, max: i64) -> QueryResult<usize> {
    let deletion = statement(keys::DELETE_ENDED).bind::<Instant, StoredInstant>(before.into()).bind::<BigInt, _>(max);
    Kept(deletion).execute(connection)
}

fn purge_sessions(connection: &mut SqliteConnection, before: Timestamp, max: i64) -> QueryResult<usize> {
    let deletion = statement(sessions::DELETE_ENDED)
        .bind::<Instant, StoredInstant>(before.into())
        .bind::<Instant, StoredInstant>(sessions::seen_since(before))
        .bind::<BigInt, _>(max);
    Kept(deletion).execute(connection)
}

fn purge_events(connection: &mut SqliteConnection, before: Timestamp, max: i64) -> QueryResult<usize> {
    let deletion = statement(audit::DELETE_BEFORE)
        .bind::<Binary, _>(AuditId::first_at(before).as_bytes().to_vec())
        .bind::<BigInt, _>(max);
    Kept(deletion).execute(connection)
}

fn purge_counts(
    connection: &mut SqliteConnection,
    table: &CountsTable,
    before: Timestamp,
    max: i64,
) -> QueryResult<usize> {
    let deletion = statement(table.purge()).bind::<BigInt, _>(Hour::of(before).number()).bind::<BigInt, _>(max);
    deletion.execute(connection)
}
