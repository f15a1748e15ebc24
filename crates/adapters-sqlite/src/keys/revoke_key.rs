use diesel::prelude::*;
use diesel_mapping::{Kept, keys};
use domain::ports::{Revocation, RevokeKeyRequest};

use super::list_keys::{find_key, list_keys};
use crate::audit::write_events;
use crate::undo::Undo;

/// See [`KeyStore::revoke`](domain::ports::KeyStore::revoke).
pub(super) fn revoke_key(connection: &mut SqliteConnection, request: &RevokeKeyRequest) -> Result<Revocation, Undo> {
    let &RevokeKeyRequest { ref owner, id, at, view, ref cause } = request;
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
