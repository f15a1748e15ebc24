use super::subscription::Subscription;
use crate::ports::StoreError;
use crate::webhooks::Webhooks;
use crate::{SubscriptionId, UserId};

/// Some of an owner's subscriptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriptionPage {
    /// The subscriptions, the newest first.
    pub subscriptions: Vec<Subscription>,
    /// Where to go on; `None` when there are no more.
    pub next: Option<SubscriptionId>,
}

impl Webhooks {
    /// The owner's subscriptions with ids below `before`, the newest first, at most `max`.
    ///
    /// # Errors
    ///
    /// When the store fails.
    pub async fn list_subscriptions(
        &self,
        owner: &UserId,
        before: Option<SubscriptionId>,
        max: u32,
    ) -> Result<SubscriptionPage, StoreError> {
        // One more than is shown tells whether there are more.
        let mut subscriptions = self.stores.subscriptions.list(owner, before, max.saturating_add(1)).await?;
        let has_more = subscriptions.len() > max as usize;
        subscriptions.truncate(max as usize);
        let next = subscriptions.last().filter(|_| has_more).map(|last| last.id);
        Ok(SubscriptionPage { subscriptions, next })
    }
}
