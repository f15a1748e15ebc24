use diesel::prelude::*;
use diesel::sqlite::SqliteConnection;
use diesel_mapping::copying::{
    AttemptCopy, AuditCopy, Batch, CheckCopy, Copied, CopiedRow, CopiedRows, CopyError, DeliveryCopy, DueCopy,
    EventCopy, KeyCopy, LaneCopy, OutcomeCopy, PatternCopy, PublicationCopy, RowCount, SessionCopy, SubscriptionCopy,
    UsageCopy, count_all,
};
use diesel_mapping::{StoredInstant, for_each_copied_table, schema};
use domain::Timestamp;
use domain::ports::Schema;
use tokio::sync::mpsc::Sender;

use super::blocking;
use crate::SqliteStore;

impl SqliteStore {
    /// Sends every row of the database, as it is at rest at this time. No other process has the file.
    ///
    /// # Errors
    ///
    /// See [`CopyError`].
    pub async fn export(&self, at: Timestamp, to: Sender<Copied>) -> Result<(), CopyError> {
        let pending = self.status().await?.iter().filter(|migration| !migration.applied).count();
        if pending > 0 {
            return Err(CopyError::OldSource { pending });
        }
        let file = self.file.clone();
        blocking(move || {
            let mut connection = file.connect_reader().map_err(|error| CopyError::Database(Box::new(error)))?;
            connection.transaction(|connection| send_all(connection, at.into(), &to))
        })
        .await
    }
}

fn send_all(connection: &mut SqliteConnection, at: StoredInstant, to: &Sender<Copied>) -> Result<(), CopyError> {
    macro_rules! send {
        ($(($name:ident, $table:ident, $row:ident)),+ $(,)?) => {$(
            let rows = schema::$table::table.select($row::as_select());
            let rows = rows.load_iter::<$row, diesel::connection::DefaultLoadingMode>(connection)?;
            send_rows(rows, at, CopiedRows::$name, to)?;
            let count = diesel::sql_query(count_all(stringify!($table))).get_result::<RowCount>(connection)?.count;
            send_one(Copied::End { table: stringify!($table), count }, to)?;
        )+};
    }
    for_each_copied_table!(send);
    Ok(())
}

fn send_rows<Row: CopiedRow>(
    rows: impl Iterator<Item = QueryResult<Row>>,
    at: StoredInstant,
    name: impl Fn(Vec<Row>) -> CopiedRows,
    to: &Sender<Copied>,
) -> Result<(), CopyError> {
    let mut batch = Batch::default();
    for row in rows {
        if let Some(full) = batch.push(row?.at_rest(at)) {
            send_one(Copied::Rows(name(full)), to)?;
        }
    }
    batch.rest().map_or(Ok(()), |rest| send_one(Copied::Rows(name(rest)), to))
}

fn send_one(copied: Copied, to: &Sender<Copied>) -> Result<(), CopyError> {
    to.blocking_send(copied).map_err(|_| CopyError::CutOff)
}

#[cfg(test)]
mod tests {
    use diesel::deserialize::QueryableByName;
    use diesel::sql_types::Text;
    use diesel::sqlite::Sqlite;

    use super::*;
    use crate::SqliteSettings;

    const COLUMNS: &str = "SELECT tables.name AS table_name, columns.name AS column_name
        FROM sqlite_master AS tables JOIN pragma_table_info(tables.name) AS columns
        WHERE tables.type = 'table' AND tables.name NOT IN ('__diesel_schema_migrations', 'write_probes')";

    #[derive(QueryableByName)]
    struct Column {
        #[diesel(sql_type = Text)]
        table_name: String,
        #[diesel(sql_type = Text)]
        column_name: String,
    }

    #[tokio::test]
    async fn every_column_of_the_schema_is_copied() {
        let folder = tempfile::tempdir().unwrap();
        let settings = SqliteSettings { path: folder.path().join("test.db"), readers: 1 };
        let store = SqliteStore::open(settings).await.unwrap();
        store.migrate().await.unwrap();
        let columns: Vec<Column> = diesel::sql_query(COLUMNS).load(&mut store.file.connect().unwrap()).unwrap();
        let mut selected = String::new();
        macro_rules! select {
            ($(($name:ident, $table:ident, $row:ident)),+ $(,)?) => {$(
                let rows = schema::$table::table.select($row::as_select());
                selected += &diesel::debug_query::<Sqlite, _>(&rows).to_string();
            )+};
        }
        for_each_copied_table!(select);
        for Column { table_name, column_name } in &columns {
            assert!(selected.contains(&format!("`{table_name}`.`{column_name}`")), "{table_name}.{column_name}");
        }
        assert!(columns.len() > 90, "{}", columns.len());
    }
}
