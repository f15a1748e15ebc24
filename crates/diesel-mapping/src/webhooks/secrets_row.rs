use std::fmt;

use diesel::prelude::{AsChangeset, Insertable, Queryable, QueryableByName, Selectable};
use diesel::sql_types::Binary;
use domain::SubscriptionId;
use domain::ports::StoreError;
use domain::webhooks::{SealedSecret, SealedSecrets};

use super::options_json::{options_of, stored_options};
use crate::StoredInstant;
use crate::place::Place;
use crate::schema::webhook_subscriptions;

/// The sealed secrets and options of a row of `webhook_subscriptions`, to read and to write. Their values are not checked yet.
#[derive(AsChangeset, Clone, Insertable, PartialEq, Eq, Queryable, QueryableByName, Selectable)]
#[diesel(table_name = webhook_subscriptions, treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct SecretsRow {
    secret: Option<Vec<u8>>,
    previous_secret: Option<Vec<u8>>,
    previous_secret_until: Option<StoredInstant>,
    options: Option<String>,
}

impl SecretsRow {
    /// The secrets of a deleted subscription: none.
    pub const NONE: Self = Self { secret: None, previous_secret: None, previous_secret_until: None, options: None };

    /// The secrets of `subscription`, which must not be deleted.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] when there is no secret, when a previous secret has no end, or when the options
    /// are not JSON of this version.
    pub fn secrets(self, subscription: SubscriptionId) -> Result<SealedSecrets, StoreError> {
        let place = Place { table: "webhook_subscriptions", row: &subscription };
        let until = place.optional_instant("previous_secret_until", self.previous_secret_until)?;
        let previous = self.previous_secret.map(|secret| {
            let until = place.value("previous_secret_until", until)?;
            Ok((SealedSecret::from_bytes(secret), until))
        });
        let current = place.value("secret", self.secret)?;
        let options = place.value("options", options_of(self.options.as_deref()))?;
        Ok(SealedSecrets { current: SealedSecret::from_bytes(current), previous: previous.transpose()?, options })
    }
}

impl From<&SealedSecrets> for SecretsRow {
    fn from(secrets: &SealedSecrets) -> Self {
        let bytes = |secret: &SealedSecret| secret.as_bytes().to_vec();
        Self {
            secret: Some(bytes(&secrets.current)),
            previous_secret: secrets.previous.as_ref().map(|(secret, _)| bytes(secret)),
            previous_secret_until: secrets.previous.as_ref().map(|(_, until)| (*until).into()),
            options: stored_options(&secrets.options),
        }
    }
}

impl fmt::Debug for SecretsRow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SecretsRow")
    }
}

/// Stores the check `$1` if there is none.
pub const INSERT_CHECK: &str = "INSERT INTO encryption_checks (id, sealed) VALUES (1, $1) ON CONFLICT (id) DO NOTHING";

/// Stores the check `$1` if the check is `$2`.
pub const REPLACE_CHECK: &str = "UPDATE encryption_checks SET sealed = $1 WHERE id = 1 AND sealed = $2";

/// The check.
pub const FIND_CHECK: &str = "SELECT sealed FROM encryption_checks WHERE id = 1";

/// The row of `encryption_checks`. See decision 57.
#[derive(QueryableByName)]
pub struct CheckRow {
    #[diesel(sql_type = Binary)]
    sealed: Vec<u8>,
}

impl From<CheckRow> for SealedSecret {
    fn from(row: CheckRow) -> Self {
        Self::from_bytes(row.sealed)
    }
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;

    use super::*;

    #[test]
    fn secrets_read_back_and_what_is_missing_is_named() {
        let id = SubscriptionId::from_bytes([1; 16]);
        let secret = |byte| SealedSecret::from_bytes(vec![byte; 3]);
        for previous in [None, Some((secret(2), Timestamp::MAX))] {
            let secrets = SealedSecrets { previous, ..SealedSecrets::of(secret(1)) };
            assert_eq!(SecretsRow::from(&secrets).secrets(id).unwrap(), secrets);
        }
        let dangling = SecretsRow { previous_secret: Some(vec![2]), secret: Some(vec![1]), ..SecretsRow::NONE };
        let unknown = SecretsRow { secret: Some(vec![1]), options: Some("?".into()), ..SecretsRow::NONE };
        for (wrong, row) in [("secret", SecretsRow::NONE), ("previous_secret_until", dangling), ("options", unknown)] {
            let corrupt = row.secrets(id);
            assert!(matches!(corrupt, Err(StoreError::Corrupt { column, .. }) if column == wrong), "{corrupt:?}");
        }
    }
}
