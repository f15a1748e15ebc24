use diesel::sql_types::Text;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::owners::{OwnerRow, ReplacedOwnerRow, delete_owner, record_in, record_of};
use diesel_mapping::schema::owners;
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{Kept, StoredInstant};
use domain::ports::{ChangeOwnerRequest, ChangedOwner, SetOwnerStateRequest};
use domain::{CredentialDigest, OwnerId, OwnerRecord};
use futures_util::future::{OptionFuture, join, join3};

use crate::attempt::{Failure, Work};
use crate::audit::commit_with;
use crate::owner_lock::lock_owner;
use crate::transaction::{Begin, Rollback, settle};

/// The time of the rest, from `$1` to `$2`, does not count as failing: see
/// [`Breaker::rested`](domain::webhooks::Breaker::rested). The lanes are locked in the order of their ids, as everywhere.
const REST: &str = "WITH failing AS MATERIALIZED (
        SELECT lane.subscription_id FROM webhook_subscriptions AS subscription
        JOIN webhook_lanes AS lane ON lane.subscription_id = subscription.id AND lane.failing_since IS NOT NULL
        WHERE subscription.owner_issuer = $3 AND subscription.owner_subject = $4
        ORDER BY lane.subscription_id FOR NO KEY UPDATE OF lane
    )
    UPDATE webhook_lanes AS lane SET wakes = lane.wakes + 1,
        failing_since = lane.failing_since + GREATEST($2 - GREATEST($1, lane.failing_since), INTERVAL '0')
    FROM failing WHERE lane.subscription_id = failing.subscription_id";

/// Changes the record of an owner. Two round trips. It locks what a creation locks, so that a creation sees all of the
/// change or nothing.
impl Work for ChangeOwnerRequest {
    type Answer = ChangedOwner;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<ChangedOwner, Failure> {
        let before = locked(connection, &self.owner).await?;
        let after = match self.change.apply_to(&before) {
            Ok(after) => after,
            Err(invalid) => {
                Rollback.execute(&mut &*connection).await?;
                return Ok(ChangedOwner::Refused(invalid));
            }
        };
        if before == after {
            Rollback.execute(&mut &*connection).await?;
            return Ok(ChangedOwner::Changed(Box::new(after)));
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

/// Suspends or activates an owner. Two round trips, however much the owner has.
impl Work for SetOwnerStateRequest {
    type Answer = OwnerRecord;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<OwnerRecord, Failure> {
        let (owner, before) = (&self.owner, locked(connection, &self.owner).await?);
        let after = self.state.apply_to(&before, self.at);
        if before == after {
            Rollback.execute(&mut &*connection).await?;
            return Ok(after);
        }
        let event = self.cause.owner_changed(owner, &before, &after);
        let changed = [CredentialDigest::of_owner(owner)];
        let changed = if before.verification_differs(&after) { &changed[..] } else { &[] };
        let ended = before.suspension.as_ref().filter(|_| after.suspension.is_none());
        let rest = ended.map(|suspension| {
            let rest = diesel::sql_query(REST)
                .bind::<Instant, StoredInstant>(suspension.since.into())
                .bind::<Instant, StoredInstant>(self.at.into())
                .bind::<Text, _>(owner.issuer())
                .bind::<Text, _>(owner.subject());
            Kept(rest).execute(&mut &*connection)
        });
        let (replaced, rested, (written, committed)) = join3(
            replace(connection, owner, &after),
            OptionFuture::from(rest),
            commit_with(connection, changed, event.as_slice()),
        )
        .await;
        settle(replaced.and(rested.transpose()).and(written), committed)?;
        Ok(after)
    }
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
async fn replace(connection: &AsyncPgConnection, owner: &OwnerId, record: &OwnerRecord) -> diesel::QueryResult<usize> {
    let insert = ReplacedOwnerRow::new(owner, record)
        .map(|row| diesel::insert_into(owners::table).values(row).execute(&mut &*connection));
    let (deleted, inserted) =
        join(Kept(delete_owner(owner)).execute(&mut &*connection), OptionFuture::from(insert)).await;
    Ok(deleted? + inserted.transpose()?.unwrap_or(0))
}
