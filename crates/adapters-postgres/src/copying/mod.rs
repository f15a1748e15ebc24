//! Copies all rows to or from another database. See decision 84.

mod export;
mod import;
mod import_shards;

use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::copying::CopyError;
use diesel_mapping::{CountRow, statement};
use tokio::time::Instant;

use crate::PostgresStore;
use crate::claimers::{Claimers, SEEN_FOR, count_present};
use crate::server::Purpose;
use crate::server_session::ConnectError;

impl PostgresStore {
    /// A connection for statements without a time limit.
    async fn connect_for_copying(&self) -> Result<AsyncPgConnection, CopyError> {
        let failed = |error: ConnectError| CopyError::Database(Box::new(error));
        self.server.connect(Purpose::Migrations).await.map_err(failed)
    }
}

/// Waits until ended processes behind a pooler no longer count as present: they hold no lock that ends with them. Must
/// run outside a transaction, because its snapshot would not show the processes that still run.
async fn wait_for_ended(connection: &AsyncPgConnection, claimers: &Claimers) -> Result<(), CopyError> {
    let begin = Instant::now();
    while begin.elapsed() < SEEN_FOR && count_present(connection, claimers).await? > 0 {
        tokio::time::sleep(SEEN_FOR / 20).await;
    }
    Ok(())
}

async fn check_unused(connection: &AsyncPgConnection, claimers: &Claimers) -> Result<(), CopyError> {
    match count_present(connection, claimers).await? {
        0 => Ok(()),
        processes => Err(CopyError::InUse { processes }),
    }
}

/// Adds the rows of `key_owners`, which are not copied: see decision 135.
async fn add_owners(connection: &mut AsyncPgConnection) -> Result<(), CopyError> {
    const ADD_OWNERS: &str = "INSERT INTO key_owners (owner_issuer, owner_subject)
        SELECT owner_issuer, owner_subject FROM owners
        UNION SELECT owner_issuer, owner_subject FROM webhook_subscriptions
        UNION SELECT owner_issuer, owner_subject FROM api_keys
        ON CONFLICT DO NOTHING";
    statement(ADD_OWNERS).execute(connection).await?;
    Ok(())
}

async fn count(connection: &mut AsyncPgConnection, query: String) -> Result<i64, CopyError> {
    Ok(statement(query).get_result::<CountRow>(connection).await?.count)
}
