use std::sync::Arc;
use std::time::Duration;

use crate::audit::{Cause, Origin};
use crate::ports::{Clock, Entropy, EraseRequest, Erasure, KeyStore, KeysOf, RevokeUserKeysRequest, StoreError};
use crate::sessions::Sessions;
use crate::{OwnerId, OwnerKind, Timestamp};

/// The time between the deletion of a subscription and that of its row. A publication takes 5 s at most, so all that began
/// before the deletion have ended, and their deliveries are erased too.
const SETTLING: Duration = Duration::from_secs(10);
/// About how many rows one transaction erases, so that other calls do not wait long. With 500, the 99th percentile of a
/// publication on SQLite rose to five times, from 6 to 29 ms; with 100, to 1.6 times.
const ERASED_AT_ONCE_MAX: u32 = 100;
/// How many owners are erased in turn.
const ERASED_TOGETHER_MAX: u32 = 20;

/// Erases owners, step by step. An erasure begins with [`OwnerStateChange::Erase`](crate::OwnerStateChange::Erase), goes on
/// after a restart, and ends the owner's record. See decision 139.
#[derive(Clone)]
pub struct Erasures {
    /// The data.
    pub store: Arc<dyn Erasure>,
    /// Ends portal links that wait.
    pub sessions: Sessions,
    /// The keys, if those of organizations end with the member who made them.
    pub keys_of_members: Option<Arc<dyn KeyStore>>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Makes the ids of events.
    pub entropy: Arc<dyn Entropy>,
}

impl Erasures {
    /// Erases some rows of each owner who is being erased, and returns about how many. After 0, the remaining rows become
    /// erasable within seconds, or there are none.
    ///
    /// Any number of processes call this at once.
    ///
    /// # Errors
    ///
    /// If the store fails for an owner. The call goes on with the others, and the next call continues.
    pub async fn step(&self) -> Result<u32, StoreError> {
        let mut erased = Ok(0_u32);
        for owner in self.store.erasing(ERASED_TOGETHER_MAX).await? {
            let rows = self.erase(owner).await;
            erased = erased.and_then(|sum| Ok(rows?.saturating_add(sum)));
        }
        erased
    }

    async fn erase(&self, owner: OwnerId) -> Result<u32, StoreError> {
        let at = self.clock.now();
        let request = EraseRequest { owner, at, settled: at.minus(SETTLING), max: ERASED_AT_ONCE_MAX };
        let rows = match self.store.erase(&request).await? {
            0 => self.revoke_made_keys(&request).await?,
            rows => rows,
        };
        if rows == 0 {
            // A link opens no session of the owner who comes after.
            self.sessions.end_all(&request.owner, None, &Origin::SERVICE).await?;
            let cause = Cause::new(&Origin::SERVICE, at, &*self.entropy);
            self.store.finish_erasure(&request.owner, &cause).await?;
        }
        Ok(rows)
    }

    /// Revokes keys that the user has made for organizations, before the record ends that suspends them.
    async fn revoke_made_keys(&self, request: &EraseRequest) -> Result<u32, StoreError> {
        let Some(keys) = self.keys_of_members.as_ref().filter(|_| request.owner.kind() == OwnerKind::User) else {
            return Ok(0);
        };
        let revocation = RevokeUserKeysRequest {
            of: KeysOf::Member(request.owner.clone()),
            created_before: Timestamp::MAX,
            at: request.at,
            max: request.max,
            cause: Cause::new(&Origin::SERVICE, request.at, &*self.entropy),
        };
        let revoked = keys.revoke_user_keys(&revocation).await?;
        Ok(u32::try_from(revoked.len()).unwrap_or(u32::MAX))
    }
}
