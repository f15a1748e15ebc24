use crate::Keys;
use crate::ports::StoreError;

/// Keys deleted in one transaction at most, so that a purge never holds up other writers.
pub const PURGE_BATCH_MAX: u32 = 1_000;

impl Keys {
    /// Deletes, in one batch, keys that ended longer ago than the retention; the answer is how many. Fewer than
    /// [`PURGE_BATCH_MAX`] means that none is left.
    ///
    /// # Errors
    ///
    /// When the store fails.
    pub async fn purge(&self) -> Result<u32, StoreError> {
        let before = self.clock.now().minus(self.policy.retention());
        self.store.purge_ended(before, PURGE_BATCH_MAX).await
    }
}
