use crate::Keys;
use crate::ports::StoreError;

/// The most keys that one transaction deletes, so that a purge does not block other writers for long.
pub const PURGE_BATCH_MAX: u32 = 1_000;

impl Keys {
    /// Deletes one batch of the keys that ended before the retention, and returns how many. After fewer than
    /// [`PURGE_BATCH_MAX`], nothing is left to delete.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn purge(&self) -> Result<u32, StoreError> {
        let before = self.clock.now().minus(self.policy.retention());
        self.store.purge_ended(before, PURGE_BATCH_MAX).await
    }
}
