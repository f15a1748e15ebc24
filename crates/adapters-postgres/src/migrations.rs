//! The migrations, which run one statement at a time.
//!
//! A distributed engine sends the whole message of a client to another node when a statement changes a table. There, a message
//! with several statements fails.

use diesel::connection::BoxableConnection;
use diesel::migration::{Migration, MigrationMetadata, MigrationName, MigrationSource, Result};
use diesel::pg::Pg;
use diesel_migrations::{EmbeddedMigrations, embed_migrations};

const EMBEDDED: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");
/// The name of each migration, and its statements.
const SCRIPTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/scripts.rs"));

#[derive(Clone, Copy)]
pub(crate) struct Migrations;

impl MigrationSource<Pg> for Migrations {
    fn migrations(&self) -> Result<Vec<Box<dyn Migration<Pg>>>> {
        let embedded: Vec<Box<dyn Migration<Pg>>> = EMBEDDED.migrations()?;
        Ok(embedded.into_iter().map(|migration| Box::new(InSteps(migration)) as Box<_>).collect())
    }
}

struct InSteps(Box<dyn Migration<Pg>>);

impl Migration<Pg> for InSteps {
    fn run(&self, connection: &mut dyn BoxableConnection<Pg>) -> Result<()> {
        let name = self.name().to_string();
        let script = SCRIPTS.iter().find(|(folder, _)| *folder == name).ok_or("the migration has no statements")?.1;
        for statement in script.split_terminator(";\n") {
            connection.batch_execute(statement)?;
        }
        Ok(())
    }

    fn revert(&self, connection: &mut dyn BoxableConnection<Pg>) -> Result<()> {
        self.0.revert(connection)
    }

    fn metadata(&self) -> &dyn MigrationMetadata {
        self.0.metadata()
    }

    fn name(&self) -> &dyn MigrationName {
        self.0.name()
    }
}
