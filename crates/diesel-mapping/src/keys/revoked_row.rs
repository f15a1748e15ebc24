use diesel::prelude::QueryableByName;
use diesel::sql_types::Text;
use domain::audit::{AuditEvent, Cause};
use domain::ports::{KeysOf, StoreError};
use domain::{CredentialDigest, KeyId, OwnerId};

use crate::DigestRow;

/// The issuer of the owners of these keys, the column that says whose the keys are, and its value.
pub fn place_of(of: &KeysOf) -> (String, &'static str, &str) {
    match of {
        KeysOf::Owner(owner) => (owner.issuer().to_owned(), "owner_subject", owner.subject()),
        KeysOf::Member(member) => {
            let [_, of_organizations] = OwnerId::issuers_of(member.issuer());
            (of_organizations, "created_by", member.subject())
        }
    }
}

/// A row of `RETURNING id, digest, owner_subject` of a key that was revoked.
#[derive(QueryableByName)]
pub struct RevokedRow {
    #[diesel(embed)]
    key: DigestRow,
    #[diesel(sql_type = Text)]
    owner_subject: String,
}

/// The digests of these keys of owners with the issuer, and the events of their revocation.
///
/// # Errors
///
/// [`StoreError::Corrupt`] names the first row that cannot be read.
pub fn revoked(
    issuer: &str,
    rows: &[RevokedRow],
    cause: &Cause,
) -> Result<(Vec<CredentialDigest>, Vec<AuditEvent>), StoreError> {
    let (mut digests, mut keys) = (Vec::new(), Vec::new());
    for RevokedRow { key, owner_subject } in rows {
        let row = owner_subject.clone();
        let owner = OwnerId::new(issuer, owner_subject.as_str());
        let owner = owner.map_err(|_| StoreError::Corrupt { table: "api_keys", column: "owner_subject", row })?;
        digests.push(key.digest("api_keys")?);
        keys.push((owner, key.id("api_keys", KeyId::from_bytes)?));
    }
    Ok((digests, cause.keys_revoked(keys)))
}
