use crate::audit::Origin;
use crate::ports::{CountRecoverableRequest, RecoverRequest, RetryRequest, StoreError};
use crate::webhooks::{Recoverable, Webhooks};
use crate::{OwnerId, SubscriptionId, Timestamp};

/// The most deliveries that one call retries, oldest events first. Call again for the rest.
pub const RECOVERED_DELIVERIES_MAX: u32 = 100_000;
/// The highest count of the deliveries that a recovery would retry.
pub const COUNTED_RECOVERABLE_MAX: u32 = 10_000;
/// The most deliveries in one transaction, which keeps it short.
const RECOVERED_AT_ONCE_MAX: u32 = 1_000;

/// Why a subscription was not recovered.
#[derive(Debug, thiserror::Error)]
pub enum RecoverSubscriptionError {
    /// `since` is in the future.
    #[error("must not be in the future")]
    SinceInFuture,
    /// The owner has no subscription with this id.
    #[error("no subscription has this id")]
    NotFound,
    /// The store failed. Some deliveries may be due already, and another call continues with the rest.
    #[error("the subscription could not be recovered")]
    Store(#[from] StoreError),
}

impl Webhooks {
    /// Enables the owner's subscription with a new breaker. Makes the deliveries that `what` names due now, of
    /// events published since `since`. Returns their number, at most [`RECOVERED_DELIVERIES_MAX`].
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
        (since, what): (Timestamp, Recoverable),
        origin: &Origin,
    ) -> Result<u32, RecoverSubscriptionError> {
        let (retry, max) = (self.recovery_since(since)?, RECOVERED_AT_ONCE_MAX);
        let recover = async |enables| {
            let (owner, cause) = (owner.clone(), self.cause(origin, retry.at));
            let request = RecoverRequest { owner, subscription: id, retry, what, max, enables, cause };
            self.stores.commands.recover(&request).await
        };
        let mut last = recover(true).await?.ok_or(RecoverSubscriptionError::NotFound)?;
        let mut recovered = last;
        while last >= max && recovered < RECOVERED_DELIVERIES_MAX {
            last = recover(false).await?.unwrap_or(0);
            recovered += last;
        }
        Ok(recovered)
    }

    /// How many deliveries [`Webhooks::recover_subscription`] would make due now, counted up to
    /// [`COUNTED_RECOVERABLE_MAX`].
    ///
    /// # Errors
    ///
    /// See [`RecoverSubscriptionError`].
    pub async fn count_recoverable(
        &self,
        owner: &OwnerId,
        id: SubscriptionId,
        (since, what): (Timestamp, Recoverable),
    ) -> Result<u32, RecoverSubscriptionError> {
        let (retry, max) = (self.recovery_since(since)?, COUNTED_RECOVERABLE_MAX);
        let request = CountRecoverableRequest { owner: owner.clone(), subscription: id, retry, what, max };
        let count = self.stores.log.count_recoverable(&request).await?;
        count.ok_or(RecoverSubscriptionError::NotFound)
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
