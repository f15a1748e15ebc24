use super::find_subscription::FoundSubscription;
use super::subscription::Subscription;
use crate::SubscriptionId;
use crate::ports::{ListSubscriptionsRequest, StoreError};
use crate::webhooks::Webhooks;

/// One page of a list of subscriptions, with or without their health.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriptionPage<T = Subscription> {
    /// The subscriptions, newest first.
    pub subscriptions: Vec<T>,
    /// Where the next page begins; `None` if this is the last page.
    pub next: Option<SubscriptionId>,
}

impl Webhooks {
    /// A page of the owner's subscriptions, newest first.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn list_subscriptions(&self, request: &ListSubscriptionsRequest) -> Result<SubscriptionPage, StoreError> {
        let read = self.stores.subscriptions.list(&with_one_more(request)).await?;
        Ok(page(read, request.max, |one| one.id))
    }

    /// [`Webhooks::list_subscriptions`], each with its health.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn list_found_subscriptions(
        &self,
        request: &ListSubscriptionsRequest,
    ) -> Result<SubscriptionPage<FoundSubscription>, StoreError> {
        let read = self.stores.subscriptions.list_with_health(&with_one_more(request)).await?;
        let now = self.clock.now();
        let found = read.into_iter().map(|(subscription, health)| FoundSubscription::at(now, subscription, health));
        Ok(page(found.collect(), request.max, |one| one.subscription.id))
    }
}

/// One subscription more than a page shows whether another page follows.
fn with_one_more(request: &ListSubscriptionsRequest) -> ListSubscriptionsRequest {
    ListSubscriptionsRequest { max: request.max.saturating_add(1), ..request.clone() }
}

/// The page of at most `max` subscriptions.
fn page<T>(mut subscriptions: Vec<T>, max: u32, id: impl Fn(&T) -> SubscriptionId) -> SubscriptionPage<T> {
    let has_more = subscriptions.len() > max as usize;
    subscriptions.truncate(max as usize);
    let next = subscriptions.last().filter(|_| has_more).map(id);
    SubscriptionPage { subscriptions, next }
}
