use std::fmt::Write;

use diesel::QueryableByName;
use diesel::sql_types::Binary;
use domain::CredentialDigest;
use domain::ports::StoreError;

/// A row of `RETURNING id, digest`.
#[derive(QueryableByName)]
pub struct DigestRow {
    #[diesel(sql_type = Binary)]
    id: Vec<u8>,
    #[diesel(sql_type = Binary)]
    digest: Vec<u8>,
}

impl DigestRow {
    /// The id, which `from_bytes` makes.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] when it has not 16 bytes.
    pub fn id<Id>(&self, table: &'static str, from_bytes: fn([u8; 16]) -> Id) -> Result<Id, StoreError> {
        let corrupt = |_| StoreError::Corrupt { table, column: "id", row: hexadecimal(&self.id) };
        self.id.as_slice().try_into().map(from_bytes).map_err(corrupt)
    }

    /// The digest.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] when it has not 32 bytes.
    pub fn digest(&self, table: &'static str) -> Result<CredentialDigest, StoreError> {
        stored_digest(table, || hexadecimal(&self.id), &self.digest)
    }
}

/// The digests of these rows of `table`.
///
/// # Errors
///
/// [`StoreError::Corrupt`] names the first row with a digest that has not 32 bytes.
pub fn digests_of(table: &'static str, rows: &[DigestRow]) -> Result<Vec<CredentialDigest>, StoreError> {
    rows.iter().map(|row| row.digest(table)).collect()
}

/// The ids of these rows of `table`, which `from_bytes` makes.
///
/// # Errors
///
/// [`StoreError::Corrupt`] names the first row with an id that has not 16 bytes.
pub fn ids_of<Id>(
    table: &'static str,
    rows: &[DigestRow],
    from_bytes: fn([u8; 16]) -> Id,
) -> Result<Vec<Id>, StoreError> {
    rows.iter().map(|row| row.id(table, from_bytes)).collect()
}

/// The digest that is stored in this row of `table`.
///
/// # Errors
///
/// [`StoreError::Corrupt`] when it has not 32 bytes.
pub fn stored_digest(
    table: &'static str,
    row: impl FnOnce() -> String,
    digest: &[u8],
) -> Result<CredentialDigest, StoreError> {
    let digest = digest.try_into().map(CredentialDigest::from_bytes);
    digest.map_err(|_| StoreError::Corrupt { table, column: "digest", row: row() })
}

/// The bytes of an id that may be invalid, for errors.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold("0x".to_owned(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
