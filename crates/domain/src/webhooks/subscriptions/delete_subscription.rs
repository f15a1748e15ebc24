use crate::ports::StoreError;
use crate::webhooks::Webhooks;
use crate::{SubscriptionId, UserId};

impl Webhooks {
    /// Deletes the owner's subscription, and with it what waits to be delivered; `false` when there is none. What was
    /// delivered stays listed until it is purged.
    ///
    /// # Errors
    ///
    /// When the store fails; nothing says whether the subscription is deleted.
    pub async fn delete_subscription(&self, owner: &UserId, id: SubscriptionId) -> Result<bool, StoreError> {
        self.stores.subscriptions.delete(owner, id, self.clock.now()).await
    }
}
