use diesel::sql_types::BigInt;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::keys::DELETE_ENDED;
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{Kept, StoredInstant};
use domain::Timestamp;

use crate::attempt::{CountRow, Failure, Work};
use crate::transaction::only_row;

/// Follows [`DELETE_ENDED`] and deletes the rows of owners who have no other key. All parts see the keys as they were
/// before the statement.
///
/// An owner's row that a transaction has locked to add a key stays. If a key is added right after the look, the row is
/// missing until the owner's next key: the lock creates it again (decision 18).
const FORGET_OWNERS: &str = "idle AS (
    SELECT owner.owner_issuer, owner.owner_subject FROM key_owners AS owner
    WHERE (owner.owner_issuer, owner.owner_subject) IN (SELECT owner_issuer, owner_subject FROM purged)
        AND NOT EXISTS (
            SELECT FROM api_keys AS key
            WHERE key.owner_issuer = owner.owner_issuer AND key.owner_subject = owner.owner_subject
                AND key.ends_at IS NOT NULL AND key.id NOT IN (SELECT id FROM purged))
    FOR UPDATE SKIP LOCKED
), forgotten AS (
    DELETE FROM key_owners AS owner USING idle
    WHERE owner.owner_issuer = idle.owner_issuer AND owner.owner_subject = idle.owner_subject
)
SELECT count(*) AS count FROM purged";

/// Deletes keys that ended long ago, and the rows of owners who have none left. One statement.
pub(super) struct PurgeEnded {
    pub(super) before: Timestamp,
    pub(super) max: u32,
}

impl Work for PurgeEnded {
    type Answer = u32;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<u32, Failure> {
        let purge =
            format!("WITH purged AS ({DELETE_ENDED} RETURNING id, owner_issuer, owner_subject), {FORGET_OWNERS}");
        let purge = diesel::sql_query(purge)
            .bind::<Instant, StoredInstant>(self.before.into())
            .bind::<BigInt, i64>(self.max.into());
        match only_row(Kept(purge).load::<CountRow>(&mut &*connection).await) {
            Ok(purged) => Ok(u32::try_from(purged.count).unwrap_or(self.max)),
            // The statement may have run: a second attempt would return another number.
            Err(error) => Err(Failure::of_statement(error)),
        }
    }
}
