use crate::ports::StoreError;
use crate::webhooks::Webhooks;
use crate::{SubscriptionId, Timestamp, UserId};

/// The most deliveries that one call brings back: those of the oldest events. A second call goes on.
pub const RECOVERED_DELIVERIES_MAX: u32 = 100_000;
/// The most in one transaction, so that it stays short.
const RECOVERED_AT_ONCE_MAX: u32 = 1_000;

/// Why a subscription was not recovered.
#[derive(Debug, thiserror::Error)]
pub enum RecoverSubscriptionError {
    /// `since` lies in the future.
    #[error("must not be in the future")]
    SinceInFuture,
    /// The owner has no subscription with this id.
    #[error("no subscription has this id")]
    NotFound,
    /// The store failed; what was brought back before is due, and calling again goes on.
    #[error("the subscription could not be recovered")]
    Store(#[from] StoreError),
}

impl Webhooks {
    /// Enables the owner's subscription, closes its breaker, and makes due now what failed or waits for a retry of the
    /// events published since `since`. Answers how many deliveries, [`RECOVERED_DELIVERIES_MAX`] at most.
    ///
    /// Events that are too old to be delivered again ([`WebhookPolicy::redelivery_age_max`]) are left out.
    ///
    /// [`WebhookPolicy::redelivery_age_max`]: crate::webhooks::WebhookPolicy::redelivery_age_max
    ///
    /// # Errors
    ///
    /// See [`RecoverSubscriptionError`].
    pub async fn recover_subscription(
        &self,
        owner: &UserId,
        id: SubscriptionId,
        since: Timestamp,
    ) -> Result<u32, RecoverSubscriptionError> {
        let now = self.clock.now();
        if since > now {
            return Err(RecoverSubscriptionError::SinceInFuture);
        }
        let mut request = self.retry_request(now);
        request.published_since = request.published_since.max(since);
        let mut recovered = 0;
        while recovered < RECOVERED_DELIVERIES_MAX {
            let count = self.stores.commands.recover(owner, id, request, RECOVERED_AT_ONCE_MAX).await?;
            let count = count.ok_or(RecoverSubscriptionError::NotFound)?;
            recovered += count;
            if count < RECOVERED_AT_ONCE_MAX {
                break;
            }
        }
        Ok(recovered)
    }
}
