use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use domain::audit::Cause;
use domain::ports::{
    ChangeKeyRequest, ChangedKey, CredentialStore, Found, InsertKeyRequest, Insertion, KeyStore, KeyUsageStore, KeysOf,
    ListExpiringRequest, Revocation, RevokeDigestsRequest, RevokeKeyRequest, RevokeUserKeysRequest, RotateKeyRequest,
    Rotation, StoreError, UsageRequest,
};
use domain::{ApiKey, CredentialDigest, Hour, KeyId, KeyUsage, KeyUse, ListView, OwnerId, Timestamp, UsageCounts};

use crate::ShardedStore;
use crate::audit::part_of;
use crate::fan_out::{all, first};
use crate::pages::in_order;

impl ShardedStore {
    /// Whether another user has this key. Such a key is in another shard, so the shard of the call's owner does not
    /// have it: the call refuses without a change.
    async fn is_of_another(
        &self,
        owner: &OwnerId,
        id: KeyId,
        at: Timestamp,
        cause: &Cause,
    ) -> Result<bool, StoreError> {
        let request = RevokeKeyRequest {
            owner: owner.clone(),
            id,
            at,
            view: ListView { at, ended_max: 0 },
            cause: cause.clone(),
        };
        let (own, request) = (self.of(owner).number, &request);
        let elsewhere = self.near(id.home()).iter().filter(|shard| shard.number != own);
        let found = first(elsewhere, |shard| async move {
            let answer = shard.store.keys.store.revoke(request).await?;
            Ok(matches!(answer, Revocation::NotOwned).then_some(()))
        });
        Ok(found.await?.is_some())
    }
}

#[async_trait]
impl KeyStore for ShardedStore {
    async fn insert_within(&self, request: &InsertKeyRequest) -> Result<Insertion, StoreError> {
        self.of(&request.key.owner).store.keys.store.insert_within(request).await
    }

    async fn list(&self, owner: &OwnerId, view: ListView) -> Result<Vec<ApiKey>, StoreError> {
        self.of(owner).store.keys.store.list(owner, view).await
    }

    async fn revoke(&self, request: &RevokeKeyRequest) -> Result<Revocation, StoreError> {
        let answer = self.of(&request.owner).store.keys.store.revoke(request).await?;
        let is_of_another = matches!(answer, Revocation::NotFound)
            && self.is_of_another(&request.owner, request.id, request.at, &request.cause).await?;
        Ok(if is_of_another { Revocation::NotOwned } else { answer })
    }

    async fn rotate(&self, request: &RotateKeyRequest) -> Result<Rotation, StoreError> {
        let answer = self.of(&request.owner).store.keys.store.rotate(request).await?;
        let is_of_another = matches!(answer, Rotation::NotFound)
            && self.is_of_another(&request.owner, request.id, request.view.at, &request.cause).await?;
        Ok(if is_of_another { Rotation::NotOwned } else { answer })
    }

    async fn change(&self, request: &ChangeKeyRequest) -> Result<ChangedKey, StoreError> {
        let answer = self.of(&request.owner).store.keys.store.change(request).await?;
        let is_of_another = matches!(answer, ChangedKey::NotFound)
            && self.is_of_another(&request.owner, request.id, request.at, &request.cause).await?;
        Ok(if is_of_another { ChangedKey::NotOwned } else { answer })
    }

    async fn revoke_by_digests(
        &self,
        request: &RevokeDigestsRequest,
    ) -> Result<Vec<(CredentialDigest, ApiKey)>, StoreError> {
        // The look-ups are side by side, and leave few shards to change.
        let Found::<ApiKey> { stored: found, mut failure, .. } = self.find_by_digests(&request.digests).await;
        let shards: BTreeSet<usize> = found.iter().map(|(_, key)| self.of(&key.owner).number).collect();
        let mut revoked = Vec::new();
        for (part, shard) in (0..).zip(shards) {
            let request = RevokeDigestsRequest { cause: part_of(&request.cause, part), ..request.clone() };
            match self.shards[shard].store.keys.store.revoke_by_digests(&request).await {
                Ok(of_shard) => revoked.extend(of_shard),
                // The keys of the other shards do not wait for this one.
                Err(error) => failure = Some(error),
            }
        }
        failure.map_or(Ok(revoked), Err)
    }

    async fn revoke_user_keys(&self, request: &RevokeUserKeysRequest) -> Result<Vec<CredentialDigest>, StoreError> {
        match &request.of {
            KeysOf::Owner(owner) => self.of(owner).store.keys.store.revoke_user_keys(request).await,
            // The member's organizations are in any shard.
            KeysOf::Member(_) => {
                let mut revoked = Vec::new();
                for (part, shard) in (0..).zip(&self.shards) {
                    let max = request.max - u32::try_from(revoked.len()).unwrap_or(request.max);
                    let request =
                        RevokeUserKeysRequest { max, cause: part_of(&request.cause, part), ..request.clone() };
                    revoked.extend(shard.store.keys.store.revoke_user_keys(&request).await?);
                }
                Ok(revoked)
            }
        }
    }

    async fn list_expiring(&self, request: &ListExpiringRequest) -> Result<Vec<ApiKey>, StoreError> {
        let lists = all(&self.shards, |shard| shard.store.keys.store.list_expiring(request)).await?;
        Ok(in_order(lists, |key| (key.expires_at, key.id), request.max))
    }
}

#[async_trait]
impl CredentialStore<ApiKey> for ShardedStore {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<ApiKey> {
        self.find_in_shards(digests, |shard| &shard.store.keys.credentials).await
    }

    async fn record_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError> {
        self.spread(
            uses,
            |used| used.id.home(),
            |shard, uses| async move { shard.store.keys.credentials.record_uses(&uses).await },
        )
        .await
    }
}

#[async_trait]
impl KeyUsageStore for ShardedStore {
    async fn add_usage(&self, usage: &[KeyUsage]) -> Result<(), StoreError> {
        self.spread(
            usage,
            |one| one.id.home(),
            |shard, usage| async move { shard.store.keys.usage.add_usage(&usage).await },
        )
        .await
    }

    async fn usage(&self, request: &UsageRequest) -> Result<Option<BTreeMap<Hour, UsageCounts>>, StoreError> {
        self.of(&request.owner).store.keys.usage.usage(request).await
    }
}
