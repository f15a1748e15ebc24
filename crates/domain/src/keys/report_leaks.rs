use std::collections::{HashMap, HashSet};

use crate::audit::Origin;
use crate::ports::{RevokeDigestsRequest, StoreError};
use crate::{ApiKey, CredentialDigest, KeyId, Keys, is_mistyped};

/// The most tokens in one report, which keeps its transaction short.
pub const LEAKS_MAX: usize = 1_000;

/// Why a report was rejected. No key was revoked, unless the store failed.
#[derive(Debug, thiserror::Error)]
pub enum ReportLeaksError {
    /// The report has more than [`LEAKS_MAX`] tokens.
    #[error("must be at most {LEAKS_MAX} tokens")]
    TooMany,
    /// The store failed. The keys may have been revoked anyway.
    #[error("the leaked keys could not be revoked")]
    Store(#[from] StoreError),
}

impl Keys {
    /// Revokes every key among `tokens`, regardless of its owner: a reporter who has the whole key could also use it,
    /// so no further proof is needed. Returns the key for each token, in the same order; `None` for a token that is not
    /// a stored key. Reporting a key again succeeds without effect.
    ///
    /// # Errors
    ///
    /// See [`ReportLeaksError`].
    pub async fn report_leaks(
        &self,
        tokens: &[&str],
        origin: &Origin,
    ) -> Result<Vec<Option<ApiKey>>, ReportLeaksError> {
        if tokens.len() > LEAKS_MAX {
            return Err(ReportLeaksError::TooMany);
        }
        let presented = self.presented(tokens);
        let digests: Vec<CredentialDigest> = presented.iter().copied().flatten().collect();
        if digests.is_empty() {
            return Ok(vec![None; tokens.len()]);
        }
        let at = self.clock.now();
        let request = RevokeDigestsRequest { digests, at, cause: self.cause(origin, at) };
        let revoked = self.stores.store.revoke_by_digests(&request).await?;
        let (digests, keys): (Vec<CredentialDigest>, Vec<ApiKey>) = revoked.into_iter().unzip();
        let revoked: HashMap<CredentialDigest, ApiKey> = digests.into_iter().zip(self.with_recent_uses(keys)).collect();
        Ok(presented.iter().map(|digest| revoked.get(digest.as_ref()?).cloned()).collect())
    }

    /// The ids of the stored keys among `tokens`, as far as the store answers.
    pub(crate) async fn find_leaked(&self, tokens: &[&str]) -> Vec<KeyId> {
        let digests: HashSet<CredentialDigest> = self.presented(tokens).into_iter().flatten().collect();
        let digests: Vec<CredentialDigest> = digests.into_iter().collect();
        let found = self.stores.credentials.find_by_digests(&digests).await.stored;
        found.into_iter().map(|(_, key)| key.id).collect()
    }

    /// The digest of each token; `None` for a token that cannot be a key.
    fn presented(&self, tokens: &[&str]) -> Vec<Option<CredentialDigest>> {
        let digest = |token: &&str| (!is_mistyped(token, &self.policy)).then(|| CredentialDigest::of_presented(token));
        tokens.iter().map(|token| digest(token).flatten()).collect()
    }
}
