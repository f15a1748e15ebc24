use std::time::Duration;

use async_trait::async_trait;
use diesel::sql_types::BigInt;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::Kept;
use domain::ports::{ChangeFeed, KeyChange, RecentChanges, StoreError};

use crate::PostgresStore;
use crate::attempt::{Failure, Work};
use crate::change_row::ChangeRow;

/// By the server's clock alone, as the stamps are. Each change is there once, because it happens once.
const CHANGES_WITHIN: &str =
    "SELECT digest, kind FROM key_changes WHERE changed_at >= now() - $1 * INTERVAL '1 millisecond' LIMIT $2";

/// Instances that forget at the same time pass over each other's rows.
const FORGET: &str = "DELETE FROM key_changes WHERE (changed_at, digest, kind) IN (
    SELECT changed_at, digest, kind FROM key_changes WHERE changed_at < now() - $1 * INTERVAL '1 millisecond'
    ORDER BY changed_at LIMIT $2 FOR UPDATE SKIP LOCKED
)";

/// The most changes that are deleted at once: some 100 ms.
const FORGOTTEN_MAX: i64 = 50_000;

/// The longest span that is asked for, 100 years: the server's calendar ends where a longer one begins.
const SPAN_MAX: Duration = Duration::from_hours(24 * 36_525);

#[async_trait]
impl ChangeFeed for PostgresStore {
    async fn changes_within(&self, window: Duration, max: u32) -> Result<RecentChanges, StoreError> {
        self.run(&ChangesWithin { window, max }).await
    }

    /// Returns after a notification, and after the listening connection was lost and opened again. For one reader at a
    /// time: of several, each notification wakes one.
    async fn hint(&self) {
        self.change_signal.heard().await;
    }

    async fn forget_changes(&self, age: Duration) -> Result<(), StoreError> {
        self.run(&Forget { age }).await
    }
}

struct ChangesWithin {
    window: Duration,
    max: u32,
}

impl Work for ChangesWithin {
    type Answer = RecentChanges;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<RecentChanges, Failure> {
        let query = diesel::sql_query(CHANGES_WITHIN)
            .bind::<BigInt, _>(millis(self.window))
            .bind::<BigInt, _>(i64::from(self.max) + 1);
        let rows: Vec<ChangeRow> = Kept(query).load(&mut &*connection).await?;
        if rows.len() > self.max as usize {
            return Ok(RecentChanges::TooMany);
        }
        let changes: Result<Vec<KeyChange>, StoreError> = rows.into_iter().map(KeyChange::try_from).collect();
        Ok(RecentChanges::All(changes?))
    }
}

struct Forget {
    age: Duration,
}

impl Work for Forget {
    type Answer = ();

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<(), Failure> {
        let deletion = diesel::sql_query(FORGET).bind::<BigInt, _>(millis(self.age)).bind::<BigInt, _>(FORGOTTEN_MAX);
        Kept(deletion).execute(&mut &*connection).await?;
        Ok(())
    }
}

/// Rounded up: more changes may be told, and fewer forgotten, never the other way round.
fn millis(span: Duration) -> i64 {
    i64::try_from(span.min(SPAN_MAX).as_nanos().div_ceil(1_000_000)).unwrap_or(i64::MAX)
}
