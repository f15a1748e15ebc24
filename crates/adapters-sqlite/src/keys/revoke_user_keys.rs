use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{DigestRow, Kept, StoredInstant, digests_of, ids_of};
use domain::ports::RevokeUserKeysRequest;
use domain::{CredentialDigest, KeyId};

use crate::audit::write_events;
use crate::undo::Undo;

/// Ordered, so that a call revokes the oldest keys first.
const REVOKE: &str = "UPDATE api_keys SET revoked_at = $1 WHERE id IN (
    SELECT id FROM api_keys
    WHERE owner_issuer = $2 AND owner_subject = $3 AND revoked_at IS NULL AND created_at < $4 ORDER BY id LIMIT $5
) RETURNING id, digest";

/// See [`KeyStore::revoke_user_keys`](domain::ports::KeyStore::revoke_user_keys).
pub(super) fn revoke_user_keys(
    connection: &mut SqliteConnection,
    request: &RevokeUserKeysRequest,
) -> Result<Vec<CredentialDigest>, Undo> {
    let &RevokeUserKeysRequest { ref owner, created_before, at, max, ref cause } = request;
    let revocation = diesel::sql_query(REVOKE)
        .bind::<Instant, StoredInstant>(at.into())
        .bind::<Text, _>(owner.issuer())
        .bind::<Text, _>(owner.subject())
        .bind::<Instant, StoredInstant>(created_before.into())
        .bind::<BigInt, i64>(max.into());
    let revoked: Vec<DigestRow> = Kept(revocation).load(connection)?;
    let ids = ids_of("api_keys", &revoked, KeyId::from_bytes)?;
    write_events(connection, &cause.keys_revoked(owner, ids))?;
    Ok(digests_of("api_keys", &revoked)?)
}
