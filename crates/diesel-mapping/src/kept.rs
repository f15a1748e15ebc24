use diesel::backend::Backend;
use diesel::query_builder::{AstPass, BoxedSqlQuery, Query, QueryFragment, QueryId, SqlQuery};
use diesel::serialize::ToSql;
use diesel::sql_types::Text;
use diesel::{QueryResult, RunQueryDsl};
use domain::OwnerId;

/// A statement in SQL, without the values of its placeholders yet. It boxes them, so that all statements have one type: the
/// compiler would otherwise make the code of a query again for each list of values.
#[expect(clippy::disallowed_methods, reason = "the one place")]
pub fn statement<'a, DB: Backend>(text: impl Into<String>) -> BoxedSqlQuery<'a, DB, SqlQuery> {
    diesel::sql_query(text).into_boxed()
}

/// A [`statement`] whose first two values are the issuer and the subject of the owner.
pub fn owner_statement<DB: Backend>(sql: impl Into<String>, owner: &OwnerId) -> BoxedSqlQuery<'_, DB, SqlQuery>
where
    str: ToSql<Text, DB>,
{
    statement(sql).bind::<Text, _>(owner.issuer()).bind::<Text, _>(owner.subject())
}

/// A statement that each connection prepares once and keeps under its SQL text, which saves a round trip.
///
/// Diesel keeps queries, but not updates, upserts and SQL text, because their text may differ in each call. Wrap only
/// statements with a constant text: a connection never drops a statement that it keeps.
///
/// On SQLite, diesel heeds the wrapper in `load` and not in `execute`. Statements that must be fast there insert, replace or
/// delete, and diesel keeps those.
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
