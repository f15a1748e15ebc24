use diesel::OptionalExtension;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::key_queries::{list_keys, owner_of, revoke_key};
use diesel_mapping::{Kept, KeyRow, api_keys_of};
use domain::ports::Revocation;
use domain::{KeyId, ListView, Timestamp, UserId};
use futures_util::future::join4;

use crate::attempt::{Failure, Work};
use crate::transaction::{Begin, Commit};

/// Revokes a key. One round trip, and a second one to say why not.
pub(crate) struct Revoke<'a> {
    pub(crate) owner: &'a UserId,
    pub(crate) id: KeyId,
    pub(crate) at: Timestamp,
    pub(crate) view: ListView,
}

impl Work for Revoke<'_> {
    type Answer = Revocation;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Revocation, Failure> {
        let (begun, revoked, rows, committed) = join4(
            Begin.execute(&mut &*connection),
            Kept(revoke_key(self.owner, &self.id, self.at)).execute(&mut &*connection),
            list_keys(self.owner, self.view).load::<KeyRow>(&mut &*connection),
            Commit.execute(&mut &*connection),
        )
        .await;
        // A commit whose fate is unknown may be repeated: revoking again changes nothing.
        let (revoked, rows) = (begun.and(revoked)?, rows?);
        committed?;
        if revoked > 0 {
            return Ok(Revocation::Revoked(self.view.select(api_keys_of(rows)?)));
        }
        let other = owner_of(&self.id).first::<(String, String)>(&mut &*connection).await.optional()?;
        Ok(if other.is_some() { Revocation::NotOwned } else { Revocation::NotFound })
    }
}
