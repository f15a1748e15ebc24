use std::time::Duration;

use domain::SealingKeys;
use domain::ports::{ChangeFeed, Clock, MigrateError, MigrationStatus, SealedSecretStore, Store, StoreFigures};
use domain::webhooks::opens_check;

use crate::finding::{Finding, chain};

/// A clock that is off by more than this is wrong.
const CLOCK_OFFSET_MAX: Duration = Duration::from_secs(5);
/// An older transaction was forgotten, and will fill the disk.
const SNAPSHOT_AGE_MAX: Duration = Duration::from_mins(30);
/// A delivery that has been due for longer is late.
const DUE_AGE_MAX: Duration = Duration::from_mins(1);
/// How many subscriptions are checked: all were sealed under the same keys.
const SEALED_MAX: u32 = 100;

/// Checks that the database answers and takes writes, its schema, change feed, clocks, old transactions and queue.
/// `migrates` says whether `serve` applies migrations.
pub async fn check_store(store: &Store, clock: &dyn Clock, migrates: bool) -> Vec<Finding> {
    let migrations = match store.schema.status().await {
        Ok(migrations) => migrations,
        Err(error) => return vec![unusable(&error)],
    };
    if migrations.iter().any(|migration| !migration.applied) {
        return lacking(&migrations, migrates).into_iter().collect();
    }
    let feed = match store.changes.first() {
        Some(changes) => feed_and_clocks(&**changes, clock).await,
        // A store that one process uses goes by this machine's clock.
        None => None,
    };
    let figures = &*store.figures;
    let found = [writes(store).await, feed, snapshots(figures).await, queue(figures, clock).await];
    found.into_iter().flatten().collect()
}

fn finding(what: String, why: &'static str, cure: &str) -> Finding {
    Finding { check: "database", what, why, cure: cure.to_owned() }
}

fn unusable(error: &MigrateError) -> Finding {
    let what = chain(error);
    match error {
        MigrateError::Newer { .. } => finding(
            what,
            "this version does not know the schema, and `gatepost serve` ends at its start",
            "start the newer version again, or restore the backup from before the upgrade",
        ),
        MigrateError::Unavailable(_) => finding(
            what,
            "`gatepost serve` starts and answers 503 until the database answers",
            "check the host, the port, the user and the password in DATABASE_URL: `psql \"$DATABASE_URL\" -c 'SELECT version()'`",
        ),
        MigrateError::Busy { .. } | MigrateError::Failed { .. } | MigrateError::Unusable(_) => finding(
            what,
            "`gatepost serve` ends at its start",
            "mend the cause above, because waiting does not help; `psql \"$DATABASE_URL\" -c 'SELECT version()'` asks the same server",
        ),
    }
}

/// Some migrations are not applied.
fn lacking(migrations: &[MigrationStatus], migrates: bool) -> Option<Finding> {
    let pending = migrations.iter().filter(|migration| !migration.applied).count();
    if pending == migrations.len() {
        return Some(no_migration());
    }
    (!migrates).then(|| pending_migrations(pending))
}

fn no_migration() -> Finding {
    finding(
        "no migration is applied: the database has no data of Gatepost".to_owned(),
        "no instance has started on this database yet, or DATABASE_URL names another one than before",
        "if the database is new, run `gatepost migrate` or start `gatepost serve`; otherwise correct DATABASE_URL, which \
         `gatepost config` shows",
    )
}

fn pending_migrations(count: usize) -> Finding {
    finding(
        format!("the schema lacks {count} migrations, and MIGRATE is false"),
        "/readyz fails until the schema is complete",
        "run `gatepost migrate` as the owner of the schema",
    )
}

async fn writes(store: &Store) -> Option<Finding> {
    let error = store.readiness.check().await.err()?;
    Some(finding(
        chain(&error),
        "/readyz fails, and nothing can be created, revoked or published",
        "make the database writable: free space on its disk, its rights, or the primary instead of a standby. For Postgres, \
         `psql \"$DATABASE_URL\" -c 'SHOW default_transaction_read_only' -c 'SELECT pg_is_in_recovery()'` shows the reason",
    ))
}

/// Reads the change feed once, which also sets the clock.
async fn feed_and_clocks(changes: &dyn ChangeFeed, clock: &dyn Clock) -> Option<Finding> {
    if let Err(error) = changes.changes_since(None, 0).await {
        return Some(finding(
            format!("the change feed cannot be read: {}", chain(&error)),
            "no instance verifies keys from memory: each verification asks the database",
            "mend the cause above; the role needs EXECUTE on a function that the server refuses",
        ));
    }
    let (machine, database) = (clock.machine_time(), clock.now());
    let offset = machine.since(database).max(database.since(machine));
    (offset > CLOCK_OFFSET_MAX).then(|| {
        finding(
            format!("the clock of this machine differs from the database's by {} s", offset.as_secs()),
            "ID tokens and signatures go by the database's clock, and are refused if it is wrong",
            "correct the clock of the machine that is wrong: `timedatectl set-ntp true`",
        )
    })
}

async fn snapshots(figures: &dyn StoreFigures) -> Option<Finding> {
    let age = figures.server_figures().await.ok()?.oldest_snapshot?;
    (age > SNAPSHOT_AGE_MAX).then(|| {
        finding(
            format!("a transaction has been open for {} minutes", age.as_secs() / 60),
            "the tables of the queue grow with each delivery until it ends",
            "`psql \"$DATABASE_URL\" -c 'SELECT pid, usename, state, xact_start, query FROM pg_stat_activity ORDER BY xact_start \
             LIMIT 5'` shows it; end it with pg_terminate_backend: docs/runbooks/gatepost-snapshot-is-old.md",
        )
    })
}

