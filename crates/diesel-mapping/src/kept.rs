use diesel::backend::Backend;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::{QueryResult, RunQueryDsl};

/// A statement that each connection prepares once and keeps, by its text.
///
/// Diesel does so for queries, but not for updates, upserts and SQL text, which may have a form for each call. Wrap
/// only those whose text never varies: what is kept is never thrown away. Not preparing again saves a round trip.
///
/// On Postgres only: diesel's SQLite connection asks a reference to the statement, which answers for what is wrapped. What
/// must be fast there is inserted, replaced or deleted, which diesel keeps by itself.
#[derive(Clone, Copy, Debug)]
pub struct Kept<Statement>(pub Statement);

impl<DB: Backend, Statement: QueryFragment<DB>> QueryFragment<DB> for Kept<Statement> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }

    fn is_safe_to_cache_prepared(&self, _: &DB) -> QueryResult<bool> {
        Ok(true)
    }
}

impl<Statement: Query> Query for Kept<Statement> {
    type SqlType = Statement::SqlType;
}

impl<Statement> QueryId for Kept<Statement> {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Statement, Connection> RunQueryDsl<Connection> for Kept<Statement> {}
