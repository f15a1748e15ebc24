use async_trait::async_trait;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::{WRITE_PROBE, not_writable, schema_is_complete};
use domain::ports::{NotReady, ReadinessCheck};

use crate::PostgresStore;
use crate::attempt::{Failure, Work};
use crate::migrate::{AppliedMigrations, known_migrations};

#[async_trait]
impl ReadinessCheck for PostgresStore {
    fn name(&self) -> &'static str {
        "database"
    }

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
        diesel::sql_query(WRITE_PROBE).execute(&mut &*connection).await?;
        AppliedMigrations.attempt(connection).await
    }
}
