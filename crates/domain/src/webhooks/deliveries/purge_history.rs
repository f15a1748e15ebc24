use crate::ports::StoreError;
use crate::webhooks::Webhooks;

/// About how many rows one call deletes, which keeps its transaction short.
const PURGED_ROWS_MAX: u32 = 1_000;

impl Webhooks {
    /// Deletes one batch of what was published before the retention, and returns how many rows. After 0, nothing is
    /// left to delete.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn purge_history(&self) -> Result<u32, StoreError> {
        let before = self.clock.now().minus(self.rules.policy.retention());
        self.stores.commands.purge_history(before, PURGED_ROWS_MAX).await
    }
}
