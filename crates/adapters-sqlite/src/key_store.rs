use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use diesel_mapping::key_queries::{DELETE_ENDED, count_active, key_by_digest, list_keys, owner_of, revoke_key};
use diesel_mapping::schema::api_keys;
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{Kept, KeyRow, NewKeyRow, StoredInstant, api_keys_of};
use domain::ports::{ActiveLimit, Insertion, KeyStore, Revocation, StoreError};
use domain::{ApiKey, KeyDigest, KeyId, KeyUse, ListView, Timestamp, UserId};

use crate::SqliteStore;
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
            if Kept(revoke_key(&owner, &id, at)).execute(connection)? > 0 {
                return Ok(Revocation::Revoked(list(connection, &owner, view)?));
            }
            let other: Option<(String, String)> = owner_of(&id).first(connection).optional()?;
            Ok(if other.is_some() { Revocation::NotOwned } else { Revocation::NotFound })
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
        let uses = uses.to_vec();
        self.writer.write(move |connection| Ok(uses.iter().try_for_each(|used| record_use(connection, *used))?)).await
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

fn list(connection: &mut SqliteConnection, owner: &UserId, view: ListView) -> Result<Vec<ApiKey>, Undo> {
    let rows: Vec<KeyRow> = list_keys(owner, view).load(connection)?;
    Ok(view.select(api_keys_of(rows)?))
}

/// Forward only: a use that is not newer than the stored one changes nothing.
fn record_use(connection: &mut SqliteConnection, used: KeyUse) -> QueryResult<()> {
    let at = StoredInstant::from(used.at);
    let older = api_keys::last_used_at.is_null().or(api_keys::last_used_at.assume_not_null().lt(at));
    let key = api_keys::table.filter(api_keys::id.eq(used.id.as_bytes().as_slice())).filter(older);
    Kept(diesel::update(key).set(api_keys::last_used_at.eq(Some(at)))).execute(connection)?;
    Ok(())
}
