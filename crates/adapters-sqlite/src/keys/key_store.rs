use std::collections::BTreeMap;

use async_trait::async_trait;
use diesel::prelude::*;
use diesel_mapping::keys::{KeyRow, key_by_digest, list_expiring};
use diesel_mapping::owners::{StandingRow, looked_up};
use diesel_mapping::{KEY_USAGE, values_of};
use domain::ports::{
    ChangeKeyRequest, ChangedKey, CredentialStore, Found, InsertKeyRequest, Insertion, KeyStore, KeyUsageStore,
    ListExpiringRequest, Revocation, RevokeDigestsRequest, RevokeKeyRequest, RevokeUserKeysRequest, RotateKeyRequest,
    Rotation, StoreError, UsageRequest,
};
use domain::{ApiKey, CredentialDigest, Hour, KeyUsage, KeyUse, ListView, OwnerId, UsageCounts};

use super::change_key::{change_key, rotate_key};
use super::create_key::create_key;
use super::list_keys::list_keys;
use super::report_leaks::report_leaks;
use super::revoke_key::revoke_key;
use super::revoke_user_keys::revoke_user_keys;
use crate::SqliteStore;
use crate::by_hour::{add_counts, read_counts};
use crate::record_uses::KEY_USES;

#[async_trait]
impl KeyStore for SqliteStore {
    async fn insert_within(&self, request: &InsertKeyRequest) -> Result<Insertion, StoreError> {
        self.write(request, create_key).await
    }

    async fn list(&self, owner: &OwnerId, view: ListView) -> Result<Vec<ApiKey>, StoreError> {
        let owner = owner.clone();
        self.readers.read(move |connection| list_keys(connection, &owner, view)).await
    }

    async fn revoke(&self, request: &RevokeKeyRequest) -> Result<Revocation, StoreError> {
        self.write(request, revoke_key).await
    }

    async fn rotate(&self, request: &RotateKeyRequest) -> Result<Rotation, StoreError> {
        self.write(request, rotate_key).await
    }

    async fn change(&self, request: &ChangeKeyRequest) -> Result<ChangedKey, StoreError> {
        self.write(request, change_key).await
    }

    async fn revoke_by_digests(
        &self,
        request: &RevokeDigestsRequest,
    ) -> Result<Vec<(CredentialDigest, ApiKey)>, StoreError> {
        self.write(request, report_leaks).await
    }

    async fn revoke_user_keys(&self, request: &RevokeUserKeysRequest) -> Result<Vec<CredentialDigest>, StoreError> {
        self.write(request, revoke_user_keys).await
    }

    async fn list_expiring(&self, request: &ListExpiringRequest) -> Result<Vec<ApiKey>, StoreError> {
        let request = *request;
        let expiring = move |connection: &mut SqliteConnection| {
            let rows: Vec<KeyRow> = list_expiring(&request).load(connection)?;
            Ok(values_of(rows)?)
        };
        self.readers.read(expiring).await
    }
}

#[async_trait]
impl CredentialStore<ApiKey> for SqliteStore {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<ApiKey> {
        let digests = digests.to_vec();
        // One trip to a reader's thread for all of them: the trip costs seven times as much as a look-up.
        let find = move |connection: &mut SqliteConnection| {
            let mut found = Vec::new();
            for digest in digests {
                let row: Option<(KeyRow, StandingRow)> = key_by_digest(&digest).first(connection).optional()?;
                if let Some((row, standing)) = row {
                    let key = ApiKey::try_from(row)?;
                    found.push(looked_up(&key.owner.clone(), digest, key, standing)?);
                }
            }
            Ok(found)
        };
        Found::of(self.readers.read(find).await)
    }

    async fn record_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError> {
        self.write_uses(KEY_USES, uses).await
    }
}

#[async_trait]
impl KeyUsageStore for SqliteStore {
    async fn add_usage(&self, usage: &[KeyUsage]) -> Result<(), StoreError> {
        let usage = usage.to_vec();
        self.writer.write_unflushed(move |connection| add_counts(connection, &KEY_USAGE, &usage)).await
    }

    async fn usage(&self, request: &UsageRequest) -> Result<Option<BTreeMap<Hour, UsageCounts>>, StoreError> {
        let UsageRequest { owner, id, hours } = request.clone();
        let read = move |connection: &mut SqliteConnection| {
            read_counts(connection, &KEY_USAGE, &owner, Some(id.as_bytes()), hours)
        };
        self.readers.read(read).await
    }
}
