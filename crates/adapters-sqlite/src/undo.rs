use diesel::QueryResult;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sqlite::Sqlite;
use domain::ports::StoreError;

/// Why a write is undone. `?` converts diesel's errors and the store's.
#[derive(Debug)]
pub(crate) struct Undo(pub(crate) StoreError);

impl From<diesel::result::Error> for Undo {
    fn from(error: diesel::result::Error) -> Self {
        Self(diesel_mapping::store_error(error))
    }
}

impl From<StoreError> for Undo {
    fn from(error: StoreError) -> Self {
        Self(error)
    }
}

/// The statements of the savepoint that each write has. SQLite prepares these once; it prepares diesel's own each time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Savepoint {
    /// Starts the savepoint.
    Set,
    /// Undoes everything since the savepoint.
    RollBack,
    /// Removes the savepoint and keeps the changes.
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
