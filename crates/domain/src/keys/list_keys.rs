use crate::ports::StoreError;
use crate::{ApiKey, Keys, ListView, UserId};

impl Keys {
    /// The owner's keys, newest first: every good one, and the [`LISTED_ENDED_KEYS_MAX`](crate::LISTED_ENDED_KEYS_MAX)
    /// that ended last.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn list(&self, owner: &UserId) -> Result<Vec<ApiKey>, StoreError> {
        let keys = self.store.list(owner, ListView::at(self.clock.now())).await?;
        Ok(self.with_recent_uses(keys))
    }
}
