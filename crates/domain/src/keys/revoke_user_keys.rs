use crate::ports::StoreError;
use crate::{Keys, Timestamp, UserId};

/// The most keys that one transaction revokes, so that it does not block other writers for long.
pub const REVOKE_BATCH_MAX: u32 = 1_000;

impl Keys {
    /// Revokes all of the owner's keys, or those created before an instant, and returns how many keys this call has
    /// revoked. Keys that expired without a revocation count. Calling it again revokes what is left and succeeds.
    ///
    /// # Errors
    ///
    /// If the store fails. Some of the keys may be revoked all the same.
    pub async fn revoke_all(&self, owner: &UserId, created_before: Option<Timestamp>) -> Result<u64, StoreError> {
        let created_before = created_before.unwrap_or(Timestamp::MAX);
        let mut count = 0;
        loop {
            let now = self.clock.now();
            let batch = self.store.revoke_user_keys(owner, created_before, now, REVOKE_BATCH_MAX).await?;
            count += batch.len() as u64;
            if batch.len() < REVOKE_BATCH_MAX as usize {
                return Ok(count);
            }
        }
    }
}
