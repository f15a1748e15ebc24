use std::collections::BTreeMap;

use async_trait::async_trait;
use domain::ports::{
    ChangeKeyRequest, ChangedKey, CredentialStore, Found, InsertKeyRequest, Insertion, KeyStore, KeyUsageStore,
    ListExpiringRequest, Retained, Retention, Revocation, RevokeDigestsRequest, RevokeKeyRequest,
    RevokeUserKeysRequest, RotateKeyRequest, Rotation, UsageRequest,
};
use domain::{ApiKey, CredentialDigest, Hour, KeyUsage, KeyUse, ListView, OwnerId, Timestamp, UsageCounts};

use crate::call::Call;
use crate::store::{Answer, JournalStore};

#[async_trait]
impl KeyStore for JournalStore {
    async fn insert_within(&self, request: &InsertKeyRequest) -> Answer<Insertion> {
        let _journal = self.record(Call::Insert(request.clone())).await?;
        self.memory.keys.insert_within(request).await
    }

    async fn list(&self, owner: &OwnerId, view: ListView) -> Answer<Vec<ApiKey>> {
        self.memory.keys.list(owner, view).await
    }

    async fn revoke(&self, request: &RevokeKeyRequest) -> Answer<Revocation> {
        let _journal = self.record(Call::Revoke(request.clone())).await?;
        self.memory.keys.revoke(request).await
    }

    async fn rotate(&self, request: &RotateKeyRequest) -> Answer<Rotation> {
        let _journal = self.record(Call::Rotate(request.clone())).await?;
        self.memory.keys.rotate(request).await
    }

    async fn change(&self, request: &ChangeKeyRequest) -> Answer<ChangedKey> {
        let _journal = self.record(Call::Change(request.clone())).await?;
        self.memory.keys.change(request).await
    }

    async fn revoke_by_digests(&self, request: &RevokeDigestsRequest) -> Answer<Vec<(CredentialDigest, ApiKey)>> {
        let _journal = self.record(Call::RevokeByDigests(request.clone())).await?;
        self.memory.keys.revoke_by_digests(request).await
    }

    async fn revoke_user_keys(&self, request: &RevokeUserKeysRequest) -> Answer<Vec<CredentialDigest>> {
        let _journal = self.record(Call::RevokeUserKeys(request.clone())).await?;
        self.memory.keys.revoke_user_keys(request).await
    }

    async fn list_expiring(&self, request: &ListExpiringRequest) -> Answer<Vec<ApiKey>> {
        self.memory.keys.list_expiring(request).await
    }
}

#[async_trait]
impl CredentialStore<ApiKey> for JournalStore {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<ApiKey> {
        self.memory.keys.find_by_digests(digests).await
    }

    async fn record_uses(&self, uses: &[KeyUse]) -> Answer<()> {
        let _journal = self.record(Call::RecordUses(uses.to_vec())).await?;
        self.memory.keys.record_uses(uses).await
    }
}

#[async_trait]
impl KeyUsageStore for JournalStore {
    async fn add_usage(&self, usage: &[KeyUsage]) -> Answer<()> {
        let _journal = self.record(Call::AddUsage(usage.to_vec())).await?;
        self.memory.keys.add_usage(usage).await
    }

    async fn usage(&self, request: &UsageRequest) -> Answer<Option<BTreeMap<Hour, UsageCounts>>> {
        self.memory.keys.usage(request).await
    }
}

#[async_trait]
impl Retention for JournalStore {
    async fn purge(&self, what: Retained, before: Timestamp, max: u32) -> Answer<u32> {
        let _journal = self.record(Call::Purge(what, before, max)).await?;
        self.memory.keys.purge(what, before, max).await
    }
}
