use super::sealed_secret::{SealedSecret, UnsealError};
use super::sealed_secrets::SealedSecrets;
use crate::ports::{Entropy, ReplaceSecretsRequest, StoreError};
use crate::webhooks::Webhooks;
use crate::{SealingKeys, SubscriptionId};

/// How many subscriptions one read returns.
const READ_AT_ONCE_MAX: u32 = 200;

/// The result of sealing all secrets under the newest key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResealedSecrets {
    /// How many subscriptions have newly sealed secrets.
    pub resealed: u64,
    /// How many subscriptions have secrets that none of the keys opens. They receive no webhooks.
    pub unreadable: u64,
}

impl Webhooks {
    /// Seals the secrets of all owners under the newest key, if they are sealed under an older one. After `Ok`, the
    /// older keys are no longer needed. It may be interrupted and called again.
    ///
    /// # Errors
    ///
    /// If the store fails. Secrets that are sealed by then stay sealed under the newest key.
    pub async fn reseal_secrets(&self) -> Result<ResealedSecrets, StoreError> {
        let (mut total, mut after) = (ResealedSecrets::default(), None);
        loop {
            let page = self.stores.secrets.list_secrets(after, READ_AT_ONCE_MAX).await?;
            let Some((last, _)) = page.last() else {
                // Last, so that a start without the older keys is refused until all secrets are sealed again.
                self.reseal_check().await?;
                return Ok(total);
            };
            after = Some(*last);
            for (id, from) in page {
                match resealed(&self.rules.sealing_keys, &from, id, &*self.entropy) {
                    Err(UnsealError) => total.unreadable += 1,
                    Ok(None) => {}
                    // `false` if a rotation or another instance has replaced them, both of which seal under the newest
                    // key.
                    Ok(Some(to)) => {
                        let request = ReplaceSecretsRequest { id, from, to };
                        let is_replaced = self.stores.secrets.replace_secrets(&request).await?;
                        total.resealed += u64::from(is_replaced);
                    }
                }
            }
        }
    }
}

/// The secrets sealed under the newest key; `None` if they are already.
fn resealed(
    keys: &SealingKeys,
    stored: &SealedSecrets,
    id: SubscriptionId,
    entropy: &dyn Entropy,
) -> Result<Option<SealedSecrets>, UnsealError> {
    let renew = |sealed: &SealedSecret| -> Result<SealedSecret, UnsealError> {
        let unsealed = keys.unseal(sealed, id)?;
        Ok(if unsealed.under_older_key { keys.seal(&unsealed.signer, id, entropy) } else { sealed.clone() })
    };
    let current = renew(&stored.current)?;
    let previous = match &stored.previous {
        Some((secret, until)) => Some((renew(secret)?, *until)),
        None => None,
    };
    let options = stored.options.resealed(keys, id, entropy)?;
    let renewed = SealedSecrets { current, previous, options };
    Ok((renewed != *stored).then_some(renewed))
}
