use async_trait::async_trait;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::{Bind, Kept, bound, purge};
use domain::Timestamp;
use domain::ports::{Retained, Retention, StoreError};

use crate::PostgresStore;
use crate::attempt::{Failure, Work};
use crate::keys::PurgeKeys;

#[async_trait]
impl Retention for PostgresStore {
    async fn purge(&self, what: Retained, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        if what == Retained::Keys {
            return self.run(&PurgeKeys { before, max }).await;
        }
        let Some(deletion) = purge(what, before, max) else { return self.purge_history(before, max).await };
        self.run(&Purge { deletion, max }).await
    }

    async fn prepare_history(&self, at: Timestamp, days: u32) -> Result<(), StoreError> {
        self.prepare_periods(at, days).await
    }
}

/// Deletes old rows. One statement.
struct Purge {
    deletion: (String, Vec<Bind>),
    max: u32,
}

impl Work for Purge {
    type Answer = u32;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<u32, Failure> {
        let deletion = Kept(bound(self.deletion.clone()));
        // The statement may have run: a second attempt would return another number.
        let deleted = deletion.execute(&mut &*connection).await.map_err(Failure::of_statement)?;
        Ok(u32::try_from(deleted).unwrap_or(self.max))
    }
}
