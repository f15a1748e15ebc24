//! For tests: the statements that a connection performs, and how SQLite finds their rows.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use diesel::connection::InstrumentationEvent;
use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel_mapping::statement;

/// The SQL that a connection performs, and the SQL that it keeps prepared.
#[derive(Clone, Default)]
pub(crate) struct Statements(Arc<Mutex<(BTreeSet<String>, BTreeSet<String>)>>);

impl Statements {
    /// Records the statements of this connection from now on.
    pub(crate) fn of(connection: &mut SqliteConnection) -> Self {
        let statements = Self::default();
        let noting = statements.clone();
        connection.set_instrumentation(move |event: InstrumentationEvent<'_>| noting.note(&event));
        statements
    }

    pub(crate) fn performed(&self) -> BTreeSet<String> {
        self.0.lock().unwrap().0.clone()
    }

    pub(crate) fn kept(&self) -> BTreeSet<String> {
        self.0.lock().unwrap().1.clone()
    }

    fn note(&self, event: &InstrumentationEvent<'_>) {
        let mut noted = self.0.lock().unwrap();
        match event {
            InstrumentationEvent::StartQuery { query, .. } => {
                let text = query.to_string();
                let sql = text.split(" -- binds:").next().unwrap_or_default();
                noted.0.insert(sql.to_owned());
            }
            InstrumentationEvent::CacheQuery { sql, .. } => {
                noted.1.insert((*sql).to_owned());
            }
            _ => (),
        }
    }
}

/// The steps of SQLite's plan for a statement.
pub(crate) fn plan(connection: &mut SqliteConnection, sql: &str) -> Vec<String> {
    #[derive(QueryableByName)]
    struct Step {
        #[diesel(sql_type = Text)]
        detail: String,
    }
    let explained = statement(format!("EXPLAIN QUERY PLAN {sql}")).load::<Step>(connection);
    explained.unwrap_or_else(|error| panic!("{error}: {sql}")).into_iter().map(|step| step.detail).collect()
}

/// The instructions that SQLite compiles a statement to.
pub(crate) fn program(connection: &mut SqliteConnection, sql: &str) -> Vec<String> {
    #[derive(QueryableByName)]
    struct Step {
        #[diesel(sql_type = Text)]
        opcode: String,
    }
    let steps: Vec<Step> = statement(format!("EXPLAIN {sql}")).load(connection).unwrap();
    steps.into_iter().map(|step| step.opcode).collect()
}
