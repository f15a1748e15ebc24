//! Transactions whose statements are sent together.
//!
//! Futures on one connection that are joined send their statements in the order in which they are joined: each takes
//! its turn at the connection's statement cache, a lock that serves in order. `BEGIN` and `COMMIT` are statements like
//! all others here, so that they keep that order too; sent past the cache they could overtake.

use diesel::QueryResult;
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::{DatabaseErrorKind, Error};

use crate::attempt::Failure;

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
    /// Read committed, whatever the server's default: each statement sees what was committed before it began, so that
    /// a count after a lock is exact.
    Begin, "BEGIN ISOLATION LEVEL READ COMMITTED"
}
boundary! {
    /// Every statement sees the same.
    BeginSnapshot, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
}
boundary! {
    /// This transaction's commit does not wait for the disk.
    NotDurable, "SET LOCAL synchronous_commit = off"
}
boundary! {
    /// Plans each statement of this transaction for the tables as they are now, which those of the webhooks' queue are
    /// not for long. For connections that are not the queue's: see [`Purpose::Queue`](crate::server::Purpose).
    PlanAnew, "SET LOCAL plan_cache_mode = force_custom_plan"
}
boundary! {
    /// Fails where the transaction has taken longer than a call may: its caller was refused. The commit that follows is
    /// then a rollback.
    InTime, "SELECT 1 / (clock_timestamp() < now() + INTERVAL '4 seconds')::int"
}
boundary! {
    /// Where a statement of the transaction has failed, the server takes this for a rollback.
    Commit, "COMMIT"
}
boundary! {
    /// Costs no flush to disk, which the commit of a mere lock does.
    Rollback, "ROLLBACK"
}

/// What came of a transaction, given its statements' answers and that of the commit.
pub(crate) fn settle<T>(statements: QueryResult<T>, commit: QueryResult<usize>) -> Result<T, Failure> {
    match commit {
        Ok(_) => Ok(statements?),
        Err(error @ Error::DatabaseError(DatabaseErrorKind::SerializationFailure, _)) => Err(Failure::Undone(error)),
        Err(error) => Err(Failure::Unknown(statements.err().unwrap_or(error))),
    }
}
