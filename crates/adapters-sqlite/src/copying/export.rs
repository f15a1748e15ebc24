use diesel::prelude::*;
use diesel::sqlite::SqliteConnection;
use diesel_mapping::copying::{Batches, Copied, CopiedRow, CopiedRows, CopyError, Division, OwnerColumns, count_all};
use diesel_mapping::{CountRow, StoredInstant, for_each_copied_table, rows_with_owners, statement};
use domain::Timestamp;
use domain::ports::Schema;
use tokio::sync::mpsc::Sender;

use super::blocking;
use crate::SqliteStore;

impl SqliteStore {
    /// Sends every row of the database, as it is at rest at this time, to its shard of the target by the division. No
    /// other process has the file.
    ///
    /// # Errors
    ///
    /// See [`CopyError`].
    pub async fn export(&self, at: Timestamp, division: Division, to: &Sender<Copied>) -> Result<(), CopyError> {
        let pending = self.status().await?.iter().filter(|migration| !migration.applied).count();
        if pending > 0 {
            return Err(CopyError::OldSource { pending });
        }
        let (file, to) = (self.file.clone(), to.clone());
        blocking(move || {
            let mut connection = file.connect_reader().map_err(|error| CopyError::Database(Box::new(error)))?;
            connection.transaction(|connection| send_all(connection, Sending { at: at.into(), division, to: &to }))
        })
        .await
    }
}

/// How rows are sent.
#[derive(Clone, Copy)]
struct Sending<'a> {
    at: StoredInstant,
    division: Division,
    to: &'a Sender<Copied>,
}

fn send_all(connection: &mut SqliteConnection, sending: Sending<'_>) -> Result<(), CopyError> {
    macro_rules! send {
        ($(($name:ident, $table:ident, $row:ty, $owner:ident)),+ $(,)?) => {$(
            let rows = rows_with_owners!($table, $row, $owner);
            let rows = rows.load_iter::<_, diesel::connection::DefaultLoadingMode>(connection)?;
            sending.send_rows(rows, CopiedRows::$name)?;
            let count = statement(count_all(stringify!($table))).get_result::<CountRow>(connection)?.count;
            sending.send(Copied::End { table: stringify!($table), count })?;
        )+};
    }
    for_each_copied_table!(send);
    Ok(())
}

impl Sending<'_> {
    fn send_rows<Row: CopiedRow>(
        self,
        rows: impl Iterator<Item = QueryResult<(Row, OwnerColumns)>>,
        name: impl Fn(Vec<Row>) -> CopiedRows,
    ) -> Result<(), CopyError> {
        let mut batches = Batches::new(self.division.shards());
        for row in rows {
            let (row, owner) = row?;
            if let Some((shard, full)) = batches.push(self.division.shard_of(owner), row.at_rest(self.at)) {
                self.send(Copied::Rows { shard, rows: name(full) })?;
            }
        }
        batches.rest().try_for_each(|(shard, rest)| self.send(Copied::Rows { shard, rows: name(rest) }))
    }

    fn send(self, copied: Copied) -> Result<(), CopyError> {
        self.to.blocking_send(copied).map_err(|_| CopyError::CutOff)
    }
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
        let columns: Vec<Column> = statement(COLUMNS).load(&mut store.file.connect().unwrap()).unwrap();
        let mut selected = String::new();
        macro_rules! select {
            ($(($name:ident, $table:ident, $row:ty, $owner:ident)),+ $(,)?) => {$(
                let rows = rows_with_owners!($table, $row, $owner);
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
