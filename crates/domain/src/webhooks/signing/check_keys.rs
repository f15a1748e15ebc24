use super::sealed_secret::{SealedSecret, UnsealError};
use super::signing_secret::SigningSecret;
use crate::ports::StoreError;
use crate::webhooks::Webhooks;
use crate::{SealingKeys, SubscriptionId};

/// The check value in clear.
const CHECK: &str = "gatepost";
/// The check value belongs to no subscription.
const NO_SUBSCRIPTION: SubscriptionId = SubscriptionId::from_bytes([0; 16]);

/// Why the sealing keys are not right for this store.
#[derive(Debug, thiserror::Error)]
pub enum CheckKeysError {
    /// The store was used with another key. Other instances could not open newly sealed secrets.
    #[error("the stored secrets are sealed under a key that is not listed")]
    Foreign,
    /// The store failed.
    #[error("the sealing keys could not be checked")]
    Store(#[from] StoreError),
}

/// Whether one of these keys opens the check value that a store has.
pub fn opens_check(keys: &SealingKeys, stored: &SealedSecret) -> bool {
    keys.unseal(stored, NO_SUBSCRIPTION).is_ok()
}

impl Webhooks {
    /// Checks that one of the sealing keys opens the check value that the store has. The first call stores it. See
    /// decision 57.
    ///
    /// # Errors
    ///
    /// See [`CheckKeysError`].
    pub async fn check_keys(&self) -> Result<(), CheckKeysError> {
        let stored = self.stores.secrets.keep_check(None, &self.sealed_check()).await?;
        match self.rules.sealing_keys.unseal(&stored, NO_SUBSCRIPTION) {
            Ok(_) => Ok(()),
            Err(UnsealError) => Err(CheckKeysError::Foreign),
        }
    }

    /// Seals the check value under the newest key. After this, a start with the older keys alone is refused.
    pub(super) async fn reseal_check(&self) -> Result<(), StoreError> {
        let secrets = &self.stores.secrets;
        let stored = secrets.keep_check(None, &self.sealed_check()).await?;
        if self.rules.sealing_keys.unseal(&stored, NO_SUBSCRIPTION).is_ok_and(|check| check.under_older_key) {
            secrets.keep_check(Some(&stored), &self.sealed_check()).await?;
        }
        Ok(())
    }

    fn sealed_check(&self) -> SealedSecret {
        let check = SigningSecret::parse(CHECK).expect("the check value is a valid secret");
        self.rules.sealing_keys.seal(&check.into(), NO_SUBSCRIPTION, &*self.entropy)
    }
}
