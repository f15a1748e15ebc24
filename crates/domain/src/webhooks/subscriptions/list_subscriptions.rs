use super::find_subscription::FoundSubscription;
use super::subscription::Subscription;
use crate::ports::StoreError;
use crate::webhooks::Webhooks;
use crate::{SubscriptionId, UserId};

/// One page of a list of subscriptions, with or without their health.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriptionPage<T = Subscription> {
    /// The subscriptions, newest first.
    pub subscriptions: Vec<T>,
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
        let read = self.stores.subscriptions.list(owner, before, max.saturating_add(1)).await?;
        Ok(page(read, max, |one| one.id))
    }

    /// [`Webhooks::list_subscriptions`], each with its health.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn list_found_subscriptions(
        &self,
        owner: &UserId,
        before: Option<SubscriptionId>,
        max: u32,
    ) -> Result<SubscriptionPage<FoundSubscription>, StoreError> {
        let read = self.stores.subscriptions.list_with_health(owner, before, max.saturating_add(1)).await?;
        let now = self.clock.now();
        let found = read.into_iter().map(|(subscription, health)| FoundSubscription::at(now, subscription, health));
        Ok(page(found.collect(), max, |one| one.subscription.id))
    }
}

/// The page, of which one more was read, to see whether another page follows.
fn page<T>(mut subscriptions: Vec<T>, max: u32, id: impl Fn(&T) -> SubscriptionId) -> SubscriptionPage<T> {
    let has_more = subscriptions.len() > max as usize;
    subscriptions.truncate(max as usize);
    let next = subscriptions.last().filter(|_| has_more).map(id);
    SubscriptionPage { subscriptions, next }
}
