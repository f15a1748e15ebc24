use diesel::prelude::*;
use diesel_mapping::{Kept, keys};
use domain::audit::Cause;
use domain::ports::Revocation;
use domain::{KeyId, ListView, Timestamp, UserId};

use super::list_keys::{find_key, list_keys};
use crate::audit::write_events;
use crate::undo::Undo;

/// See [`KeyStore::revoke`](domain::ports::KeyStore::revoke).
pub(super) fn revoke_key(
    connection: &mut SqliteConnection,
    owner: &UserId,
    id: KeyId,
    at: Timestamp,
    view: ListView,
    cause: &Cause,
) -> Result<Revocation, Undo> {
    let Some((key, digest)) = find_key(connection, id)? else { return Ok(Revocation::NotFound) };
    if key.owner != *owner {
        return Ok(Revocation::NotOwned);
    }
    let is_new = Kept(keys::revoke_key(owner, &id, at)).execute(connection)? > 0;
    let keys = list_keys(connection, owner, view)?;
    if is_new {
        write_events(connection, &cause.key_revoked(id, owner, &keys, at))?;
    }
    Ok(Revocation::Revoked { digest, keys })
}
