use diesel::deserialize::QueryableByName;
use diesel::prelude::Insertable;
use diesel::sql_types::{Binary, Text};
use diesel_mapping::schema::key_changes;
use domain::KeyDigest;
use domain::ports::{KeyChange, KeyChangeKind, StoreError};

/// A row of `key_changes` to insert. Its stamp is the column's default.
#[derive(Insertable)]
#[diesel(table_name = key_changes)]
pub(crate) struct NewChangeRow<'a> {
    digest: &'a [u8],
    kind: &'static str,
}

impl<'a> From<&'a KeyChange> for NewChangeRow<'a> {
    fn from(change: &'a KeyChange) -> Self {
        let kind = match change.kind {
            KeyChangeKind::Revoked => "revoked",
            KeyChangeKind::Rotated => "rotated",
        };
        Self { digest: change.digest.as_bytes(), kind }
    }
}

/// A row of `key_changes` as it is stored: nothing checked yet.
#[derive(QueryableByName)]
pub(crate) struct ChangeRow {
    #[diesel(sql_type = Binary)]
    digest: Vec<u8>,
    #[diesel(sql_type = Text)]
    kind: String,
}

impl TryFrom<ChangeRow> for KeyChange {
    type Error = StoreError;

    fn try_from(row: ChangeRow) -> Result<Self, StoreError> {
        // A change has no id, and its digest is for nobody's log.
        let corrupt = |column| StoreError::Corrupt { table: "key_changes", column, row: "unknown".into() };
        let digest = row.digest.as_slice().try_into().map(KeyDigest::from_bytes).map_err(|_| corrupt("digest"))?;
        let kind = match row.kind.as_str() {
            "revoked" => KeyChangeKind::Revoked,
            "rotated" => KeyChangeKind::Rotated,
            _ => return Err(corrupt("kind")),
        };
        Ok(Self { digest, kind })
    }
}
