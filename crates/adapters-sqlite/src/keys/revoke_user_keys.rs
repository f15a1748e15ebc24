use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use diesel_mapping::keys::{RevokedRow, place_of, revoked};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{Kept, StoredInstant, statement};
use domain::CredentialDigest;
use domain::ports::RevokeUserKeysRequest;

use crate::audit::write_events;
use crate::undo::Undo;

/// Ordered, so that a call revokes the oldest keys first.
fn revocation(column: &str) -> String {
    format!(
        "UPDATE api_keys SET revoked_at = $1 WHERE id IN (
            SELECT id FROM api_keys
            WHERE owner_issuer = $2 AND {column} = $3 AND revoked_at IS NULL AND created_at < $4 ORDER BY id LIMIT $5
        ) RETURNING id, digest, owner_subject"
    )
}

/// See [`KeyStore::revoke_user_keys`](domain::ports::KeyStore::revoke_user_keys).
pub(super) fn revoke_user_keys(
    connection: &mut SqliteConnection,
    request: &RevokeUserKeysRequest,
) -> Result<Vec<CredentialDigest>, Undo> {
    let &RevokeUserKeysRequest { ref of, created_before, at, max, ref cause } = request;
    let (issuer, column, subject) = place_of(of);
    let revocation = statement(revocation(column))
        .bind::<Instant, StoredInstant>(at.into())
        .bind::<Text, _>(&issuer)
        .bind::<Text, _>(subject)
        .bind::<Instant, StoredInstant>(created_before.into())
        .bind::<BigInt, i64>(max.into());
    let rows: Vec<RevokedRow> = Kept(revocation).load(connection)?;
    let (digests, events) = revoked(&issuer, &rows, cause)?;
    write_events(connection, &events)?;
    Ok(digests)
}
