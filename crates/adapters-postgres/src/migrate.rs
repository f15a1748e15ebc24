use std::time::Duration;

use async_trait::async_trait;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};
use diesel_async::{AnsiTransactionManager, AsyncMigrationHarness, AsyncPgConnection, RunQueryDsl, TransactionManager};
use diesel_mapping::schema::schema_migrations;
use diesel_mapping::{KnownMigrations, WRITE_PROBE, apply_pending, not_writable, schema_is_complete, statement};
use domain::ports::{MigrateError, MigrationStatus, NotReady, ReadinessCheck, Schema};
use tokio::time::Instant;

use crate::PostgresStore;
use crate::attempt::{Failure, Work};
use crate::migrations::Migrations;
use crate::server::{Purpose, Server};
use crate::server_session::ConnectError;
use crate::shard::{CheckShard, Shard, WrongShards, check, set_up};

/// The holder of this advisory lock may migrate the database: "gatepost" in ASCII.
const LOCK: i64 = 0x6761_7465_706f_7374;
/// How long to wait for another instance that migrates.
const LOCK_TIMEOUT: Duration = Duration::from_mins(1);
/// How often to check whether the other instance has finished.
const LOCK_POLL: Duration = Duration::from_millis(100);

const LOCK_SESSION: &str = "SELECT pg_try_advisory_lock($1) AS is_held";
/// Where sessions are shared, all migrations are one transaction, which holds the lock. See decision 93.
const LOCK_TRANSACTION: &str = "SELECT pg_try_advisory_xact_lock($1) AS is_held";
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";

#[derive(QueryableByName)]
struct LockRow {
    #[diesel(sql_type = Bool)]
    is_held: bool,
}

#[diesel::declare_sql_function]
extern "SQL" {
    fn to_regclass(name: diesel::sql_types::Text) -> diesel::sql_types::Nullable<diesel::sql_types::Text>;
}

/// Each migration is one transaction, unless sessions are shared. One of several instances migrates, and the others wait.
#[async_trait]
impl Schema for PostgresStore {
    async fn migrate(&self) -> Result<Vec<String>, MigrateError> {
        let migration = self.runtime.spawn(migrate(self.server.clone(), self.shard));
        migration.await.unwrap_or_else(|cut_off| Err(unavailable(cut_off)))
    }

    async fn status(&self) -> Result<Vec<MigrationStatus>, MigrateError> {
        let server = self.server.clone();
        let checking = self.runtime.spawn(async move { server.check().await });
        checking.await.map_err(unavailable)?.map_err(not_connected)?;
        right_shards(self.run(&CheckShard(self.shard)).await.map_err(unavailable)?)?;
        let applied = self.run(&AppliedMigrations).await.map_err(unavailable)?;
        known_migrations()?.status(&applied)
    }
}

/// Uses a separate connection. The server releases the lock when this connection closes, for whatever reason.
async fn migrate(server: Server, shard: Option<Shard>) -> Result<Vec<String>, MigrateError> {
    let mut connection = server.connect(Purpose::Migrations).await.map_err(not_connected)?;
    let in_one_transaction = server.shares_sessions();
    if in_one_transaction {
        AnsiTransactionManager::begin_transaction_sql(&mut connection, BEGIN).await.map_err(unavailable)?;
        lock(&mut connection, LOCK_TRANSACTION).await?;
    } else {
        lock(&mut connection, LOCK_SESSION).await?;
    }
    right_shards(check(&connection, shard).await.map_err(unavailable)?)?;
    if let Some(shard) = shard {
        set_up(&connection, shard).await.map_err(unavailable)?;
    }
    let (names, mut connection) = apply(connection).await?;
    if in_one_transaction {
        AnsiTransactionManager::commit_transaction(&mut connection).await.map_err(unavailable)?;
    }
    Ok(names)
}

