use super::sealed_secret::{SealedSecret, SealingKeys, UnsealError};
use super::sealed_secrets::SealedSecrets;
use crate::SubscriptionId;
use crate::ports::{Entropy, StoreError};
use crate::webhooks::Webhooks;

/// Subscriptions read at once.
const READ_AT_ONCE_MAX: u32 = 200;

/// What came of sealing all secrets under the newest key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResealedSecrets {
    /// Subscriptions whose secrets were sealed anew.
    pub resealed: u64,
    /// Subscriptions whose secrets none of the keys opens: nothing can be sent to them.
    pub unreadable: u64,
}

impl Webhooks {
    /// Seals under the newest key what is sealed under an older one, of all owners: once it has gone through without an
    /// error, older keys are not needed any more. May be interrupted, and called again.
    ///
    /// # Errors
    ///
    /// When the store fails; what was sealed before stays so.
    pub async fn reseal_secrets(&self) -> Result<ResealedSecrets, StoreError> {
        let (mut total, mut after) = (ResealedSecrets::default(), None);
        loop {
            let page = self.stores.subscriptions.list_secrets(after, READ_AT_ONCE_MAX).await?;
            let Some((last, _)) = page.last() else {
                return Ok(total);
            };
            after = Some(*last);
            for (id, stored) in &page {
                match resealed(&self.rules.sealing_keys, stored, *id, &*self.entropy) {
                    Err(UnsealError) => total.unreadable += 1,
                    Ok(None) => {}
                    // Replaced meanwhile: by a rotation, which seals under the newest key, or by another instance.
                    Ok(Some(renewed)) => {
                        let is_replaced = self.stores.subscriptions.replace_secrets(*id, stored, &renewed).await?;
                        total.resealed += u64::from(is_replaced);
                    }
                }
            }
        }
    }
}

/// The secrets under the newest key; `None` when they are already.
fn resealed(
    keys: &SealingKeys,
    stored: &SealedSecrets,
    id: SubscriptionId,
    entropy: &dyn Entropy,
) -> Result<Option<SealedSecrets>, UnsealError> {
    let renew = |sealed: &SealedSecret| -> Result<SealedSecret, UnsealError> {
        let unsealed = keys.unseal(sealed, id)?;
        Ok(if unsealed.under_older_key { keys.seal(&unsealed.secret, id, entropy) } else { sealed.clone() })
    };
    let current = renew(&stored.current)?;
    let previous = match &stored.previous {
        Some((secret, until)) => Some((renew(secret)?, *until)),
        None => None,
    };
    let renewed = SealedSecrets { current, previous };
    Ok((renewed != *stored).then_some(renewed))
}
