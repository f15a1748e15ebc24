use diesel::backend::Backend;
use diesel::migration::{Migration, MigrationSource};
use diesel_migrations::MigrationHarness;
use domain::ports::{MigrateError, MigrationStatus};

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