async fn queue(figures: &dyn StoreFigures, clock: &dyn Clock) -> Option<Finding> {
    let at = clock.now();
    let oldest = figures.queue_figures(at, 1).await.ok()?.oldest_due?;
    let age = at.since(oldest);
    (age > DUE_AGE_MAX).then(|| {
        finding(
            format!("a webhook has been due for {} s, and no instance has sent it", age.as_secs()),
            "webhooks arrive late; none is lost",
            "start an instance without DISPATCH=false: docs/runbooks/gatepost-webhooks-are-late.md",
        )
    })
}

/// Checks that the configured encryption keys open the signing secrets of the database, and the check value, which even
/// a database without subscriptions has. It only reads. Another check reports a store that does not answer. See
/// decision 57.
pub async fn check_sealing_keys(store: &dyn SealedSecretStore, keys: &SealingKeys) -> Option<Finding> {
    let stored = store.list_secrets(None, SEALED_MAX).await.ok()?;
    let closed = stored.iter().filter(|(id, secrets)| keys.unseal(&secrets.current, *id).is_err()).count();
    if closed > 0 {
        return Some(foreign_key(&format!("{closed} of {} signing secrets of the database", stored.len())));
    }
    let check = store.find_check().await.ok()??;
    (!opens_check(keys, &check)).then(|| foreign_key("the check value of the database"))
}

fn foreign_key(closed: &str) -> Finding {
    Finding {
        check: "encryption key",
        what: format!("ENCRYPTION_KEY does not open {closed}"),
        why: "`gatepost serve` ends at its start, or cannot sign webhooks",
        cure:
            "set ENCRYPTION_KEY to the key of the other instances; `gatepost config` shows where the value comes from. \
               If the key is lost, see \"Rotating ENCRYPTION_KEY\" in docs/operations/upgrades.md"
                .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use domain::Timestamp;
    use domain::memory::{ManualClock, MemoryKeyStore};
    use domain::ports::{FeedPosition, FeedRead, QueueFigures, ServerFigures, StoreError};

    use super::*;

    const NOW: Timestamp = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();

    /// A store with a transaction and a due delivery of this age.
    struct Aged(Duration);

    #[async_trait]
    impl StoreFigures for Aged {
        async fn queue_figures(&self, at: Timestamp, _: u32) -> Result<QueueFigures, StoreError> {
            Ok(QueueFigures { oldest_due: Some(at.minus(self.0)), ..QueueFigures::default() })
        }

        async fn server_figures(&self) -> Result<ServerFigures, StoreError> {
            Ok(ServerFigures { oldest_snapshot: Some(self.0), ..ServerFigures::default() })
        }
    }

    /// The database's clock shows `NOW`, and the machine's is ahead of it.
    struct Ahead(Duration);

    impl Clock for Ahead {
        fn now(&self) -> Timestamp {
            NOW
        }

        fn machine_time(&self) -> Timestamp {
            NOW.plus(self.0)
        }
    }

    /// A server that refuses a function of the feed.
    struct Refused;

    #[async_trait]
    impl ChangeFeed for Refused {
        async fn changes_since(&self, _: Option<&FeedPosition>, _: u32) -> Result<FeedRead, StoreError> {
            Err(StoreError::Unavailable("permission denied for function pg_control_system".into()))
        }

        async fn forget_changes(&self, _: &FeedPosition) -> Result<(), StoreError> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_feed_that_cannot_be_read_is_found() {
        let found = feed_and_clocks(&Refused, &ManualClock::new(NOW)).await.unwrap();
        assert!(found.what.ends_with("permission denied for function pg_control_system"), "{found:?}");
    }

    #[test]
    fn migrations_that_are_not_applied_are_found() {
        for (applied, migrates, expected) in [
            (0, true, Some("no migration is applied")),
            (0, false, Some("no migration is applied")),
            (1, true, None),
            (1, false, Some("lacks 1 migrations")),
        ] {
            let migration = |number| MigrationStatus { name: format!("{number}"), applied: number < applied };
            let found = lacking(&[migration(0), migration(1)], migrates);
            let is_expected = match (&found, expected) {
                (Some(found), Some(expected)) => found.what.contains(expected),
                (found, expected) => found.is_none() && expected.is_none(),
            };
            assert!(is_expected, "{applied} {migrates}: {found:?}");
        }
    }

    #[tokio::test]
    async fn what_is_older_than_its_limit_is_found() {
        let clock = ManualClock::new(NOW);
        let second = Duration::from_secs(1);
        let found = |finding: Option<Finding>| finding.is_some();
        for (limit, is_found) in [(Duration::ZERO, false), (second, true)] {
            assert_eq!(found(snapshots(&Aged(SNAPSHOT_AGE_MAX + limit)).await), is_found);
            assert_eq!(found(queue(&Aged(DUE_AGE_MAX + limit), &clock).await), is_found);
            let feed = MemoryKeyStore::default();
            assert_eq!(found(feed_and_clocks(&feed, &Ahead(CLOCK_OFFSET_MAX + limit)).await), is_found);
        }
    }
}
