use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use domain::memory::MemoryKeyStore;
use domain::ports::{
    ChangeKeyRequest, ChangedKey, InsertKeyRequest, Insertion, KeyStore, KeyUsageStore, ListExpiringRequest,
    Revocation, RevokeDigestsRequest, RevokeKeyRequest, RevokeUserKeysRequest, RotateKeyRequest, Rotation, StoreError,
    UsageRequest,
};
use domain::{ApiKey, CredentialDigest, Hour, KeyUsage, ListView, OwnerId, UsageCounts};
use storage_conformance::{Instances, SharedStore};

use crate::liar::{Liar, Lie, STATEMENT_DURATION};

pub(crate) fn instances(lie: Lie) -> Instances {
    Liar::<MemoryKeyStore>::instances(lie).map(|liar| -> Arc<dyn SharedStore> { liar })
}

#[async_trait]
impl KeyStore for Liar<MemoryKeyStore> {
    async fn insert_within(&self, request: &InsertKeyRequest) -> Result<Insertion, StoreError> {
        self.store().insert_within(request).await
    }

    async fn list(&self, owner: &OwnerId, view: ListView) -> Result<Vec<ApiKey>, StoreError> {
        self.store().list(owner, view).await
    }

    async fn revoke(&self, request: &RevokeKeyRequest) -> Result<Revocation, StoreError> {
        let revocation = self.change(self.store().revoke(request)).await?;
        if self.lie == Lie::ListsRefusals && !matches!(revocation, Revocation::Revoked { .. }) {
            self.list_falsely(&[CredentialDigest::from_bytes([0; 32])]).await;
        }
        Ok(revocation)
    }

    async fn rotate(&self, request: &RotateKeyRequest) -> Result<Rotation, StoreError> {
        let rotate = self.store().rotate(request);
        // The store in memory lists it, but this feed does not.
        if self.lie == Lie::LeavesOutRotations { rotate.await } else { self.change(rotate).await }
    }

    async fn change(&self, request: &ChangeKeyRequest) -> Result<ChangedKey, StoreError> {
        self.change(self.store().change(request)).await
    }

    async fn revoke_by_digests(
        &self,
        request: &RevokeDigestsRequest,
    ) -> Result<Vec<(CredentialDigest, ApiKey)>, StoreError> {
        if self.lie == Lie::ListsBeforeItChanges {
            self.list_falsely(&request.digests).await;
            tokio::time::sleep(STATEMENT_DURATION).await;
        }
        self.change(self.store().revoke_by_digests(request)).await
    }

    async fn revoke_user_keys(&self, request: &RevokeUserKeysRequest) -> Result<Vec<CredentialDigest>, StoreError> {
        let revoke = self.store().revoke_user_keys(request);
        if self.lie == Lie::LeavesOutAllKeysOfUsers { revoke.await } else { self.change(revoke).await }
    }

    async fn list_expiring(&self, request: &ListExpiringRequest) -> Result<Vec<ApiKey>, StoreError> {
        self.store().list_expiring(request).await
    }
}

#[async_trait]
impl KeyUsageStore for Liar<MemoryKeyStore> {
    async fn add_usage(&self, usage: &[KeyUsage]) -> Result<(), StoreError> {
        self.store().add_usage(usage).await
    }

    async fn usage(&self, request: &UsageRequest) -> Result<Option<BTreeMap<Hour, UsageCounts>>, StoreError> {
        self.store().usage(request).await
    }
}
