use std::collections::HashSet;

use diesel::dsl::{auto_type, update};
use diesel::prelude::*;
use diesel_mapping::keys::{KeyRow, key_by_digest};
use diesel_mapping::owners::StandingRow;
use diesel_mapping::schema::api_keys;
use diesel_mapping::{Kept, StoredInstant};
use domain::ports::RevokeDigestsRequest;
use domain::{ApiKey, CredentialDigest};

use crate::audit::write_events;
use crate::undo::Undo;

/// See [`KeyStore::revoke_by_digests`](domain::ports::KeyStore::revoke_by_digests).
pub(super) fn report_leaks(
    connection: &mut SqliteConnection,
    request: &RevokeDigestsRequest,
) -> Result<Vec<(CredentialDigest, ApiKey)>, Undo> {
    let RevokeDigestsRequest { digests, at, cause } = request;
    let (mut revoked, mut leaked) = (Vec::new(), Vec::new());
    for digest in digests.iter().collect::<HashSet<_>>() {
        let is_new = Kept(revoke_by_digest(digest, (*at).into())).execute(connection)? > 0;
        let row: Option<(KeyRow, StandingRow)> = key_by_digest(digest).first(connection).optional()?;
        if let Some((row, _)) = row {
            let key = ApiKey::try_from(row)?;
            leaked.extend(is_new.then(|| key.clone()));
            revoked.push((*digest, key));
        }
    }
    write_events(connection, &cause.keys_leaked(&leaked))?;
    Ok(revoked)
}

/// Revokes the key under a digest, unless it is revoked.
#[auto_type]
fn revoke_by_digest<'a>(digest: &'a CredentialDigest, at: StoredInstant) -> _ {
    let digest: &'a [u8] = digest.as_bytes();
    let at: Option<StoredInstant> = Some(at);
    let found = api_keys::table.filter(api_keys::digest.eq(digest)).filter(api_keys::revoked_at.is_null());
    update(found).set(api_keys::revoked_at.eq(at))
}
