use std::collections::HashSet;

use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use diesel_mapping::key_queries::{
    DELETE_ENDED, count_active, count_being_replaced, key_by_digest, key_by_id, list_keys, replace_key,
    revoke_by_digest, revoke_key,
};
use diesel_mapping::schema::api_keys;
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{Kept, KeyRow, NewKeyRow, StoredInstant, api_keys_of, digest_of};
use domain::ports::{ActiveLimit, Insertion, KeyStore, Revocation, Rotation, StoreError};
use domain::{ApiKey, KeyDigest, KeyId, KeyRotation, KeyUse, ListView, Timestamp, UserId};

use crate::SqliteStore;
use crate::record_uses::record_uses;
use crate::undo::Undo;

#[async_trait]
impl KeyStore for SqliteStore {
    async fn insert_within(
        &self,
        key: &ApiKey,
        digest: &KeyDigest,
        limit: ActiveLimit,
        view: ListView,
    ) -> Result<Insertion, StoreError> {
        let (key, digest) = (key.clone(), *digest);
        // Nobody else writes between the count and the insertion: there is one writer at a time, in any process.
        let insert = move |connection: &mut SqliteConnection| {
            let active: i64 = count_active(&key.owner, limit.at).get_result(connection)?;
            if active >= limit.max.into() {
                return Ok(Insertion::LimitReached);
            }
            let row = NewKeyRow::new(&key, &digest);
            diesel::insert_into(api_keys::table).values(row).execute(connection)?;
            Ok(Insertion::Stored(list(connection, &key.owner, view)?))
        };
        self.writer.write(insert).await
    }

    async fn list(&self, owner: &UserId, view: ListView) -> Result<Vec<ApiKey>, StoreError> {
        let owner = owner.clone();
        self.readers.read(move |connection| list(connection, &owner, view)).await
    }

    async fn revoke(&self, owner: &UserId, id: KeyId, at: Timestamp, view: ListView) -> Result<Revocation, StoreError> {
        let owner = owner.clone();
        let revoke = move |connection: &mut SqliteConnection| {
            let Some((key, digest)) = find(connection, id)? else { return Ok(Revocation::NotFound) };
            if key.owner != owner {
                return Ok(Revocation::NotOwned);
            }
            Kept(revoke_key(&owner, &id, at)).execute(connection)?;
            Ok(Revocation::Revoked { digest, keys: list(connection, &owner, view)? })
        };
        self.writer.write(revoke).await
    }

    async fn rotate(
        &self,
        owner: &UserId,
        id: KeyId,
        rotation: &KeyRotation,
        digest: &KeyDigest,
        view: ListView,
    ) -> Result<Rotation, StoreError> {
        let (owner, rotation, digest) = (owner.clone(), rotation.clone(), *digest);
        let rotate = move |connection: &mut SqliteConnection| {
            let Some((key, replaced)) = find(connection, id)? else { return Ok(Rotation::NotFound) };
            if key.owner != owner {
                return Ok(Rotation::NotOwned);
            }
            let overlapping: i64 = count_being_replaced(&owner, rotation.at).get_result(connection)?;
            let rotated = match rotation.decide(&key, u32::try_from(overlapping).unwrap_or(u32::MAX)) {
                Ok(rotated) => rotated,
                Err(refusal) => return Ok(Rotation::Refused(refusal)),
            };
            Kept(replace_key(&rotated.replaced)).execute(connection)?;
            let row = NewKeyRow::new(&rotated.successor, &digest);
            diesel::insert_into(api_keys::table).values(row).execute(connection)?;
            Ok(Rotation::Rotated { replaced, keys: list(connection, &owner, view)? })
        };
        self.writer.write(rotate).await
    }

    async fn revoke_by_digests(
        &self,
        digests: &[KeyDigest],
        at: Timestamp,
    ) -> Result<Vec<(KeyDigest, ApiKey)>, StoreError> {
        let digests: HashSet<KeyDigest> = digests.iter().copied().collect();
        let revoke = move |connection: &mut SqliteConnection| {
            let mut revoked = Vec::new();
            for digest in digests {
                Kept(revoke_by_digest(&digest, at)).execute(connection)?;
                let row: Option<KeyRow> = key_by_digest(&digest).first(connection).optional()?;
                if let Some(row) = row {
                    revoked.push((digest, row.try_into()?));
                }
            }
            Ok(revoked)
        };
        self.writer.write(revoke).await
    }

    async fn find_by_digest(&self, digest: &KeyDigest) -> Result<Option<ApiKey>, StoreError> {
        let digest = *digest;
        let find = move |connection: &mut SqliteConnection| {
            let row: Option<KeyRow> = key_by_digest(&digest).first(connection).optional()?;
            Ok(row.map(ApiKey::try_from).transpose()?)
        };
        self.readers.read(find).await
    }

    async fn record_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError> {
        if uses.is_empty() {
            return Ok(());
        }
        let uses = uses.to_vec();
        self.writer.write_unflushed(move |connection| Ok(record_uses(connection, &uses)?)).await
    }

    async fn purge_ended(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        let purge = move |connection: &mut SqliteConnection| {
            let deletion = diesel::sql_query(DELETE_ENDED)
                .bind::<Instant, StoredInstant>(before.into())
                .bind::<BigInt, i64>(max.into());
            Ok(u32::try_from(Kept(deletion).execute(connection)?).unwrap_or(max))
        };
        self.writer.write(purge).await
    }
}

/// The key with this id, and its digest.
fn find(connection: &mut SqliteConnection, id: KeyId) -> Result<Option<(ApiKey, KeyDigest)>, Undo> {
    let found: Option<(KeyRow, Vec<u8>)> = key_by_id(&id).first(connection).optional()?;
    found.map(|(row, digest)| Ok((row.try_into()?, digest_of(id, &digest)?))).transpose()
}

fn list(connection: &mut SqliteConnection, owner: &UserId, view: ListView) -> Result<Vec<ApiKey>, Undo> {
    let rows: Vec<KeyRow> = list_keys(owner, view).load(connection)?;
    Ok(view.select(api_keys_of(rows)?))
}
