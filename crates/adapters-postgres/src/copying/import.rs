use std::collections::BTreeSet;

use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use diesel_mapping::copying::{
    COPIED_TABLES, Copied, CopiedRows, CopyError, Expected, count_all, count_first, is_in_the_way,
};
use diesel_mapping::{for_each_copied_table, schema};
use domain::ports::Schema;
use tokio::sync::mpsc::Receiver;

use super::{add_owners, check_unused, count, wait_for_ended};
use crate::PostgresStore;
use crate::claimers::Claimers;
use crate::transaction::{Begin, Commit};
use crate::webhooks::create_periods_of;

/// The transaction waits for the source between its statements.
pub(super) const NO_TIMEOUT: &str = "SET LOCAL idle_in_transaction_session_timeout = 0";

impl PostgresStore {
    /// Migrates the database and inserts every row that arrives, in one transaction: whatever interrupts it, the
    /// database stays empty. Other processes can write to the database afterwards.
    ///
    /// # Errors
    ///
    /// See [`CopyError`].
    pub async fn import(&self, mut from: Receiver<Copied>) -> Result<(), CopyError> {
        self.migrate().await?;
        let mut connection = self.connect_for_copying().await?;
        wait_for_ended(&connection, &self.claimers).await?;
        begin_alone(&mut connection, &self.claimers).await?;
        insert_all(&mut connection, &mut from).await?;
        add_owners(&mut connection).await?;
        Commit.execute(&mut connection).await?;
        Ok(())
    }
}

/// Begins a transaction in which the database is empty, and closed to other writers.
pub(super) async fn begin_alone(connection: &mut AsyncPgConnection, claimers: &Claimers) -> Result<(), CopyError> {
    Begin.execute(connection).await?;
    let lock = format!("LOCK TABLE {} IN SHARE ROW EXCLUSIVE MODE", COPIED_TABLES.join(", "));
    connection.batch_execute(&format!("{NO_TIMEOUT}; {lock}")).await?;
    check_unused(connection, claimers).await?;
    check_empty(connection).await?;
    diesel::delete(schema::encryption_checks::table).execute(connection).await?;
    Ok(())
}

async fn check_empty(connection: &mut AsyncPgConnection) -> Result<(), CopyError> {
    for table in COPIED_TABLES.iter().filter(|table| is_in_the_way(table)) {
        if count(connection, count_first(table)).await? > 0 {
            return Err(CopyError::NotEmpty { table });
        }
    }
    Ok(())
}

async fn insert_all(connection: &mut AsyncPgConnection, from: &mut Receiver<Copied>) -> Result<(), CopyError> {
    let mut expected = Expected::default();
    while let Some(copied) = from.recv().await {
        match copied {
            Copied::Rows { rows, .. } => insert_rows(connection, rows).await?,
            Copied::End { table, count: counted } => {
                expected.check(table, counted, count(connection, count_all(table)).await?)?;
            }
            Copied::Complete => return Ok(()),
        }
    }
    Err(CopyError::CutOff)
}

/// Inserts the rows of a transaction, and makes the partitions that they need.
pub(super) async fn insert_rows(connection: &mut AsyncPgConnection, rows: CopiedRows) -> Result<(), CopyError> {
    create_periods_of(connection, &published_ids(&rows)).await?;
    insert(connection, rows).await
}

/// The ids of events and deliveries, which name the partition of the row.
fn published_ids(rows: &CopiedRows) -> BTreeSet<&[u8]> {
    match rows {
        CopiedRows::Events(rows) => rows.iter().map(|row| row.id.as_slice()).collect(),
        CopiedRows::Deliveries(rows) => rows.iter().map(|row| row.id.as_slice()).collect(),
        CopiedRows::Attempts(rows) => rows.iter().map(|row| row.delivery_id.as_slice()).collect(),
        _ => BTreeSet::new(),
    }
}

async fn insert(connection: &mut AsyncPgConnection, rows: CopiedRows) -> Result<(), CopyError> {
    macro_rules! insert {
        ($(($name:ident, $table:ident, $row:ty, $owner:ident)),+ $(,)?) => {
            match rows {
                $(CopiedRows::$name(rows) => {
                    diesel::insert_into(schema::$table::table).values(rows).execute(connection).await?
                })+
            }
        };
    }
    for_each_copied_table!(insert);
    Ok(())
}
