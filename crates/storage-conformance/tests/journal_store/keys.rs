use std::collections::BTreeMap;

use async_trait::async_trait;
use domain::ports::{
    CredentialStore, Found, InsertKeyRequest, Insertion, KeyStore, KeyUpkeep, KeyUsageStore, Revocation,
    RevokeDigestsRequest, RevokeKeyRequest, RevokeUserKeysRequest, RotateKeyRequest, Rotation,
};
use domain::{
    ApiKey, CredentialDigest, Hour, HourRange, KeyId, KeyUsage, KeyUse, ListView, Timestamp, UsageCounts, UserId,
};

use crate::call::Call;
use crate::store::{Answer, JournalStore};

#[async_trait]
impl KeyStore for JournalStore {
    async fn insert_within(&self, request: &InsertKeyRequest) -> Answer<Insertion> {
        let _journal = self.record(Call::Insert(request.clone())).await?;
        self.memory.insert_within(request).await
    }

    async fn list(&self, owner: &UserId, view: ListView) -> Answer<Vec<ApiKey>> {
        self.memory.list(owner, view).await
    }

    async fn revoke(&self, request: &RevokeKeyRequest) -> Answer<Revocation> {
        let _journal = self.record(Call::Revoke(request.clone())).await?;
        self.memory.revoke(request).await
    }

    async fn rotate(&self, request: &RotateKeyRequest) -> Answer<Rotation> {
        let _journal = self.record(Call::Rotate(request.clone())).await?;
        self.memory.rotate(request).await
    }

    async fn revoke_by_digests(&self, request: &RevokeDigestsRequest) -> Answer<Vec<(CredentialDigest, ApiKey)>> {
        let _journal = self.record(Call::RevokeByDigests(request.clone())).await?;
        self.memory.revoke_by_digests(request).await
    }

    async fn revoke_user_keys(&self, request: &RevokeUserKeysRequest) -> Answer<Vec<CredentialDigest>> {
        let _journal = self.record(Call::RevokeUserKeys(request.clone())).await?;
        self.memory.revoke_user_keys(request).await
    }
}

#[async_trait]
impl CredentialStore<ApiKey> for JournalStore {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<ApiKey> {
        self.memory.find_by_digests(digests).await
    }

    async fn record_uses(&self, uses: &[KeyUse]) -> Answer<()> {
        let _journal = self.record(Call::RecordUses(uses.to_vec())).await?;
        self.memory.record_uses(uses).await
    }
}

#[async_trait]
impl KeyUsageStore for JournalStore {
    async fn add_usage(&self, usage: &[KeyUsage]) -> Answer<()> {
        let _journal = self.record(Call::AddUsage(usage.to_vec())).await?;
        self.memory.add_usage(usage).await
    }

    async fn usage(&self, owner: &UserId, id: KeyId, hours: HourRange) -> Answer<Option<BTreeMap<Hour, UsageCounts>>> {
        self.memory.usage(owner, id, hours).await
    }

    async fn purge_usage(&self, before: Hour, max: u32) -> Answer<u32> {
        let _journal = self.record(Call::PurgeUsage(before, max)).await?;
        self.memory.purge_usage(before, max).await
    }
}

#[async_trait]
impl KeyUpkeep for JournalStore {
    async fn purge_ended(&self, before: Timestamp, max: u32) -> Answer<u32> {
        let _journal = self.record(Call::PurgeEnded(before, max)).await?;
        self.memory.purge_ended(before, max).await
    }

    async fn list_expiring(&self, after: (Timestamp, KeyId), until: Timestamp, max: u32) -> Answer<Vec<ApiKey>> {
        self.memory.list_expiring(after, until, max).await
    }
}
