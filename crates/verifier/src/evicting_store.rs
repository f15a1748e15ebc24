use std::future::Future;
use std::sync::Arc;

use async_trait::async_trait;
use domain::ports::{
    BoxError, ChangeKeyRequest, ChangedKey, InsertKeyRequest, Insertion, KeyStore, ListExpiringRequest, Revocation,
    RevokeDigestsRequest, RevokeKeyRequest, RevokeUserKeysRequest, RotateKeyRequest, Rotation, StoreError,
};
use domain::{ApiKey, CredentialDigest, ListView, OwnerId};

use crate::VerifiedKey;
use crate::answers::{Answers, Remembered};
use crate::credential::Credential;

/// The store through which this instance changes keys. A change evicts its key from the cache before the call returns.
///
/// Each change runs in a separate task. If a client disconnects, the web server drops the future of its request, but
/// the store may commit nevertheless. Without the task the key would then stay in the cache, and without a feed a
/// revoked key would stay good indefinitely.
pub(crate) struct EvictingStore {
    pub(crate) store: Arc<dyn KeyStore>,
    pub(crate) answers: Arc<Answers<VerifiedKey>>,
}

/// Runs the change in a separate task, which completes even if the caller is dropped.
pub(crate) async fn to_the_end<T: Send + 'static>(
    change: impl Future<Output = Result<T, StoreError>> + Send + 'static,
) -> Result<T, StoreError> {
    let outcome = tokio::spawn(change).await;
    outcome.unwrap_or_else(|error| Err(StoreError::Unavailable(BoxError::from(error))))
}

#[async_trait]
impl KeyStore for EvictingStore {
    async fn insert_within(&self, request: &InsertKeyRequest) -> Result<Insertion, StoreError> {
        let insertion = self.store.insert_within(request).await;
        self.answers.evict(&request.digest);
        insertion
    }

    async fn list(&self, owner: &OwnerId, view: ListView) -> Result<Vec<ApiKey>, StoreError> {
        self.store.list(owner, view).await
    }

    async fn revoke(&self, request: &RevokeKeyRequest) -> Result<Revocation, StoreError> {
        let (store, answers, request) = (Arc::clone(&self.store), Arc::clone(&self.answers), request.clone());
        to_the_end(async move {
            let revocation = store.revoke(&request).await;
            match &revocation {
                Ok(Revocation::Revoked { digest, .. }) => answers.evict(digest),
                Ok(Revocation::NotFound | Revocation::NotOwned) => {}
                Err(_) => answers.evict_matching(|key| key.id == request.id),
            }
            revocation
        })
        .await
    }

    async fn rotate(&self, request: &RotateKeyRequest) -> Result<Rotation, StoreError> {
        let (store, answers, request) = (Arc::clone(&self.store), Arc::clone(&self.answers), request.clone());
        to_the_end(async move {
            let outcome = store.rotate(&request).await;
            match &outcome {
                Ok(Rotation::Rotated { replaced, .. }) => answers.evict(replaced),
                Ok(Rotation::Refused(_) | Rotation::NotFound | Rotation::NotOwned) => {}
                Err(_) => answers.evict_matching(|key| key.id == request.id),
            }
            answers.evict(&request.digest);
            outcome
        })
        .await
    }

    async fn change(&self, request: &ChangeKeyRequest) -> Result<ChangedKey, StoreError> {
        let (store, answers, request) = (Arc::clone(&self.store), Arc::clone(&self.answers), request.clone());
        to_the_end(async move {
            let outcome = store.change(&request).await;
            match &outcome {
                Ok(ChangedKey::Changed { digest, .. }) => answers.evict(digest),
                Ok(ChangedKey::Unchanged(_) | ChangedKey::Refused(_) | ChangedKey::NotFound | ChangedKey::NotOwned) => {
                }
                Err(_) => answers.evict_matching(|key| key.id == request.id),
            }
            outcome
        })
        .await
    }

    async fn revoke_by_digests(
        &self,
        request: &RevokeDigestsRequest,
    ) -> Result<Vec<(CredentialDigest, ApiKey)>, StoreError> {
        let (store, answers, request) = (Arc::clone(&self.store), Arc::clone(&self.answers), request.clone());
        to_the_end(async move {
            let revoked = store.revoke_by_digests(&request).await;
            request.digests.iter().for_each(|digest| answers.evict(digest));
            revoked
        })
        .await
    }

    async fn revoke_user_keys(&self, request: &RevokeUserKeysRequest) -> Result<Vec<CredentialDigest>, StoreError> {
        let (store, answers, request) = (Arc::clone(&self.store), Arc::clone(&self.answers), request.clone());
        to_the_end(async move {
            let revoked = store.revoke_user_keys(&request).await;
            match &revoked {
                Ok(digests) => digests.iter().for_each(|digest| answers.evict(digest)),
                Err(_) => answers.evict_matching(|key| request.of.has(&key.owner, key.member().as_ref())),
            }
            revoked
        })
        .await
    }

    async fn list_expiring(&self, request: &ListExpiringRequest) -> Result<Vec<ApiKey>, StoreError> {
        self.store.list_expiring(request).await
    }
}
