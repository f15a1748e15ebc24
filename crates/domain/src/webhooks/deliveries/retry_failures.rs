use super::failed_delivery::FailureCause;
use super::list_failures::FAILURES_MAX;
use crate::OwnerId;
use crate::audit::Origin;
use crate::ports::{RetryFailedRequest, RetryOfFailed, StoreError};
use crate::webhooks::Webhooks;

/// Why a group of failed deliveries was not retried.
#[derive(Debug, thiserror::Error)]
pub enum RetryFailuresError {
    /// The owner has no subscription with this id.
    #[error("no subscription has this id")]
    NotFound,
    /// The subscription is disabled.
    #[error("the subscription is disabled")]
    SubscriptionDisabled,
    /// The store failed. The deliveries may be due anyway.
    #[error("the deliveries could not be made due")]
    Store(#[from] StoreError),
}

impl Webhooks {
    /// Makes the owner's deliveries that failed for this cause due now, and returns their number: the deliveries that
    /// [`Webhooks::list_failures`] counts for the subscription, at most [`FAILURES_MAX`].
    ///
    /// # Errors
    ///
    /// See [`RetryFailuresError`].
    pub async fn retry_failures(
        &self,
        owner: &OwnerId,
        cause: &FailureCause,
        origin: &Origin,
    ) -> Result<u32, RetryFailuresError> {
        let now = self.clock.now();
        let (retry, subscription) = (self.retry_request(now), cause.subscription);
        let failed = self.newest_failed(owner, Some(subscription), FAILURES_MAX).await?;
        let of_cause = failed.iter().filter(|one| one.cause == *cause);
        let ids = of_cause.map(|one| one.id).collect();
        let (owner, cause) = (owner.clone(), self.cause(origin, now));
        match self.stores.commands.retry_failed(&RetryFailedRequest { owner, subscription, ids, retry, cause }).await? {
            RetryOfFailed::Due(deliveries) => Ok(deliveries),
            RetryOfFailed::NotFound => Err(RetryFailuresError::NotFound),
            RetryOfFailed::LaneClosed => Err(RetryFailuresError::SubscriptionDisabled),
        }
    }
}
