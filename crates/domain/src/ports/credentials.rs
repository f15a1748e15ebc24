use async_trait::async_trait;

use super::store_error::StoreError;
use crate::sessions::Session;
use crate::{ApiKey, CredentialDigest, CredentialUse, KeyId, SessionId};

/// A record that is stored under the digest of a credential.
pub trait StoredCredential: Send + Sync + 'static {
    /// Identifies it among the records of its kind.
    type Id: Copy + Send + Sync + 'static;
}

impl StoredCredential for ApiKey {
    type Id = KeyId;
}

impl StoredCredential for Session {
    type Id = SessionId;
}

/// The part of a store that verification calls: for API keys, and for sessions.
#[async_trait]
pub trait CredentialStore<Stored: StoredCredential>: Send + Sync {
    /// The records that are stored under these digests, in any state: ended ones too.
    ///
    /// - It sees every earlier commit. It never reads a cache, or a replica that lags behind.
    /// - Callers pass at most [`CredentialDigest::LOOK_UP_MAX`] digests, each once. Each cold verification waits for
    ///   this, mostly with one digest.
    /// - If a part of the store fails, the answer has the records of the other parts, and the failure.
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<Stored>;

    /// [`CredentialStore::find_by_digests`] for one digest; `None` if no record is stored under it.
    async fn find_by_digest(&self, digest: &CredentialDigest) -> Result<Option<Stored>, StoreError> {
        let found = self.find_by_digests(&[*digest]).await.complete()?;
        Ok(found.into_iter().next().map(|(_, stored)| stored))
    }

    /// Moves the last use of each named credential forward to `at`, never back, and changes no other field.
    ///
    /// Ids that are not stored are skipped: a use never brings back a session that was ended. Of several uses of one
    /// credential, the latest counts.
    async fn record_uses(&self, uses: &[CredentialUse<Stored::Id>]) -> Result<(), StoreError>;
}

/// The result of a look-up of several digests.
#[derive(Debug)]
pub struct Found<Stored> {
    /// The records that were found, each with its digest, in any order.
    pub stored: Vec<(CredentialDigest, Stored)>,
    /// The error that kept the store from looking for all of them. Without it, the other digests are not stored.
    pub failure: Option<StoreError>,
}

impl<Stored> Found<Stored> {
    /// All records.
    ///
    /// # Errors
    ///
    /// If the store did not look for all of them.
    pub fn complete(self) -> Result<Vec<(CredentialDigest, Stored)>, StoreError> {
        self.failure.map_or(Ok(self.stored), Err)
    }
}

/// The answer of a store that succeeds or fails as a whole.
impl<Stored> From<Result<Vec<(CredentialDigest, Stored)>, StoreError>> for Found<Stored> {
    fn from(outcome: Result<Vec<(CredentialDigest, Stored)>, StoreError>) -> Self {
        match outcome {
            Ok(stored) => Self { stored, failure: None },
            Err(error) => Self { stored: Vec::new(), failure: Some(error) },
        }
    }
}
