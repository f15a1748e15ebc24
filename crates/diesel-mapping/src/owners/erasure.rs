//! The statements of an erasure that both databases run. `$1` is the issuer of the owner, `$2` the subject, and `$3` about the
//! most rows.

use diesel::prelude::QueryableByName;
use diesel::sql_types::{Bool, Text};
use domain::OwnerId;

/// The owners with an erasure, those first who have waited longest. `$1` is the most rows.
pub const ERASING: &str = "SELECT owner_issuer, owner_subject FROM owners WHERE erasing_since IS NOT NULL
    ORDER BY erasing_since, owner_issuer, owner_subject LIMIT $1";

/// Deletes sessions.
pub const ERASE_SESSIONS: &str = "DELETE FROM sessions WHERE id IN (
    SELECT id FROM sessions WHERE owner_issuer = $1 AND owner_subject = $2 LIMIT $3)";

/// Deletes keys.
pub const ERASE_KEYS: &str = "DELETE FROM api_keys WHERE id IN (
    SELECT id FROM api_keys WHERE owner_issuer = $1 AND owner_subject = $2 AND ends_at IS NOT NULL LIMIT $3)";

/// Empties events of the audit log. Those that are to be announced wait until they are.
pub const EMPTY_EVENTS: &str = "UPDATE audit_events SET changes = '[]', address = NULL WHERE id IN (
    SELECT id FROM audit_events WHERE owner_issuer = $1 AND owner_subject = $2
        AND NOT to_announce AND (changes <> '[]' OR address IS NOT NULL) LIMIT $3)";

/// Deletes the patterns of all subscriptions.
pub const ERASE_PATTERNS: &str = "DELETE FROM webhook_patterns WHERE owner_issuer = $1 AND owner_subject = $2";

/// Deletes the subscriptions that exist, as their owner would. `$1` is the time, and the owner is `$2` and `$3`.
pub const DELETE_SUBSCRIPTIONS: &str = "UPDATE webhook_subscriptions
    SET deleted_at = $1, secret = NULL, previous_secret = NULL, previous_secret_until = NULL, options = NULL
    WHERE owner_issuer = $2 AND owner_subject = $3 AND deleted_at IS NULL";

/// Whether the owner has anything but the record.
pub const HAS_ROWS: &str = "SELECT
    EXISTS (SELECT 1 FROM sessions WHERE owner_issuer = $1 AND owner_subject = $2)
    OR EXISTS (SELECT 1 FROM api_keys WHERE owner_issuer = $1 AND owner_subject = $2 AND ends_at IS NOT NULL)
    OR EXISTS (SELECT 1 FROM webhook_subscriptions WHERE owner_issuer = $1 AND owner_subject = $2)
    OR EXISTS (SELECT 1 FROM webhook_publications WHERE owner_issuer = $1 AND owner_subject = $2)
    OR EXISTS (SELECT 1 FROM audit_events WHERE owner_issuer = $1 AND owner_subject = $2
        AND (to_announce OR changes <> '[]' OR address IS NOT NULL)) AS found";

/// A table with rows of a subscription: its name, and the column that identifies a delivery.
pub type OfSubscription = (&'static str, &'static str);

/// The tables with deliveries, pulled events and attempts.
pub const OF_SUBSCRIPTIONS: [OfSubscription; 4] = [
    ("webhook_due", "delivery_id"),
    ("webhook_pulled", "event_id"),
    ("webhook_deliveries", "id"),
    ("webhook_attempts", "delivery_id"),
];

/// The owner in a row. It is not checked yet.
#[derive(QueryableByName)]
pub struct OwnerIdRow {
    /// The issuer.
    #[diesel(sql_type = Text)]
    pub owner_issuer: String,
    /// The subject.
    #[diesel(sql_type = Text)]
    pub owner_subject: String,
}

impl OwnerIdRow {
    /// The owner; `None` if the stored values are not valid.
    pub fn owner(self) -> Option<OwnerId> {
        OwnerId::new(self.owner_issuer, self.owner_subject).ok()
    }
}

/// The row of [`HAS_ROWS`].
#[derive(QueryableByName)]
pub struct FoundRow {
    /// Whether anything was found.
    #[diesel(sql_type = Bool)]
    pub found: bool,
}
