use diesel::QueryResult;
use diesel::deserialize::QueryableByName;
use diesel::sql_types::{Array, Binary, Nullable};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::owners::{OwnerRow, ReplacedOwnerRow, delete_owner, record_in, record_of};
use diesel_mapping::schema::owners;
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::BreakerRow;
use diesel_mapping::{Kept, StoredInstant, owner_statement, statement};
use domain::ports::{ChangeOwnerRequest, ChangedOwner, SetOwnerStateRequest};
use domain::{CredentialDigest, OwnerId, OwnerRecord, Timestamp};
use futures_util::future::{OptionFuture, join, join3};

use crate::attempt::{Failure, Work};
use crate::audit::commit_with;
use crate::owner_lock::lock_owner;
use crate::transaction::{Begin, rolled_back, settle};

/// The lanes of the owner that are failing, locked in the order of their ids, as everywhere.
const LOCK_FAILING: &str = "SELECT lane.subscription_id, lane.failures_in_a_row, lane.failing_since, lane.paused_until,
        lane.pause_millis
    FROM webhook_subscriptions AS subscription
    JOIN webhook_lanes AS lane ON lane.subscription_id = subscription.id AND lane.failing_since IS NOT NULL
    WHERE subscription.owner_issuer = $1 AND subscription.owner_subject = $2
    ORDER BY lane.subscription_id FOR NO KEY UPDATE OF lane";

/// The times come as parameters: Citus refuses an `UPDATE` that adds an interval to a column.
const REST: &str = "UPDATE webhook_lanes AS lane SET wakes = lane.wakes + 1, failing_since = rested.failing_since
    FROM unnest($1, $2) AS rested (subscription_id, failing_since)
    WHERE lane.subscription_id = rested.subscription_id AND lane.subscription_id = ANY($1)";

#[derive(QueryableByName)]
struct FailingLane {
    #[diesel(sql_type = Binary)]
    subscription_id: Vec<u8>,
    #[diesel(embed)]
    breaker: BreakerRow,
}

/// Changes the record of an owner. Two round trips. It locks what a creation locks, so that a creation sees all of the
/// change or nothing.
impl Work for ChangeOwnerRequest {
    type Answer = ChangedOwner;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<ChangedOwner, Failure> {
        let before = locked(connection, &self.owner).await?;
        let after = match self.change.apply_to(&before) {
            Ok(after) => after,
            Err(invalid) => return rolled_back(connection, ChangedOwner::Refused(invalid)).await,
        };
        if before == after {
            return rolled_back(connection, ChangedOwner::Changed(Box::new(after))).await;
        }
        let event = self.cause.owner_changed(&self.owner, &before, &after);
        let changed = [CredentialDigest::of_owner(&self.owner)];
        let changed = if before.verification_differs(&after) { &changed[..] } else { &[] };
        let (replaced, (written, committed)) =
            join(replace(connection, &self.owner, &after), commit_with(connection, changed, event.as_slice())).await;
        settle(replaced.and(written), committed)?;
        Ok(ChangedOwner::Changed(Box::new(after)))
    }
}

/// Suspends or activates an owner. Two round trips, however much the owner has, and two more to activate.
impl Work for SetOwnerStateRequest {
    type Answer = OwnerRecord;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<OwnerRecord, Failure> {
        let (owner, before) = (&self.owner, locked(connection, &self.owner).await?);
        let after = self.state.apply_to(&before, self.at);
        if before == after {
            return rolled_back(connection, after).await;
        }
        let event = self.cause.owner_changed(owner, &before, &after);
        let changed = [CredentialDigest::of_owner(owner)];
        let changed = if before.verification_differs(&after) { &changed[..] } else { &[] };
        let ended = before.suspension.as_ref().filter(|_| after.suspension.is_none());
        if let Some(suspension) = ended {
            rest(connection, owner, suspension.since, self.at).await?;
        }
        let (replaced, (written, committed)) =
            join(replace(connection, owner, &after), commit_with(connection, changed, event.as_slice())).await;
        settle(replaced.and(written), committed)?;
        Ok(after)
    }
}

/// Does not count this time as failing, in which the lanes of the owner could not send.
async fn rest(connection: &AsyncPgConnection, owner: &OwnerId, since: Timestamp, until: Timestamp) -> QueryResult<()> {
    let locking = owner_statement(LOCK_FAILING, owner);
    let failing: Vec<FailingLane> = Kept(locking).load(&mut &*connection).await?;
    let rested: Vec<_> = failing
        .iter()
        .map(|lane| lane.breaker.breaker().rested(since, until).failing_since.map(StoredInstant::from))
        .collect();
    let ids: Vec<_> = failing.into_iter().map(|lane| lane.subscription_id).collect();
    let rest = statement(REST).bind::<Array<Binary>, _>(ids).bind::<Array<Nullable<Instant>>, _>(rested);
    Kept(rest).execute(&mut &*connection).await.map(drop)
}

/// Begins the transaction, locks the owner, and reads the record.
pub(crate) async fn locked(connection: &AsyncPgConnection, owner: &OwnerId) -> Result<OwnerRecord, Failure> {
    let (begun, locked, rows) = join3(
        Begin.execute(&mut &*connection),
        lock_owner(owner).execute(&mut &*connection),
        record_of(owner).load::<OwnerRow>(&mut &*connection),
    )
    .await;
    begun.and(locked)?;
    Ok(record_in(owner, rows?.pop())?)
}

/// Writes the record in place of the one that is stored.
async fn replace(connection: &AsyncPgConnection, owner: &OwnerId, record: &OwnerRecord) -> QueryResult<usize> {
    let insert = ReplacedOwnerRow::new(owner, record)
        .map(|row| diesel::insert_into(owners::table).values(row).execute(&mut &*connection));
    let (deleted, inserted) =
        join(Kept(delete_owner(owner)).execute(&mut &*connection), OptionFuture::from(insert)).await;
    Ok(deleted? + inserted.transpose()?.unwrap_or(0))
}
