use diesel::prelude::*;
use diesel_mapping::keys::{self, KeyRow, ListedRow, digest_of, key_by_id, keys_of_owner};
use domain::{ApiKey, CredentialDigest, KeyId, ListView, OwnerId};

use crate::undo::Undo;

/// See [`KeyStore::list`](domain::ports::KeyStore::list).
pub(super) fn list_keys(
    connection: &mut SqliteConnection,
    owner: &OwnerId,
    view: ListView,
) -> Result<Vec<ApiKey>, Undo> {
    let rows: Vec<ListedRow> = keys::list_keys(owner, view).load(connection)?;
    Ok(view.select(keys_of_owner(owner, rows)?))
}

/// The key with this id, and its digest.
pub(super) fn find_key(
    connection: &mut SqliteConnection,
    id: KeyId,
) -> Result<Option<(ApiKey, CredentialDigest)>, Undo> {
    let found: Option<(KeyRow, Vec<u8>)> = key_by_id(&id).first(connection).optional()?;
    found.map(|(row, digest)| Ok((row.try_into()?, digest_of(id, &digest)?))).transpose()
}
