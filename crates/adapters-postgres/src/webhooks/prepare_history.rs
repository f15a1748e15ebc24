use diesel::result::{DatabaseErrorKind, Error};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::Timestamp;
use domain::ports::StoreError;

use super::periods::{create, day_of, load, lock, missing};
use crate::PostgresStore;
use crate::attempt::{Failure, Work};
use crate::transaction::{Begin, Commit, settle};

/// How far ahead periods are created.
const DAYS_AHEAD: i64 = 3;

impl PostgresStore {
    /// See [`Retention::prepare_history`](domain::ports::Retention::prepare_history).
    pub(crate) async fn prepare_periods(&self, at: Timestamp, days: u32) -> Result<(), StoreError> {
        let today = day_of(at);
        let missing = PrepareHistory { first_day: today, last_day: today + DAYS_AHEAD, width: days.max(1).into() };
        while self.run(&missing).await? {}
        Ok(())
    }
}

/// Creates the first missing period of the log for some days, and returns whether one was missing. A distributed engine
/// takes a second for one. Instances that do this at the same time wait for each other.
pub(super) struct PrepareHistory {
    pub(super) first_day: i64,
    pub(super) last_day: i64,
    /// The days of a new period.
    pub(super) width: i64,
}

impl Work for PrepareHistory {
    type Answer = bool;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<bool, Failure> {
        let first_missing = |known: &[_]| missing(known, self.first_day, self.last_day, self.width).into_iter().next();
        if first_missing(&load(connection).await?).is_none() {
            return Ok(false);
        }
        Begin.execute(&mut &*connection).await?;
        lock(connection).await?;
        if let Some(period) = first_missing(&load(connection).await?) {
            create(connection, period).await.map_err(overtaken)?;
        }
        settle(Ok(true), Commit.execute(&mut &*connection).await)
    }
}

/// If every transaction is serializable, it may see the periods from before its lock, and create one that exists. The
/// driver has no name for this error.
fn overtaken(error: Error) -> Failure {
    match error {
        Error::DatabaseError(DatabaseErrorKind::Unknown, information) => Failure::overtaken(information.message()),
        error => error.into(),
    }
}
