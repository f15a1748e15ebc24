use diesel::backend::Backend;
use diesel::migration::{Migration, MigrationSource};
use diesel_migrations::MigrationHarness;
use domain::ports::{MigrateError, MigrationStatus, NotReady};

/// Why a migration is undone. `?` takes the errors of diesel as well as [`MigrateError`].
#[derive(Debug)]
pub struct MigrationUndone(pub MigrateError);

impl From<MigrateError> for MigrationUndone {
    fn from(error: MigrateError) -> Self {
        Self(error)
    }
}

impl From<diesel::result::Error> for MigrationUndone {
    fn from(error: diesel::result::Error) -> Self {
        Self(MigrateError::Unavailable(Box::new(error)))
    }
}

/// The migrations of this version, oldest first.
#[derive(Clone, Debug)]
pub struct KnownMigrations(Vec<KnownMigration>);

#[derive(Clone, Debug)]
struct KnownMigration {
    version: String,
    name: String,
}

impl KnownMigrations {
    /// The migrations in `source`.
    ///
    /// # Errors
    ///
    /// When the source cannot be read. Embedded migrations can always be read.
    pub fn of<DB: Backend>(source: &impl MigrationSource<DB>) -> Result<Self, MigrateError> {
        let migrations = sorted(source)?;
        let known = migrations.iter().map(|migration| KnownMigration {
            version: migration.name().version().to_string(),
            name: migration.name().to_string(),
        });
        Ok(Self(known.collect()))
    }

    /// Whether a database with these versions has every known migration.
    pub(crate) fn are_applied(&self, applied: &[String]) -> bool {
        self.0.iter().all(|known| applied.contains(&known.version))
    }

    /// Each known migration, and whether it is among the versions of the database.
    ///
    /// # Errors
    ///
    /// [`MigrateError::Newer`] when the database has a migration that this version does not know.
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

/// Applies the migrations that the database lacks, oldest first, and returns their names. The caller prevents
/// concurrent migrations.
///
/// # Errors
///
/// See [`MigrateError`]. [`MigrateError::Newer`] comes before any change.
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

/// Checks that the schema has every migration of this version.
///
/// The schema may have more: during a rolling upgrade new instances migrate while old instances still serve.
///
/// # Errors
///
/// When a migration is missing.
pub fn schema_is_complete(known: &KnownMigrations, applied: &[String]) -> Result<(), NotReady> {
    if known.are_applied(applied) {
        return Ok(());
    }
    Err(NotReady { summary: "the schema is older than this version: migrate", source: None })
}
