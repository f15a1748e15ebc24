use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::copying::{
    AttemptCopy, AuditCopy, Batch, CheckCopy, Copied, CopiedRow, CopiedRows, CopyError, DeliveryCopy, DueCopy,
    EventCopy, KeyCopy, LaneCopy, OutcomeCopy, PatternCopy, PublicationCopy, SessionCopy, SubscriptionCopy, UsageCopy,
    count_all,
};
use diesel_mapping::{StoredInstant, for_each_copied_table, schema};
use domain::Timestamp;
use domain::ports::Schema;
use futures_util::{Stream, TryStreamExt};
use tokio::sync::mpsc::Sender;

use super::{check_unused, count, wait_for_ended};
use crate::PostgresStore;
use crate::transaction::{BeginSnapshot, Rollback};

impl PostgresStore {
    /// Sends every row of the database, as it is at rest at this time: all from one snapshot.
    ///
    /// # Errors
    ///
    /// See [`CopyError`].
    pub async fn export(&self, at: Timestamp, to: Sender<Copied>) -> Result<(), CopyError> {
        let pending = self.status().await?.iter().filter(|migration| !migration.applied).count();
        if pending > 0 {
            return Err(CopyError::OldSource { pending });
        }
        let mut connection = self.connect_for_copying().await?;
        wait_for_ended(&mut connection).await?;
        BeginSnapshot.execute(&mut connection).await?;
        check_unused(&mut connection).await?;
        send_all(&mut connection, at.into(), &to).await?;
        Rollback.execute(&mut connection).await?;
        Ok(())
    }
}

async fn send_all(connection: &mut AsyncPgConnection, at: StoredInstant, to: &Sender<Copied>) -> Result<(), CopyError> {
    macro_rules! send {
        ($(($name:ident, $table:ident, $row:ident)),+ $(,)?) => {$(
            let rows = schema::$table::table.select($row::as_select()).load_stream::<$row>(connection).await?;
            send_rows(rows, at, CopiedRows::$name, to).await?;
            let counted = count(connection, count_all(stringify!($table))).await?;
            send_one(Copied::End { table: stringify!($table), count: counted }, to).await?;
        )+};
    }
    for_each_copied_table!(send);
    Ok(())
}

async fn send_rows<Row: CopiedRow>(
    rows: impl Stream<Item = QueryResult<Row>>,
    at: StoredInstant,
    name: impl Fn(Vec<Row>) -> CopiedRows,
    to: &Sender<Copied>,
) -> Result<(), CopyError> {
    let (mut rows, mut batch) = (std::pin::pin!(rows), Batch::default());
    while let Some(row) = rows.try_next().await? {
        if let Some(full) = batch.push(row.at_rest(at)) {
            send_one(Copied::Rows(name(full)), to).await?;
        }
    }
    match batch.rest() {
        Some(rest) => send_one(Copied::Rows(name(rest)), to).await,
        None => Ok(()),
    }
}

async fn send_one(copied: Copied, to: &Sender<Copied>) -> Result<(), CopyError> {
    to.send(copied).await.map_err(|_| CopyError::CutOff)
}

#[cfg(test)]
mod tests {
    use diesel::deserialize::QueryableByName;
    use diesel::pg::Pg;
    use diesel::sql_types::Text;
    use throwaway_postgres::Cluster;

    use super::*;
    use crate::PostgresSettings;

    /// The columns of the schema without those that have no meaning elsewhere.
    const COLUMNS: &str = "SELECT table_name::text, column_name::text FROM information_schema.columns
        WHERE table_schema = 'public' AND is_generated = 'NEVER'
            AND table_name NOT IN ('__diesel_schema_migrations', 'credential_changes', 'key_owners', 'webhook_claimers',
                'webhook_periods', 'write_probes')
            AND (table_name, column_name) NOT IN (('webhook_due', 'claimed_until'), ('webhook_due', 'claimer'),
                ('webhook_lanes', 'due_from'), ('webhook_lanes', 'wakes'))";

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
        let columns: Vec<Column> = diesel::sql_query(COLUMNS).load(&mut connection).await.unwrap();
        let mut selected = String::new();
        macro_rules! select {
            ($(($name:ident, $table:ident, $row:ident)),+ $(,)?) => {$(
                let rows = schema::$table::table.select($row::as_select());
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
