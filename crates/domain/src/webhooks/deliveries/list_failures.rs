use std::cmp::Reverse;

use super::failed_delivery::{FailedDelivery, FailureCause};
use crate::ports::{ListFailedRequest, ListSubscriptionsRequest, StoreError};
use crate::webhooks::{TargetUrl, Webhooks};
use crate::{DeliveryId, OwnerId, SubscriptionId};

/// The most failed deliveries that a list of failures counts, and that one retry of a group makes due.
pub const FAILURES_MAX: u32 = 1_000;

/// Deliveries that failed for the same cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureGroup {
    /// The cause.
    pub cause: FailureCause,
    /// The URL of the receiver.
    pub url: TargetUrl,
    /// The number of deliveries.
    pub deliveries: u32,
    /// The delivery of the newest event.
    pub newest: DeliveryId,
}

/// The failed deliveries of an owner, by cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failures {
    /// The groups, the largest first.
    pub groups: Vec<FailureGroup>,
    /// Whether every failed delivery is counted. Otherwise the newest [`FAILURES_MAX`] are.
    pub are_complete: bool,
}

impl Webhooks {
    /// The owner's failed deliveries that can be retried, by cause: to all subscriptions, or to one. At most the newest
    /// [`FAILURES_MAX`] are read and counted, so that the time of the call is bounded. See decision 87.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn list_failures(
        &self,
        owner: &OwnerId,
        subscription: Option<SubscriptionId>,
    ) -> Result<Failures, StoreError> {
        let mut failed = self.newest_failed(owner, subscription, FAILURES_MAX + 1).await?;
        let are_complete = failed.len() <= FAILURES_MAX as usize;
        failed.truncate(FAILURES_MAX as usize);
        let every = ListSubscriptionsRequest { owner: owner.clone(), before: None, max: u32::MAX };
        let subscriptions = self.stores.subscriptions.list(&every).await?;
        let url_of = |id| subscriptions.iter().find(|one| one.id == id).map(|one| one.url.clone());
        let groups = counted(&failed).into_iter().filter_map(|(newest, deliveries)| {
            let (FailedDelivery { id, cause }, url) = (newest, url_of(newest.cause.subscription)?);
            Some(FailureGroup { cause, url, deliveries, newest: id })
        });
        Ok(Failures { groups: groups.collect(), are_complete })
    }

    /// The newest of the owner's failed deliveries that can be retried, at most `max`.
    pub(super) async fn newest_failed(
        &self,
        owner: &OwnerId,
        subscription: Option<SubscriptionId>,
        max: u32,
    ) -> Result<Vec<FailedDelivery>, StoreError> {
        let (owner, published_since) = (owner.clone(), self.retry_request(self.clock.now()).published_since);
        self.stores.log.failed(&ListFailedRequest { owner, subscription, published_since, max }).await
    }
}

/// The newest delivery of each cause, and the number of deliveries; the most first. `failed` has the newest first.
fn counted(failed: &[FailedDelivery]) -> Vec<(FailedDelivery, u32)> {
    let mut groups: Vec<(FailedDelivery, u32)> = Vec::new();
    for one in failed {
        match groups.iter_mut().find(|(newest, _)| newest.cause == one.cause) {
            Some((_, count)) => *count += 1,
            None => groups.push((*one, 1)),
        }
    }
    groups.sort_by_key(|(_, count)| Reverse(*count));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhooks::FailureReason;

    #[test]
    fn the_largest_group_comes_first() {
        let (one, other) = (SubscriptionId::from_bytes([1; 16]), SubscriptionId::from_bytes([2; 16]));
        let status = |subscription, status| FailureCause::new(subscription, Some(FailureReason::Status), Some(status));
        let timeout = FailureCause::new(one, Some(FailureReason::Timeout), None);
        let causes = [timeout, status(one, 500), status(other, 500), status(one, 503), status(one, 500)];
        let ids = (0..5).rev().map(|n| DeliveryId::from_bytes([n; 16]));
        let failed: Vec<_> = ids.zip(causes).map(|(id, cause)| FailedDelivery { id, cause }).collect();
        let counts: Vec<_> = counted(&failed).iter().map(|(newest, count)| (newest.id, *count)).collect();
        let id = |n: u8| DeliveryId::from_bytes([n; 16]);
        assert_eq!(counts, [(id(3), 2), (id(4), 1), (id(2), 1), (id(1), 1)]);
    }
}
