use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::periods::{create, load, lock, missing};
use crate::attempt::{Failure, Work};
use crate::transaction::{Begin, Commit, settle};

/// Creates the first of the periods of the log that lack for some days, and returns whether one did. A distributed engine takes
/// a second for one. Instances that do this at the same time wait for each other.
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
            create(connection, period).await?;
        }
        settle(Ok(true), Commit.execute(&mut &*connection).await)
    }
}