/// The harness blocks, and would panic on a runtime with one thread.
async fn apply(connection: AsyncPgConnection) -> Result<(Vec<String>, AsyncPgConnection), MigrateError> {
    let apply = move || {
        let mut harness = AsyncMigrationHarness::new(connection);
        let names = apply_pending(&mut harness, &Migrations)?;
        Ok((names, harness.into_inner()))
    };
    tokio::task::spawn_blocking(apply).await.unwrap_or_else(|cut_off| Err(unavailable(cut_off)))
}

/// Polls, because a session that waits for the lock within a statement holds a snapshot, and some migrations of the
/// lock's holder would wait for that snapshot.
async fn lock(connection: &mut AsyncPgConnection, lock: &str) -> Result<(), MigrateError> {
    let begin = Instant::now();
    let ask = || statement(lock).bind::<BigInt, _>(LOCK);
    while !ask().get_result::<LockRow>(connection).await.map_err(unavailable)?.is_held {
        if begin.elapsed() >= LOCK_TIMEOUT {
            return Err(MigrateError::Busy { seconds: LOCK_TIMEOUT.as_secs() });
        }
        tokio::time::sleep(LOCK_POLL).await;
    }
    Ok(())
}

pub(crate) fn known_migrations() -> Result<KnownMigrations, MigrateError> {
    KnownMigrations::of::<Pg>(&Migrations)
}

/// The versions of the migrations that the database has; empty before the first migration.
pub(crate) struct AppliedMigrations;

impl Work for AppliedMigrations {
    type Answer = Vec<String>;

    async fn attempt(&self, mut connection: &AsyncPgConnection) -> Result<Vec<String>, Failure> {
        let table = to_regclass("__diesel_schema_migrations");
        if !diesel::select(table.is_not_null()).get_result::<bool>(&mut connection).await? {
            return Ok(Vec::new());
        }
        Ok(schema_migrations::table.select(schema_migrations::version).load(&mut connection).await?)
    }
}

fn right_shards(wrong: Option<WrongShards>) -> Result<(), MigrateError> {
    wrong.map_or(Ok(()), |wrong| Err(MigrateError::Unusable(Box::new(wrong))))
}

fn not_connected(error: ConnectError) -> MigrateError {
    match error {
        ConnectError::NoTransactions => MigrateError::Unusable(Box::new(error)),
        ConnectError::SharedSession
        | ConnectError::Standby
        | ConnectError::Replaced
        | ConnectError::Driver(_)
        | ConnectError::Other(_) => unavailable(error),
    }
}

fn unavailable(error: impl std::error::Error + Send + Sync + 'static) -> MigrateError {
    MigrateError::Unavailable(Box::new(error))
}

/// The database can be written, and has every migration.
#[async_trait]
impl ReadinessCheck for PostgresStore {
    async fn check(&self) -> Result<(), NotReady> {
        let applied = self.run(&Probe).await.map_err(not_writable)?;
        schema_is_complete(&known_migrations().map_err(not_writable)?, &applied)
    }
}

/// Writes, and returns the migrations that the database has.
struct Probe;

impl Work for Probe {
    type Answer = Vec<String>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Vec<String>, Failure> {
        statement(WRITE_PROBE).execute(&mut &*connection).await?;
        AppliedMigrations.attempt(connection).await
    }
}

#[cfg(test)]
mod tests {
    use diesel_migrations::MigrationHarness;
    use throwaway_postgres::Cluster;

    use super::*;
    use crate::PostgresSettings;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn every_migration_can_be_reverted_and_applied_again() {
        let url = Cluster::shared().await.unwrap().database().await.unwrap().url;
        let store = PostgresStore::open(PostgresSettings { url, pool_size: 1 }).await.unwrap();
        let names = store.migrate().await.unwrap();
        let connection = store.server.connect(Purpose::Migrations).await.unwrap();
        let mut harness = AsyncMigrationHarness::new(connection);
        assert_eq!(harness.revert_all_migrations(Migrations).unwrap().len(), names.len());
        assert_eq!(store.migrate().await.unwrap(), names);
    }
}
