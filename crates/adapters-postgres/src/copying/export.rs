use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::copying::{Batches, Copied, CopiedRow, CopiedRows, CopyError, Division, OwnerColumns, count_all};
use diesel_mapping::{StoredInstant, for_each_copied_table, rows_with_owners};
use domain::Timestamp;
use domain::ports::Schema;
use futures_util::{Stream, TryStreamExt};
use tokio::sync::mpsc::Sender;

use super::{check_unused, count, wait_for_ended};
use crate::PostgresStore;
use crate::claimers::count_present;
use crate::transaction::{BeginSnapshot, Rollback};

/// The number of the last process that has registered. Its row stays until a later process finds that it has ended.
const LAST_STARTED: &str = "SELECT coalesce(max(number), 0)::bigint AS count FROM webhook_claimers";

impl PostgresStore {
    /// Sends every row of the database, as it is at rest at this time, to its shard of the target by the division, all
    /// from one snapshot.
    ///
    /// # Errors
    ///
    /// See [`CopyError`].
    pub async fn export(&self, at: Timestamp, division: Division, to: &Sender<Copied>) -> Result<(), CopyError> {
        let pending = self.status().await?.iter().filter(|migration| !migration.applied).count();
        if pending > 0 {
            return Err(CopyError::OldSource { pending });
        }
        let mut connection = self.connect_for_copying().await?;
        wait_for_ended(&connection, &self.claimers).await?;
        let last_started = count(&mut connection, LAST_STARTED.to_owned()).await?;
        BeginSnapshot.execute(&mut connection).await?;
        check_unused(&connection, &self.claimers).await?;
        send_all(&mut connection, Sending { at: at.into(), division, to }).await?;
        Rollback.execute(&mut connection).await?;
        let is_used = count_present(&connection, &self.claimers).await? > 0;
        if is_used || last_started < count(&mut connection, LAST_STARTED.to_owned()).await? {
            return Err(CopyError::StartedAgain);
        }
        Ok(())
    }
}

/// How rows are sent.
#[derive(Clone, Copy)]
struct Sending<'a> {
    at: StoredInstant,
    division: Division,
    to: &'a Sender<Copied>,
}

async fn send_all(connection: &mut AsyncPgConnection, sending: Sending<'_>) -> Result<(), CopyError> {
    macro_rules! send {
        ($(($name:ident, $table:ident, $row:ty, $owner:ident)),+ $(,)?) => {$(
            let rows = rows_with_owners!($table, $row, $owner);
            let rows = rows.load_stream(connection).await?;
            sending.send_rows(rows, CopiedRows::$name).await?;
            let counted = count(connection, count_all(stringify!($table))).await?;
            sending.send(Copied::End { table: stringify!($table), count: counted }).await?;
        )+};
    }
    for_each_copied_table!(send);
    Ok(())
}

impl Sending<'_> {
    async fn send_rows<Row: CopiedRow>(
        self,
        rows: impl Stream<Item = QueryResult<(Row, OwnerColumns)>>,
        name: impl Fn(Vec<Row>) -> CopiedRows,
    ) -> Result<(), CopyError> {
        let (mut rows, mut batches) = (std::pin::pin!(rows), Batches::new(self.division.shards()));
        while let Some((row, owner)) = rows.try_next().await? {
            if let Some((shard, full)) = batches.push(self.division.shard_of(owner), row.at_rest(self.at)) {
                self.send(Copied::Rows { shard, rows: name(full) }).await?;
            }
        }
        for (shard, rest) in batches.rest() {
            self.send(Copied::Rows { shard, rows: name(rest) }).await?;
        }
        Ok(())
    }

    async fn send(self, copied: Copied) -> Result<(), CopyError> {
        self.to.send(copied).await.map_err(|_| CopyError::CutOff)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use diesel::deserialize::QueryableByName;
    use diesel::pg::Pg;
    use diesel::sql_types::Text;
    use domain::ports::{ChangeFeed as _, Close as _};
    use throwaway_postgres::Cluster;
    use tokio::sync::mpsc::channel;

    use super::*;
    use crate::PostgresSettings;

    /// The columns of the schema without those that only one database uses.
    const COLUMNS: &str = "SELECT table_name::text, column_name::text FROM information_schema.columns
        WHERE table_schema = 'public' AND is_generated = 'NEVER'
            AND table_name NOT IN ('__diesel_schema_migrations', 'credential_changes', 'key_owners', 'webhook_claimers',
                'webhook_periods', 'write_probes')
            AND (table_name, column_name) NOT IN (('webhook_due', 'claimed_until'), ('webhook_due', 'claimer'),
                ('webhook_lanes', 'due_from'), ('webhook_lanes', 'wakes'))";

    /// Waits until a process has registered, and ends it if that is wanted.
    async fn serve(url: &str, and_stop: bool) -> Option<PostgresStore> {
        let store = PostgresStore::open(PostgresSettings { url: url.to_owned(), pool_size: 1 }).await.unwrap();
        let _ = tokio::time::timeout(Duration::from_millis(1), store.hint()).await;
        while store.claimers.own().is_none() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        if and_stop {
            store.close().await;
            return None;
        }
        Some(store)
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_process_that_starts_during_a_copy_ends_the_copy() {
        for and_stop in [false, true] {
            let url = Cluster::shared().await.unwrap().database().await.unwrap().url;
            let source = PostgresStore::open(PostgresSettings { url: url.clone(), pool_size: 1 }).await.unwrap();
            source.migrate().await.unwrap();
            serve(&url, true).await;
            let (to, mut from) = channel(1);
            let copying =
                tokio::spawn(async move { source.export(Timestamp::MIN, Division::into_shards(1), &to).await });
            assert!(matches!(from.recv().await, Some(Copied::End { table: "api_keys", count: 0 })));
            let _server = serve(&url, and_stop).await;
            while from.recv().await.is_some() {}
            let outcome = copying.await.unwrap();
            assert!(matches!(outcome, Err(CopyError::StartedAgain)), "{outcome:?}");
        }
    }

    #[derive(QueryableByName)]
    struct Column {
        #[diesel(sql_type = Text)]
        table_name: String,
        #[diesel(sql_type = Text)]
        column_name: String,
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn every_column_of_the_schema_is_copied() {
        let url = Cluster::shared().await.unwrap().database().await.unwrap().url;
        let store = PostgresStore::open(PostgresSettings { url, pool_size: 1 }).await.unwrap();
        store.migrate().await.unwrap();
        let mut connection = store.connect_for_copying().await.unwrap();
        let columns: Vec<Column> = diesel_mapping::statement(COLUMNS).load(&mut connection).await.unwrap();
        let mut selected = String::new();
        macro_rules! select {
            ($(($name:ident, $table:ident, $row:ty, $owner:ident)),+ $(,)?) => {$(
                let rows = rows_with_owners!($table, $row, $owner);
                selected += &diesel::debug_query::<Pg, _>(&rows).to_string();
            )+};
        }
        for_each_copied_table!(select);
        for Column { table_name, column_name } in &columns {
            assert!(selected.contains(&format!("\"{table_name}\".\"{column_name}\"")), "{table_name}.{column_name}");
        }
        assert!(columns.len() > 90, "{}", columns.len());
    }
}
