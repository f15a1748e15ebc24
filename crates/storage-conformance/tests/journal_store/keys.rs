use std::collections::BTreeMap;

use async_trait::async_trait;
use domain::audit::Cause;
use domain::ports::{
    ActiveLimit, CredentialStore, Found, Insertion, KeyStore, KeyUpkeep, KeyUsageStore, Revocation, Rotation,
};
use domain::{
    ApiKey, CredentialDigest, Hour, HourRange, KeyId, KeyRotation, KeyUsage, KeyUse, ListView, Timestamp, UsageCounts,
    UserId,
};

use crate::call::Call;
use crate::store::{Answer, JournalStore};

#[async_trait]
impl KeyStore for JournalStore {
    async fn insert_within(
        &self,
        key: &ApiKey,
        digest: &CredentialDigest,
        limit: ActiveLimit,
        view: ListView,
        cause: &Cause,
    ) -> Answer<Insertion> {
        let _journal =
            self.record(Call::Insert { key: key.clone(), digest: *digest, limit, view, cause: cause.clone() }).await?;
        self.memory.insert_within(key, digest, limit, view, cause).await
    }

    async fn list(&self, owner: &UserId, view: ListView) -> Answer<Vec<ApiKey>> {
        self.memory.list(owner, view).await
    }

    async fn revoke(
        &self,
        owner: &UserId,
        id: KeyId,
        at: Timestamp,
        view: ListView,
        cause: &Cause,
    ) -> Answer<Revocation> {
        let _journal = self.record(Call::Revoke { owner: owner.clone(), id, at, view, cause: cause.clone() }).await?;
        self.memory.revoke(owner, id, at, view, cause).await
    }

    async fn rotate(
        &self,
        owner: &UserId,
        id: KeyId,
        rotation: &KeyRotation,
        digest: &CredentialDigest,
        view: ListView,
        cause: &Cause,
    ) -> Answer<Rotation> {
        let (owner_copy, rotation_copy) = (owner.clone(), rotation.clone());
        let call = Call::Rotate {
            owner: owner_copy,
            id,
            rotation: rotation_copy,
            digest: *digest,
            view,
            cause: cause.clone(),
        };
        let _journal = self.record(call).await?;
        self.memory.rotate(owner, id, rotation, digest, view, cause).await
    }

    async fn revoke_by_digests(
        &self,
        digests: &[CredentialDigest],
        at: Timestamp,
        cause: &Cause,
    ) -> Answer<Vec<(CredentialDigest, ApiKey)>> {
        let _journal =
            self.record(Call::RevokeByDigests { digests: digests.to_vec(), at, cause: cause.clone() }).await?;
        self.memory.revoke_by_digests(digests, at, cause).await
    }

    async fn revoke_user_keys(
        &self,
        owner: &UserId,
        created_before: Timestamp,
        at: Timestamp,
        max: u32,
        cause: &Cause,
    ) -> Answer<Vec<CredentialDigest>> {
        let _journal = self
            .record(Call::RevokeUserKeys { owner: owner.clone(), created_before, at, max, cause: cause.clone() })
            .await?;
        self.memory.revoke_user_keys(owner, created_before, at, max, cause).await
    }
}

#[async_trait]
impl CredentialStore<ApiKey> for JournalStore {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<ApiKey> {
        self.memory.find_by_digests(digests).await
    }

    async fn record_uses(&self, uses: &[KeyUse]) -> Answer<()> {
        let _journal = self.record(Call::RecordUses { uses: uses.to_vec() }).await?;
        self.memory.record_uses(uses).await
    }
}

#[async_trait]
impl KeyUsageStore for JournalStore {
    async fn add_usage(&self, usage: &[KeyUsage]) -> Answer<()> {
        let _journal = self.record(Call::AddUsage { usage: usage.to_vec() }).await?;
        self.memory.add_usage(usage).await
    }

    async fn usage(&self, owner: &UserId, id: KeyId, hours: HourRange) -> Answer<Option<BTreeMap<Hour, UsageCounts>>> {
        self.memory.usage(owner, id, hours).await
    }

    async fn purge_usage(&self, before: Hour, max: u32) -> Answer<u32> {
        let _journal = self.record(Call::PurgeUsage { before, max }).await?;
        self.memory.purge_usage(before, max).await
    }
}

#[async_trait]
impl KeyUpkeep for JournalStore {
    async fn purge_ended(&self, before: Timestamp, max: u32) -> Answer<u32> {
        let _journal = self.record(Call::PurgeEnded { before, max }).await?;
        self.memory.purge_ended(before, max).await
    }

    async fn list_expiring(&self, after: (Timestamp, KeyId), until: Timestamp, max: u32) -> Answer<Vec<ApiKey>> {
        self.memory.list_expiring(after, until, max).await
    }
}
