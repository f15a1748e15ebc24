use diesel::prelude::*;
use diesel::sqlite::SqliteConnection;
use diesel_mapping::copying::{
    COPIED_TABLES, Copied, CopiedRows, CopyError, Expected, count_all, count_first, is_in_the_way,
};
use diesel_mapping::{CountRow, for_each_copied_table, schema, statement};
use domain::ports::Schema;
use tokio::sync::mpsc::Receiver;

use super::blocking;
use crate::SqliteStore;

impl SqliteStore {
    /// Migrates the database and inserts every row that arrives, in one transaction: whatever interrupts it, the database
    /// stays empty.
    ///
    /// # Errors
    ///
    /// See [`CopyError`].
    pub async fn import(&self, mut from: Receiver<Copied>) -> Result<(), CopyError> {
        self.migrate().await?;
        let file = self.file.clone();
        blocking(move || {
            let mut connection = file.connect().map_err(|error| CopyError::Database(Box::new(error)))?;
            connection.immediate_transaction(|connection| {
                check_empty(connection)?;
                diesel::delete(schema::encryption_checks::table).execute(connection)?;
                insert_all(connection, &mut from)
            })
        })
        .await
    }
}

fn check_empty(connection: &mut SqliteConnection) -> Result<(), CopyError> {
    for table in COPIED_TABLES.iter().filter(|table| is_in_the_way(table)) {
        if statement(count_first(table)).get_result::<CountRow>(connection)?.count > 0 {
            return Err(CopyError::NotEmpty { table });
        }
    }
    Ok(())
}

fn insert_all(connection: &mut SqliteConnection, from: &mut Receiver<Copied>) -> Result<(), CopyError> {
    let mut expected = Expected::default();
    while let Some(copied) = from.blocking_recv() {
        match copied {
            Copied::Rows { rows, .. } => insert(connection, rows)?,
            Copied::End { table, count } => {
                let copied = statement(count_all(table)).get_result::<CountRow>(connection)?.count;
                expected.check(table, count, copied)?;
            }
            Copied::Complete => return Ok(()),
        }
    }
    Err(CopyError::CutOff)
}

fn insert(connection: &mut SqliteConnection, rows: CopiedRows) -> Result<(), CopyError> {
    macro_rules! insert {
        ($(($name:ident, $table:ident, $row:ty, $owner:ident)),+ $(,)?) => {
            match rows {
                $(CopiedRows::$name(rows) => {
                    diesel::insert_into(schema::$table::table).values(rows).execute(connection)?
                })+
            }
        };
    }
    for_each_copied_table!(insert);
    Ok(())
}
