use std::collections::BTreeMap;

use super::CopyError;

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

/// How many rows of each table the source has sent.
#[derive(Default)]
pub struct Expected(BTreeMap<&'static str, i64>);

impl Expected {
    /// Adds the rows of a source, and checks that the target has the sum of all sources so far.
    ///
    /// # Errors
    ///
    /// [`CopyError::Counts`] when it has not.
    pub fn check(&mut self, table: &'static str, count: i64, copied: i64) -> Result<(), CopyError> {
        let expected = self.0.entry(table).or_default();
        *expected += count;
        if copied == *expected { Ok(()) } else { Err(CopyError::Counts { table, count: *expected, copied }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_has_what_all_sources_have() {
        let mut expected = Expected::default();
        assert!(expected.check("api_keys", 3, 3).is_ok());
        assert!(expected.check("sessions", 1, 1).is_ok());
        assert!(expected.check("api_keys", 2, 5).is_ok());
        let wrong = expected.check("api_keys", 2, 6).unwrap_err().to_string();
        assert_eq!(wrong, "api_keys has 6 rows in the target and 7 in the source");
    }
}
