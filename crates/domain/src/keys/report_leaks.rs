use std::collections::HashMap;

use crate::ports::StoreError;
use crate::{ApiKey, KeyDigest, Keys};

/// The most tokens in one report, so that its transaction stays short.
pub const LEAKS_MAX: usize = 1_000;

/// Why nothing of a report was taken.
#[derive(Debug, thiserror::Error)]
pub enum ReportLeaksError {
    /// More than [`LEAKS_MAX`] tokens.
    #[error("must be at most {LEAKS_MAX} tokens")]
    TooMany,
    /// The store failed; nothing says whether the keys are revoked.
    #[error("the leaked keys could not be revoked")]
    Store(#[from] StoreError),
}

impl Keys {
    /// Revokes every key whose full text is among `tokens`, whoever owns it: who holds the text could use it, so no
    /// more proof is asked for. Answers with the key that each token is, in their order; `None` where it is no key of
    /// ours. Reporting a key again changes nothing and succeeds.
    ///
    /// # Errors
    ///
    /// See [`ReportLeaksError`].
    pub async fn report_leaks(&self, tokens: &[&str]) -> Result<Vec<Option<ApiKey>>, ReportLeaksError> {
        if tokens.len() > LEAKS_MAX {
            return Err(ReportLeaksError::TooMany);
        }
        let presented: Vec<Option<KeyDigest>> = tokens.iter().map(|token| KeyDigest::of_presented(token)).collect();
        let digests: Vec<KeyDigest> = presented.iter().copied().flatten().collect();
        if digests.is_empty() {
            return Ok(vec![None; tokens.len()]);
        }
        let revoked = self.store.revoke_by_digests(&digests, self.clock.now()).await?;
        let (digests, keys): (Vec<KeyDigest>, Vec<ApiKey>) = revoked.into_iter().unzip();
        let revoked: HashMap<KeyDigest, ApiKey> = digests.into_iter().zip(self.with_recent_uses(keys)).collect();
        Ok(presented.iter().map(|digest| revoked.get(digest.as_ref()?).cloned()).collect())
    }
}
