//! The queries for rows of keys that several statements send. The type of a row follows its query: see decision 130.

use diesel::OptionalExtension;
use diesel::prelude::{ExpressionMethods, JoinOnDsl, QueryDsl};
use diesel::result::QueryResult;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::columns_of;
use diesel_mapping::keys::{KeyRow, ListedRow, digest_of, key_by_id, list_keys};
use diesel_mapping::owners::{StandingRow, is_of_key, standing};
use diesel_mapping::schema::{api_keys, owners};
use domain::ports::StoreError;
use domain::{ApiKey, CredentialDigest, KeyId, ListView, OwnerId};

/// The keys of an owner that `view` shows.
pub(super) async fn listed(
    connection: &AsyncPgConnection,
    owner: &OwnerId,
    view: ListView,
) -> QueryResult<Vec<ListedRow>> {
    list_keys(owner, view).load(&mut &*connection).await
}

/// A key of any owner, and its digest.
pub(super) async fn found(connection: &AsyncPgConnection, id: &KeyId) -> QueryResult<Option<FoundRow>> {
    key_by_id(id).get_result(&mut &*connection).await.optional()
}

/// The same, with the lock of a change of the key.
pub(super) async fn locked(connection: &AsyncPgConnection, id: &KeyId) -> QueryResult<Option<FoundRow>> {
    key_by_id(id).for_no_key_update().get_result(&mut &*connection).await.optional()
}

/// The keys with these digests, each with its digest.
pub(super) async fn with_digests(connection: &AsyncPgConnection, digests: &[&[u8]]) -> QueryResult<Vec<FoundRow>> {
    let columns = (columns_of::<KeyRow>(), api_keys::digest);
    api_keys::table.filter(api_keys::digest.eq_any(digests)).select(columns).load(&mut &*connection).await
}

/// The same, with the state and the rate limits of each owner.
pub(super) async fn with_standings(
    connection: &AsyncPgConnection,
    digests: &[&[u8]],
) -> QueryResult<Vec<(FoundRow, StandingRow)>> {
    let found = api_keys::table.left_join(owners::table.on(is_of_key())).filter(api_keys::digest.eq_any(digests));
    found.select(((columns_of::<KeyRow>(), api_keys::digest), standing())).load(&mut &*connection).await
}

/// The row of a key, and its digest.
pub(super) type FoundRow = (KeyRow, Vec<u8>);

/// The digest and the key of a row.
pub(super) fn digest_and_key((row, digest): FoundRow) -> Result<(CredentialDigest, ApiKey), StoreError> {
    let key = ApiKey::try_from(row)?;
    Ok((digest_of(key.id, &digest)?, key))
}
