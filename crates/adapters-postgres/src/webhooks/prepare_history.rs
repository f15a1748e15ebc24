use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::periods::{create, load, lock, missing};
use crate::attempt::{Failure, Work};
use crate::transaction::{Begin, Commit, settle};

/// Creates the periods of the log that lack for some days. Instances that do this at the same time wait for each other.
pub(super) struct PrepareHistory {
    pub(super) first_day: i64,
    pub(super) last_day: i64,
    /// The days of a new period.
    pub(super) width: i64,
}

impl Work for PrepareHistory {
    type Answer = ();

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<(), Failure> {
        let missing = |known: &[_]| missing(known, self.first_day, self.last_day, self.width);
        if missing(&load(connection).await?).is_empty() {
            return Ok(());
        }
        Begin.execute(&mut &*connection).await?;
        lock(connection).await?;
        for period in missing(&load(connection).await?) {
            create(connection, period).await?;
        }
        settle(Ok(()), Commit.execute(&mut &*connection).await)
    }
}
