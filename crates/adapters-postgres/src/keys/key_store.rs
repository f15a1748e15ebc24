use std::collections::BTreeMap;

use async_trait::async_trait;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::keys::{ListedRow, keys_of_owner, list_keys};
use diesel_mapping::{HourRow, KEY_USAGE};
use domain::ports::{
    CredentialStore, Found, InsertKeyRequest, Insertion, KeyStore, KeyUpkeep, KeyUsageStore, Revocation,
    RevokeDigestsRequest, RevokeKeyRequest, RevokeUserKeysRequest, RotateKeyRequest, Rotation, StoreError,
};
use domain::{
    ApiKey, CredentialDigest, Hour, HourRange, KeyId, KeyUsage, KeyUse, ListView, Timestamp, UsageCounts, UserId,
};

use super::find_keys::{FindByDigest, FindByDigests, ListExpiring};
use super::purge_keys::PurgeEnded;
use super::shared_lists::Turn;
use crate::PostgresStore;
use crate::attempt::{Failure, Work, within_deadline};
use crate::by_hour::{AddCounts, PurgeCounts, ReadCounts};
use crate::record_uses::RecordUses;

#[async_trait]
impl KeyStore for PostgresStore {
    async fn insert_within(&self, request: &InsertKeyRequest) -> Result<Insertion, StoreError> {
        self.run_in_turn(&request.key.owner, request).await
    }

    async fn list(&self, owner: &UserId, view: ListView) -> Result<Vec<ApiKey>, StoreError> {
        let listed = async {
            match self.lists.turn(owner, view) {
                Turn::Alone(_place) => self.run(&List { owner, view }).await,
                Turn::Shared(listed) => match listed.await {
                    Ok(keys) => Ok(view.select(keys)),
                    Err(_) => self.run(&List { owner, view }).await,
                },
            }
        };
        within_deadline(listed).await
    }

    async fn revoke(&self, request: &RevokeKeyRequest) -> Result<Revocation, StoreError> {
        let revocation = self.run(request).await?;
        self.notify_if(matches!(revocation, Revocation::Revoked { .. }));
        Ok(revocation)
    }

    async fn rotate(&self, request: &RotateKeyRequest) -> Result<Rotation, StoreError> {
        let rotation = self.run_in_turn(&request.owner, request).await?;
        self.notify_if(matches!(rotation, Rotation::Rotated { .. }));
        Ok(rotation)
    }

    async fn revoke_by_digests(
        &self,
        request: &RevokeDigestsRequest,
    ) -> Result<Vec<(CredentialDigest, ApiKey)>, StoreError> {
        let revoked = self.run(request).await?;
        self.notify_if(!revoked.is_empty());
        Ok(revoked)
    }

    async fn revoke_user_keys(&self, request: &RevokeUserKeysRequest) -> Result<Vec<CredentialDigest>, StoreError> {
        let revoked = self.run(request).await?;
        self.notify_if(!revoked.is_empty());
        Ok(revoked)
    }
}

#[async_trait]
impl CredentialStore<ApiKey> for PostgresStore {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<ApiKey> {
        let found = match digests {
            [digest] => {
                let found = self.run_look_up(&FindByDigest(digest)).await;
                found.map(|key| key.map(|key| (*digest, key)).into_iter().collect())
            }
            digests => self.run_look_up(&FindByDigests(digests)).await,
        };
        Found::from(found)
    }

    async fn record_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError> {
        if uses.is_empty() {
            return Ok(());
        }
        self.run(&RecordUses::of_keys(uses)).await
    }
}

#[async_trait]
impl KeyUsageStore for PostgresStore {
    async fn add_usage(&self, usage: &[KeyUsage]) -> Result<(), StoreError> {
        self.run(&AddCounts::to(&KEY_USAGE, usage)).await
    }

    async fn usage(
        &self,
        owner: &UserId,
        id: KeyId,
        hours: HourRange,
    ) -> Result<Option<BTreeMap<Hour, UsageCounts>>, StoreError> {
        let rows = self.run(&ReadCounts { table: &KEY_USAGE, owner, id: Some(*id.as_bytes()), hours }).await?;
        Ok(HourRow::counts_of(&rows))
    }

    async fn purge_usage(&self, before: Hour, max: u32) -> Result<u32, StoreError> {
        self.run(&PurgeCounts { table: &KEY_USAGE, before, max }).await
    }
}

#[async_trait]
impl KeyUpkeep for PostgresStore {
    async fn purge_ended(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.run(&PurgeEnded { before, max }).await
    }

    async fn list_expiring(
        &self,
        after: (Timestamp, KeyId),
        until: Timestamp,
        max: u32,
    ) -> Result<Vec<ApiKey>, StoreError> {
        self.run(&ListExpiring { after, until, max }).await
    }
}

struct List<'a> {
    owner: &'a UserId,
    view: ListView,
}

impl Work for List<'_> {
    type Answer = Vec<ApiKey>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Vec<ApiKey>, Failure> {
        let rows = list_keys(self.owner, self.view).load::<ListedRow>(&mut &*connection).await?;
        Ok(self.view.select(keys_of_owner(self.owner, rows)?))
    }
}
