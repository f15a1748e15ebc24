use std::collections::BTreeMap;

use async_trait::async_trait;
use diesel_async::AsyncPgConnection;
use diesel_mapping::keys::keys_of_owner;
use diesel_mapping::{HourRow, KEY_USAGE};
use domain::ports::{
    ChangeKeyRequest, ChangedKey, CredentialStore, Found, InsertKeyRequest, Insertion, KeyStore, KeyUsageStore,
    ListExpiringRequest, Revocation, RevokeDigestsRequest, RevokeKeyRequest, RevokeUserKeysRequest, RotateKeyRequest,
    Rotation, StoreError, UsageRequest,
};
use domain::{ApiKey, CredentialDigest, Hour, KeyUsage, KeyUse, ListView, OwnerId, UsageCounts};

use super::find_keys::{FindByDigest, FindByDigests};
use super::rows::listed;
use super::shared_lists::Turn;
use crate::PostgresStore;
use crate::attempt::{Failure, Work, within_deadline};
use crate::by_hour::{AddCounts, ReadCounts};
use crate::record_uses::RecordUses;

#[async_trait]
impl KeyStore for PostgresStore {
    async fn insert_within(&self, request: &InsertKeyRequest) -> Result<Insertion, StoreError> {
        self.run_in_turn(&request.key.owner, request).await
    }

    async fn list(&self, owner: &OwnerId, view: ListView) -> Result<Vec<ApiKey>, StoreError> {
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

    async fn change(&self, request: &ChangeKeyRequest) -> Result<ChangedKey, StoreError> {
        let changed = self.run(request).await?;
        self.notify_if(matches!(changed, ChangedKey::Changed { .. }));
        Ok(changed)
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

    async fn list_expiring(&self, request: &ListExpiringRequest) -> Result<Vec<ApiKey>, StoreError> {
        self.run(request).await
    }
}

#[async_trait]
impl CredentialStore<ApiKey> for PostgresStore {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<ApiKey> {
        let found = match digests {
            [digest] => self.run_look_up(&FindByDigest(digest)).await,
            digests => self.run_look_up(&FindByDigests(digests)).await,
        };
        Found::of(found)
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

    async fn usage(&self, request: &UsageRequest) -> Result<Option<BTreeMap<Hour, UsageCounts>>, StoreError> {
        let &UsageRequest { ref owner, id, hours } = request;
        let rows = self.run(&ReadCounts { table: &KEY_USAGE, owner, id: Some(*id.as_bytes()), hours }).await?;
        Ok(HourRow::counts_of(&rows))
    }
}

struct List<'a> {
    owner: &'a OwnerId,
    view: ListView,
}

impl Work for List<'_> {
    type Answer = Vec<ApiKey>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Vec<ApiKey>, Failure> {
        let rows = listed(connection, self.owner, self.view).await?;
        Ok(self.view.select(keys_of_owner(self.owner, rows)?))
    }
}
