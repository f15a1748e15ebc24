use super::subscription::Subscription;
use crate::ports::StoreError;
use crate::webhooks::Webhooks;
use crate::{SubscriptionId, UserId};

/// One page of a list of subscriptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriptionPage {
    /// The subscriptions, newest first.
    pub subscriptions: Vec<Subscription>,
    /// Where the next page begins; `None` if this is the last page.
    pub next: Option<SubscriptionId>,
}

impl Webhooks {
    /// At most `max` of the owner's subscriptions with ids below `before`, newest first.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn list_subscriptions(
        &self,
        owner: &UserId,
        before: Option<SubscriptionId>,
        max: u32,
    ) -> Result<SubscriptionPage, StoreError> {
        // Reads one more than a page shows, to see whether another page follows.
        let mut subscriptions = self.stores.subscriptions.list(owner, before, max.saturating_add(1)).await?;
        let has_more = subscriptions.len() > max as usize;
        subscriptions.truncate(max as usize);
        let next = subscriptions.last().filter(|_| has_more).map(|last| last.id);
        Ok(SubscriptionPage { subscriptions, next })
    }
}
