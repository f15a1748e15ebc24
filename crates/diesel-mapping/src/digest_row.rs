use diesel::QueryableByName;
use diesel::sql_types::Binary;
use domain::CredentialDigest;
use domain::ports::StoreError;

use crate::place::{Hexadecimal, Place, id_bytes};

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
        id_bytes(table, "id", &self.id).map(from_bytes)
    }

    /// The digest.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] when it has not 32 bytes.
    pub fn digest(&self, table: &'static str) -> Result<CredentialDigest, StoreError> {
        stored_digest(Place { table, row: &Hexadecimal(&self.id) }, &self.digest)
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

/// The digest that is stored at this place.
///
/// # Errors
///
/// [`StoreError::Corrupt`] when it has not 32 bytes.
pub fn stored_digest(place: Place<'_>, digest: &[u8]) -> Result<CredentialDigest, StoreError> {
    place.value("digest", digest.try_into().ok().map(CredentialDigest::from_bytes))
}
