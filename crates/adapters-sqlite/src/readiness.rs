use async_trait::async_trait;
use diesel::prelude::*;
use diesel_mapping::{WRITE_PROBE, not_writable, schema_is_complete};
use domain::ports::{NotReady, ReadinessCheck};

use crate::SqliteStore;
use crate::migrate::{applied_migrations, known_migrations};

#[async_trait]
impl ReadinessCheck for SqliteStore {
    fn name(&self) -> &'static str {
        "database"
    }

    async fn check(&self) -> Result<(), NotReady> {
        let probe = self.writer.write(|connection| {
            let applied = applied_migrations(connection)?;
            diesel::sql_query(WRITE_PROBE).execute(connection)?;
            Ok(applied)
        });
        let applied = probe.await.map_err(not_writable)?;
        schema_is_complete(&known_migrations().map_err(not_writable)?, &applied)
    }
}
