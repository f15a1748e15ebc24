use crate::audit::Origin;
use crate::ports::{CountRecoverableRequest, RecoverRequest, RetryRequest, StoreError};
use crate::webhooks::{NoPushSubscription, RecoveryFilter, Webhooks};
use crate::{OwnerId, SubscriptionId, Timestamp};

/// The most deliveries that one call retries, oldest events first. Call again for the rest.
pub const RECOVERED_DELIVERIES_MAX: u32 = 100_000;
/// The highest count of the deliveries that a recovery would retry.
pub const COUNTED_RECOVERABLE_MAX: u32 = 10_000;
/// The most deliveries that one transaction reads, which keeps it short.
const RECOVERED_AT_ONCE_MAX: u32 = 1_000;

/// Why a subscription was not recovered.
#[derive(Debug, thiserror::Error)]
pub enum RecoverSubscriptionError {
    /// `since` is in the future.
    #[error("must not be in the future")]
    SinceInFuture,
    /// The owner has no such subscription to which webhooks are sent.
    #[error(transparent)]
    NoSubscription(#[from] NoPushSubscription),
    /// The store failed. Some deliveries may be due already, and another call continues with the rest.
    #[error("the subscription could not be recovered")]
    Store(#[from] StoreError),
}

impl Webhooks {
    /// Enables the owner's subscription with a new breaker. Makes the deliveries that the filter includes due now,
    /// of events published since `since`. Returns their number, at most [`RECOVERED_DELIVERIES_MAX`].
    ///
    /// Events that are too old to be delivered again ([`WebhookPolicy::redelivery_age_max`]) are skipped. The first
    /// transaction enables the subscription. If it is disabled or deleted after that, the recovery stops.
    ///
    /// [`WebhookPolicy::redelivery_age_max`]: crate::webhooks::WebhookPolicy::redelivery_age_max
    ///
    /// # Errors
    ///
    /// See [`RecoverSubscriptionError`].
    pub async fn recover_subscription(
        &self,
        owner: &OwnerId,
        id: SubscriptionId,
        (since, filter): (Timestamp, RecoveryFilter),
        origin: &Origin,
    ) -> Result<u32, RecoverSubscriptionError> {
        let (retry, max) = (self.recovery_since(since)?, RECOVERED_AT_ONCE_MAX);
        self.require_push::<RecoverSubscriptionError>(owner, id).await?;
        let (owner, cause) = (owner.clone(), self.cause(origin, retry.at));
        let mut request =
            RecoverRequest { owner, subscription: id, retry, filter, after: None, max, enables: true, cause };
        let mut last = self.stores.commands.recover(&request).await?.ok_or(NoPushSubscription::NotFound)?;
        let mut recovered = last.deliveries;
        request.enables = false;
        while last.rest.is_some() && recovered < RECOVERED_DELIVERIES_MAX {
            request.after = last.rest;
            request.cause = self.cause(origin, retry.at);
            let Some(next) = self.stores.commands.recover(&request).await? else { break };
            last = next;
            recovered += last.deliveries;
        }
        Ok(recovered)
    }

    /// How many deliveries [`Webhooks::recover_subscription`] would make due now, counted up to
    /// [`COUNTED_RECOVERABLE_MAX`]. With a filter of event types, it reads 100,000 deliveries of each state at most.
    ///
    /// # Errors
    ///
    /// See [`RecoverSubscriptionError`].
    pub async fn count_recoverable(
        &self,
        owner: &OwnerId,
        id: SubscriptionId,
        (since, filter): (Timestamp, RecoveryFilter),
    ) -> Result<u32, RecoverSubscriptionError> {
        let (retry, max) = (self.recovery_since(since)?, COUNTED_RECOVERABLE_MAX);
        let request = CountRecoverableRequest { owner: owner.clone(), subscription: id, retry, filter, max };
        let count = self.stores.log.count_recoverable(&request).await?;
        Ok(count.ok_or(NoPushSubscription::NotFound)?)
    }

    fn recovery_since(&self, since: Timestamp) -> Result<RetryRequest, RecoverSubscriptionError> {
        let now = self.clock.now();
        if since > now {
            return Err(RecoverSubscriptionError::SinceInFuture);
        }
        let allowed = self.retry_request(now);
        Ok(RetryRequest { published_since: allowed.published_since.max(since), ..allowed })
    }
}
