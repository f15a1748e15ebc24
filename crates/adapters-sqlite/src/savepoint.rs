use diesel::QueryResult;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sqlite::Sqlite;

/// A statement of the savepoint on which each write stands. Diesel's own are prepared each time; these are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Savepoint {
    /// What follows can be undone on its own.
    Set,
    /// Undoes what followed.
    RollBack,
    /// Forgets the savepoint.
    Release,
}

impl QueryFragment<Sqlite> for Savepoint {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql(match self {
            Self::Set => "SAVEPOINT write",
            Self::RollBack => "ROLLBACK TO write",
            Self::Release => "RELEASE write",
        });
        Ok(())
    }
}

impl QueryId for Savepoint {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Connection> diesel::RunQueryDsl<Connection> for Savepoint {}
