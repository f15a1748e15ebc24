use super::subscription::{Subscription, SubscriptionChange};
use crate::ports::StoreError;
use crate::webhooks::Webhooks;
use crate::{SubscriptionId, UserId};

impl Webhooks {
    /// Changes the owner's subscription, and answers with it as it is then; `None` when there is none.
    ///
    /// Disabling ends what waits. Enabling starts anew, also what the service had disabled.
    ///
    /// # Errors
    ///
    /// When the store fails; nothing says whether the change was made.
    pub async fn change_subscription(
        &self,
        owner: &UserId,
        id: SubscriptionId,
        change: &SubscriptionChange,
    ) -> Result<Option<Subscription>, StoreError> {
        self.stores.subscriptions.update(owner, id, change, self.clock.now()).await
    }
}
