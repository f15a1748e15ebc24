use super::delivery::DeliveryHistory;
use crate::ports::StoreError;
use crate::webhooks::Webhooks;
use crate::{DeliveryId, UserId};

/// The most attempts of a delivery that are shown, the newest ones. A delivery that is retried by hand may have any
/// number.
pub const SHOWN_ATTEMPTS_MAX: usize = 100;

impl Webhooks {
    /// One of the owner's deliveries with its event and the [`SHOWN_ATTEMPTS_MAX`] newest attempts; `None` if there is
    /// no such delivery.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn find_delivery(&self, owner: &UserId, id: DeliveryId) -> Result<Option<DeliveryHistory>, StoreError> {
        let mut found = self.stores.log.find(owner, id).await?;
        if let Some(history) = &mut found {
            let hidden = history.attempts.len().saturating_sub(SHOWN_ATTEMPTS_MAX);
            history.attempts.drain(..hidden);
        }
        Ok(found)
    }
}
