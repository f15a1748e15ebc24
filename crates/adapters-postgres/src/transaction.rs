//! Transactions with statements that are sent together.
//!
//! Joined futures on one connection send their statements in the order in which they are joined: each waits for its
//! turn at the lock of the connection's statement cache, which serves waiters in order. `BEGIN` and `COMMIT` go through
//! this cache like all other statements. Without the cache they could overtake other statements.

use diesel::QueryResult;
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::{DatabaseErrorKind, Error};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::attempt::Failure;

/// Ends an `INSERT … SELECT … FROM unnest(…)`, and changes nothing: it names a table of the shard.
///
/// Without such a name, Citus copies the rows to the shard's node and commits in two phases. If the node dies between
/// them, the transaction is committed and its changes are hidden until Citus recovers it, by default a minute later. See
/// decision 120.
macro_rules! on_its_node {
    ($insertion:literal) => {
        concat!($insertion, " WHERE NOT EXISTS (SELECT FROM key_owners LIMIT 0)")
    };
}
pub(crate) use on_its_node;

/// A statement that begins or ends a transaction.
macro_rules! boundary {
    ($(#[$documentation:meta])* $name:ident, $sql:literal) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, QueryId)]
        pub(crate) struct $name;

        impl QueryFragment<Pg> for $name {
            fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
                out.push_sql($sql);
                Ok(())
            }
        }
    };
}

boundary! {
    /// Read committed, whatever the server's default is: each statement sees earlier commits, so that a count after a
    /// lock is exact.
    Begin, "BEGIN ISOLATION LEVEL READ COMMITTED"
}
boundary! {
    /// Repeatable read: every statement sees the same snapshot.
    BeginSnapshot, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
}
boundary! {
    /// The commit of this transaction does not wait for the disk.
    NotDurable, "SET LOCAL synchronous_commit = off"
}
boundary! {
    /// Plans each statement of this transaction again, because the tables of the queue change fast. For connections
    /// other than those of the queue: see [`Purpose::Queue`](crate::server::Purpose). See decision 38.
    ForceCustomPlan, "SET LOCAL plan_cache_mode = force_custom_plan"
}
boundary! {
    /// Fails if the transaction has taken longer than a call may take, because its caller has already received an
    /// error. The commit that follows is then a rollback.
    InTime, "SELECT 1 / (clock_timestamp() < now() + INTERVAL '4 seconds')::int"
}
boundary! {
    /// Takes the lock of the table of deliveries, which comes before the locks of other tables of the log.
    TouchDeliveries, "SELECT FROM webhook_deliveries WHERE FALSE"
}
boundary! {
    /// Commits the transaction, or rolls it back if one of its statements has failed.
    Commit, "COMMIT"
}
boundary! {
    /// Ends a transaction that has only taken locks. Unlike a commit, a rollback does not flush to disk.
    Rollback, "ROLLBACK"
}

/// The only row of a changing statement that is a whole transaction. Its commit comes after the row, and may fail:
/// `get_result` of diesel stops at the row.
pub(crate) fn only_row<Row>(rows: QueryResult<Vec<Row>>) -> QueryResult<Row> {
    rows?.pop().ok_or(Error::NotFound)
}

/// Rolls back, and returns the answer.
pub(crate) async fn rolled_back<Answer>(connection: &AsyncPgConnection, answer: Answer) -> Result<Answer, Failure> {
    Rollback.execute(&mut &*connection).await?;
    Ok(answer)
}

/// The result of a transaction, from the answers of its statements and of the commit.
pub(crate) fn settle<T>(statements: QueryResult<T>, commit: QueryResult<usize>) -> Result<T, Failure> {
    match commit {
        Ok(_) => Ok(statements?),
        Err(error @ Error::DatabaseError(DatabaseErrorKind::SerializationFailure, _)) => Err(Failure::Undone(error)),
        Err(error) => Err(Failure::Unknown(statements.err().unwrap_or(error))),
    }
}
