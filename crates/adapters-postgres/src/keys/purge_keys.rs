use diesel::sql_types::{Array, BigInt, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::keys::DELETE_ENDED;
use diesel_mapping::owners::OwnerIdRow;
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{Kept, StoredInstant, statement};
use domain::Timestamp;
use futures_util::future::join;

use crate::attempt::{Failure, Work};
use crate::transaction::{Begin, Commit, rolled_back, settle};

/// Locks the rows of the owners with these issuers `$1` and subjects `$2`. The row of an owner to whom another transaction
/// adds something stays unlocked.
const LOCK_OWNERS: &str = "SELECT owner_issuer, owner_subject FROM key_owners
    WHERE (owner_issuer, owner_subject) IN (SELECT * FROM unnest($1, $2)) FOR UPDATE SKIP LOCKED";

/// Deletes the rows of the owners of nothing among these issuers `$1` and subjects `$2`. Their rows are locked by an earlier
/// statement, so this one sees everything that they have (decision 135).
const FORGET_OWNERS: &str = "DELETE FROM key_owners AS owner
    WHERE (owner.owner_issuer, owner.owner_subject) IN (SELECT * FROM unnest($1, $2))
        AND NOT EXISTS (
            SELECT FROM api_keys AS key
            WHERE key.owner_issuer = owner.owner_issuer AND key.owner_subject = owner.owner_subject
                AND key.ends_at IS NOT NULL)
        AND NOT EXISTS (
            SELECT FROM webhook_subscriptions AS subscription
            WHERE subscription.owner_issuer = owner.owner_issuer AND subscription.owner_subject = owner.owner_subject)
        AND NOT EXISTS (
            SELECT FROM owners AS record
            WHERE record.owner_issuer = owner.owner_issuer AND record.owner_subject = owner.owner_subject)";

/// Deletes keys that ended long ago, and the rows of owners of nothing. Three round trips.
pub(crate) struct PurgeKeys {
    pub(crate) before: Timestamp,
    pub(crate) max: u32,
}

impl Work for PurgeKeys {
    type Answer = u32;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<u32, Failure> {
        let deletion = statement(format!("{DELETE_ENDED} RETURNING owner_issuer, owner_subject"))
            .bind::<Instant, StoredInstant>(self.before.into())
            .bind::<BigInt, i64>(self.max.into());
        let (begun, purged) =
            join(Begin.execute(&mut &*connection), Kept(deletion).load::<OwnerIdRow>(&mut &*connection)).await;
        let purged = begun.and(purged)?;
        if purged.is_empty() {
            return rolled_back(connection, 0).await;
        }
        let count = u32::try_from(purged.len()).unwrap_or(self.max);
        let (issuers, subjects) = columns(purged);
        let locking = statement(LOCK_OWNERS).bind::<Array<Text>, _>(issuers).bind::<Array<Text>, _>(subjects);
        let (issuers, subjects) = columns(Kept(locking).load(&mut &*connection).await?);
        let forgetting = statement(FORGET_OWNERS).bind::<Array<Text>, _>(issuers).bind::<Array<Text>, _>(subjects);
        let (forgotten, committed) =
            join(Kept(forgetting).execute(&mut &*connection), Commit.execute(&mut &*connection)).await;
        // A commit with an unknown result is not repeated: a second attempt would return another number.
        settle(forgotten, committed)?;
        Ok(count)
    }
}

/// The issuers and the subjects.
fn columns(owners: Vec<OwnerIdRow>) -> (Vec<String>, Vec<String>) {
    owners.into_iter().map(|owner| (owner.owner_issuer, owner.owner_subject)).unzip()
}
