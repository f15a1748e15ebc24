use diesel::backend::Backend;
use diesel::migration::{Migration, MigrationSource};
use diesel_migrations::MigrationHarness;
use domain::ports::BoxError;

/// A migration that this program knows, and whether the database has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationStatus {
    /// Time and name, as its folder is called.
    pub name: String,
    /// Whether it is applied.
    pub applied: bool,
}

/// Why the schema was not brought up to date, or could not be looked at.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    /// A newer program has changed the schema: this one must not touch it.
    #[error("the database has migration {version}, which this version does not know: use the newer version")]
    Newer {
        /// The version of the first unknown migration: 14 digits.
        version: String,
    },
    /// Another instance has been migrating for too long.
    #[error("another instance has been migrating for {seconds} s")]
    Busy {
        /// How long was waited.
        seconds: u64,
    },
    /// One migration failed; those before it are applied.
    #[error("migration {name} failed")]
    Failed {
        /// Which.
        name: String,
        /// Why.
        #[source]
        source: BoxError,
    },
    /// The database cannot be reached, or did not answer in time.
    #[error("the database is unavailable")]
    Unavailable(#[source] BoxError),
}

impl From<diesel::result::Error> for MigrateError {
    fn from(error: diesel::result::Error) -> Self {
        Self::Unavailable(Box::new(error))
    }
}

/// The migrations that are built into this program, oldest first.
#[derive(Clone, Debug)]
pub struct KnownMigrations(Vec<KnownMigration>);

#[derive(Clone, Debug)]
struct KnownMigration {
    version: String,
    name: String,
}

impl KnownMigrations {
    /// What `source` holds.
    ///
    /// # Errors
    ///
    /// When the source cannot be read; embedded ones always can.
    pub fn of<DB: Backend>(source: &impl MigrationSource<DB>) -> Result<Self, MigrateError> {
        let migrations = sorted(source)?;
        let known = migrations.iter().map(|migration| KnownMigration {
            version: migration.name().version().to_string(),
            name: migration.name().to_string(),
        });
        Ok(Self(known.collect()))
    }

    /// Whether the database, which has these versions, lacks none.
    pub(crate) fn are_applied(&self, applied: &[String]) -> bool {
        self.0.iter().all(|known| applied.contains(&known.version))
    }

    /// The state of each, given the versions that the database has.
    ///
    /// # Errors
    ///
    /// [`MigrateError::Newer`] when the database has one that is not known here.
    pub fn status(&self, applied: &[String]) -> Result<Vec<MigrationStatus>, MigrateError> {
        let unknown = applied.iter().filter(|version| !self.0.iter().any(|known| known.version == **version));
        if let Some(version) = unknown.min() {
            return Err(MigrateError::Newer { version: version.clone() });
        }
        let status = |known: &KnownMigration| MigrationStatus {
            name: known.name.clone(),
            applied: applied.contains(&known.version),
        };
        Ok(self.0.iter().map(status).collect())
    }
}

/// Applies what the database lacks, oldest first, and answers with the names. Nobody else may do so at the same time.
///
/// # Errors
///
/// See [`MigrateError`]; with [`MigrateError::Newer`] nothing was changed.
pub fn apply_pending<DB: Backend>(
    harness: &mut impl MigrationHarness<DB>,
    source: &impl MigrationSource<DB>,
) -> Result<Vec<String>, MigrateError> {
    let applied: Vec<String> =
        harness.applied_migrations().map_err(MigrateError::Unavailable)?.iter().map(ToString::to_string).collect();
    let status = KnownMigrations::of(source)?.status(&applied)?;
    let mut names = Vec::new();
    for (migration, status) in sorted(source)?.iter().zip(status).filter(|(_, status)| !status.applied) {
        harness
            .run_migration(migration)
            .map_err(|source| MigrateError::Failed { name: status.name.clone(), source })?;
        names.push(status.name);
    }
    Ok(names)
}

fn sorted<DB: Backend>(source: &impl MigrationSource<DB>) -> Result<Vec<Box<dyn Migration<DB>>>, MigrateError> {
    let mut migrations = source.migrations().map_err(MigrateError::Unavailable)?;
    migrations.sort_by_key(|migration| migration.name().version().as_owned());
    Ok(migrations)
}
