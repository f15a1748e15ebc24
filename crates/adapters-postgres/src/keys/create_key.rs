use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::keys::{NewKeyRow, count_active, keys_of_owner};
use diesel_mapping::owners::{LimitsRow, limits_in, limits_of};
use diesel_mapping::schema::{api_keys, audit_events};
use domain::ports::{InsertKeyRequest, Insertion};
use futures_util::future::{OptionFuture, join, join4};

use super::rows::listed;
use crate::attempt::{Failure, Work};
use crate::audit::row_of;
use crate::owner_lock::lock_owner;
use crate::transaction::{Begin, Commit, rolled_back, settle};

/// Inserts a key, unless its owner has the maximum number of active keys. Two round trips.
impl Work for InsertKeyRequest {
    type Answer = Insertion;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Insertion, Failure> {
        let owner = &self.key.owner;
        let (begun, locked, limits, active) = join4(
            Begin.execute(&mut &*connection),
            lock_owner(owner).execute(&mut &*connection),
            limits_of(owner).load::<LimitsRow>(&mut &*connection),
            count_active(owner, self.limit.at).get_result::<i64>(&mut &*connection),
        )
        .await;
        begun.and(locked)?;
        let (limit, active) = (self.limit.of(limits_in(owner, limits?.pop())?), active?);
        if active >= limit.max.into() {
            return rolled_back(connection, Insertion::LimitReached { max: limit.max }).await;
        }
        let (row, event) = (NewKeyRow::new(&self.key, &self.digest), self.cause.key_created(&self.key));
        let reached = self.cause.key_limit_reached(&self.key, u64::try_from(active).unwrap_or(0), limit);
        let write = |event| diesel::insert_into(audit_events::table).values(row_of(event)).execute(&mut &*connection);
        let (inserted, (written, also_written), rows, committed) = join4(
            diesel::insert_into(api_keys::table).values(row).execute(&mut &*connection),
            join(write(&event), OptionFuture::from(reached.as_ref().map(write))),
            listed(connection, owner, self.view),
            Commit.execute(&mut &*connection),
        )
        .await;
        let written = written.and(also_written.transpose());
        let rows = settle(inserted.and(written).and(rows), committed)?;
        Ok(Insertion::Stored(self.view.select(keys_of_owner(owner, rows)?)))
    }
}
