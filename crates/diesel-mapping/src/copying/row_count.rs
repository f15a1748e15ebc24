use diesel::deserialize::QueryableByName;
use diesel::sql_types::BigInt;

use super::CopyError;

/// The answer of [`count_all`] and [`count_first`].
#[derive(Clone, Copy, Debug, QueryableByName)]
pub struct RowCount {
    /// How many rows there are.
    #[diesel(sql_type = BigInt)]
    pub count: i64,
}

/// Counts the rows of the table.
pub fn count_all(table: &str) -> String {
    format!("SELECT count(*) AS count FROM {table}")
}

/// Counts one row at most.
pub fn count_first(table: &str) -> String {
    format!("SELECT count(*) AS count FROM (SELECT 1 AS one FROM {table} LIMIT 1) AS first")
}

/// Whether a target with rows in this table has data. A service that was started and stopped leaves its check of the
/// encryption key, which the check of the source replaces.
pub fn is_in_the_way(table: &str) -> bool {
    table != "encryption_checks"
}

/// Checks that the target has as many rows as the source.
///
/// # Errors
///
/// [`CopyError::Counts`] when it has not.
pub fn check_counted(table: &'static str, count: i64, copied: i64) -> Result<(), CopyError> {
    if copied == count { Ok(()) } else { Err(CopyError::Counts { table, count, copied }) }
}
