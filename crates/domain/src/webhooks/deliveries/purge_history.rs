use crate::ports::StoreError;
use crate::webhooks::Webhooks;

/// About how many rows one call deletes, so that its transaction stays short.
const PURGED_ROWS_MAX: u32 = 1_000;

impl Webhooks {
    /// Forgets, in one batch, what was published longer ago than the retention; the answer is how many rows. 0 means
    /// that nothing is left.
    ///
    /// # Errors
    ///
    /// When the store fails.
    pub async fn purge_history(&self) -> Result<u32, StoreError> {
        let before = self.clock.now().minus(self.rules.policy.retention());
        self.stores.commands.purge_history(before, PURGED_ROWS_MAX).await
    }
}
