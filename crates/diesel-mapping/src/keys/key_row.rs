use diesel::prelude::{Insertable, Queryable, Selectable};
use domain::ports::StoreError;
use domain::{ApiKey, CredentialDigest, KeyId, Label, OwnerId, Scopes};

use super::settings_json::{settings_json, settings_of};
use crate::StoredInstant;
use crate::digest_row::stored_digest;
use crate::place::{Place, id_bytes};
use crate::schema::api_keys;

const TABLE: &str = "api_keys";

/// A row of `api_keys` as it is stored, without the digest, which few queries need. Its values are not checked yet.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = api_keys, treat_none_as_default_value = false)]
pub struct KeyRow {
    owner_issuer: String,
    owner_subject: String,
    #[diesel(embed)]
    key: ListedRow,
}

/// The row of a key of a known owner, without the owner.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = api_keys, treat_none_as_default_value = false)]
pub struct ListedRow {
    id: Vec<u8>,
    label: String,
    prefix: String,
    created_at: StoredInstant,
    last_used_at: Option<StoredInstant>,
    expires_at: Option<StoredInstant>,
    revoked_at: Option<StoredInstant>,
    scopes: String,
    replaced_by: Option<Vec<u8>>,
    settings: Option<String>,
    created_by: Option<String>,
}

/// A whole row of `api_keys`, to insert or to copy.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = api_keys, treat_none_as_default_value = false)]
pub struct NewKeyRow {
    digest: Vec<u8>,
    #[diesel(embed)]
    key: KeyRow,
}

impl NewKeyRow {
    /// The row of `key` under `digest`.
    pub fn new(key: &ApiKey, digest: &CredentialDigest) -> Self {
        let row = KeyRow {
            owner_issuer: key.owner.issuer().to_owned(),
            owner_subject: key.owner.subject().to_owned(),
            key: key.into(),
        };
        Self { digest: digest.as_bytes().to_vec(), key: row }
    }
}

impl From<&ApiKey> for ListedRow {
    fn from(key: &ApiKey) -> Self {
        Self {
            id: key.id.as_bytes().to_vec(),
            label: key.label.as_str().to_owned(),
            prefix: key.prefix.clone(),
            created_at: key.created_at.into(),
            last_used_at: key.last_used_at.map(Into::into),
            expires_at: key.expires_at.map(Into::into),
            revoked_at: key.revoked_at.map(Into::into),
            scopes: key.scopes.as_str().to_owned(),
            replaced_by: key.replaced_by.map(|id| id.as_bytes().to_vec()),
            settings: settings_json(&key.settings),
            created_by: key.created_by.as_ref().map(|member| member.subject().to_owned()),
        }
    }
}

/// The keys of these rows of one owner.
///
/// # Errors
///
/// [`StoreError::Corrupt`] names the first row with a value that the schema does not promise.
pub fn keys_of_owner(owner: &OwnerId, rows: Vec<ListedRow>) -> Result<Vec<ApiKey>, StoreError> {
    rows.into_iter().map(|row| row.key_of(|| Some(owner.clone()))).collect()
}

/// The digest that is stored with `key`.
///
/// # Errors
///
/// [`StoreError::Corrupt`] when there are not 32 bytes.
pub fn digest_of(key: KeyId, bytes: &[u8]) -> Result<CredentialDigest, StoreError> {
    stored_digest(Place { table: TABLE, row: &key }, bytes)
}

impl TryFrom<KeyRow> for ApiKey {
    type Error = StoreError;

    fn try_from(row: KeyRow) -> Result<Self, StoreError> {
        row.key.key_of(|| OwnerId::new(row.owner_issuer, row.owner_subject).ok())
    }
}

impl ListedRow {
    /// The key, with the owner that `owner` returns; it returns `None` if the stored one is not valid.
    fn key_of(self, owner: impl FnOnce() -> Option<OwnerId>) -> Result<ApiKey, StoreError> {
        let row = self;
        let id = id_bytes(TABLE, "id", &row.id).map(KeyId::from_bytes)?;
        let place = Place { table: TABLE, row: &id };
        let key_id = |bytes: Vec<u8>| bytes.try_into().ok().map(KeyId::from_bytes);
        let owner = place.value("owner_subject", owner())?;
        let created_by = place.optional("created_by", row.created_by, |subject| owner.fellow(&subject).ok());
        Ok(ApiKey {
            id,
            created_at: place.instant("created_at", row.created_at)?,
            last_used_at: place.optional_instant("last_used_at", row.last_used_at)?,
            expires_at: place.optional_instant("expires_at", row.expires_at)?,
            revoked_at: place.optional_instant("revoked_at", row.revoked_at)?,
            label: place.value("label", Label::parse(&row.label).ok())?,
            owner,
            prefix: row.prefix,
            scopes: place.value("scopes", Scopes::parse(&row.scopes).ok())?,
            replaced_by: place.optional("replaced_by", row.replaced_by, key_id)?,
            settings: place.optional("settings", row.settings, |json| settings_of(&json))?.unwrap_or_default(),
            created_by: created_by?,
        })
    }
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;

    use super::*;

    fn row() -> KeyRow {
        let key = ListedRow {
            id: vec![7; 16],
            label: "CI".into(),
            prefix: "svc_live_abc...".into(),
            created_at: Timestamp::MIN.into(),
            last_used_at: None,
            expires_at: Some(Timestamp::MAX.into()),
            revoked_at: None,
            scopes: "orders:read".into(),
            replaced_by: Some(vec![8; 16]),
            settings: None,
            created_by: Some("bob".into()),
        };
        KeyRow { owner_issuer: "https://id.example".into(), owner_subject: "alice".into(), key }
    }

    fn corrupt_column(change: impl Fn(&mut KeyRow)) -> Option<&'static str> {
        let mut row = row();
        change(&mut row);
        match ApiKey::try_from(row) {
            Err(StoreError::Corrupt { table: "api_keys", column, row }) if !row.is_empty() => Some(column),
            Err(other) => panic!("{other}"),
            Ok(_) => None,
        }
    }

    #[test]
    fn names_the_column_that_the_schema_does_not_promise() {
        let infinity = StoredInstant::from(Timestamp::MAX);
        assert!(infinity.timestamp().is_some());
        assert_eq!(corrupt_column(|_| ()), None);
        assert_eq!(corrupt_column(|row| row.key.id.truncate(15)), Some("id"));
        assert_eq!(corrupt_column(|row| row.key.label = " ".into()), Some("label"));
        assert_eq!(corrupt_column(|row| row.owner_subject.clear()), Some("owner_subject"));
        assert_eq!(corrupt_column(|row| row.key.scopes = "a  b".into()), Some("scopes"));
        assert_eq!(corrupt_column(|row| row.key.created_by = Some("\0".into())), Some("created_by"));
        assert_eq!(corrupt_column(|row| row.key.replaced_by = Some(vec![8; 17])), Some("replaced_by"));
        assert_eq!(corrupt_column(|row| row.key.settings = Some("{".into())), Some("settings"));
    }
}
