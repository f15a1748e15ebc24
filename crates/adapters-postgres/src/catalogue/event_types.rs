use async_trait::async_trait;
use diesel::OptionalExtension;
use diesel::prelude::{QueryDsl, SelectableHelper};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::catalogue::{EventTypeRow, LAST_REVISION, LastRevisionRow, entries_of};
use diesel_mapping::schema::event_types;
use diesel_mapping::statement;
use domain::catalogue::EventTypeEntry;
use domain::ports::{EntryPut, EventTypes, PutEntryRequest, StoreError};
use domain::webhooks::EventType;

use crate::PostgresStore;
use crate::attempt::{Failure, Work};

#[async_trait]
impl EventTypes for PostgresStore {
    async fn list(&self) -> Result<Vec<EventTypeEntry>, StoreError> {
        self.run(&List).await
    }

    async fn find(&self, name: &EventType) -> Result<Option<EventTypeEntry>, StoreError> {
        self.run(&Find(name)).await
    }

    async fn put(&self, request: &PutEntryRequest) -> Result<EntryPut, StoreError> {
        self.run(request).await
    }

    async fn last_revision(&self) -> Result<u64, StoreError> {
        self.run_on_feed(&ReadLastRevision).await
    }
}

struct List;

impl Work for List {
    type Answer = Vec<EventTypeEntry>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let rows = event_types::table.select(EventTypeRow::as_select()).load(&mut &*connection).await?;
        Ok(entries_of(rows)?)
    }
}

struct Find<'a>(&'a EventType);

impl Work for Find<'_> {
    type Answer = Option<EventTypeEntry>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let row = event_types::table.find(self.0.as_str()).select(EventTypeRow::as_select());
        let row = row.first(&mut &*connection).await.optional()?;
        Ok(row.map(EventTypeEntry::try_from).transpose()?)
    }
}

/// Reads on the connection of the change feed, which is free most of the time.
struct ReadLastRevision;

impl Work for ReadLastRevision {
    type Answer = u64;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<u64, Failure> {
        let row: LastRevisionRow = statement(LAST_REVISION).get_result(&mut &*connection).await?;
        Ok(u64::try_from(row.last).unwrap_or_default())
    }
}
