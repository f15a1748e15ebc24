use diesel::prelude::QueryableByName;
use diesel::sql_types::{BigInt, Bool, Text};
use domain::ports::StoreError;
use domain::{FoundBy, FoundOwner, OWNER_COUNT_MAX, OwnerCounts, OwnerId, OwnerPlace, OwnerRead, OwnersRead};

use super::owner_row::{OwnerRow, record_in};

/// The words in which the databases read places of owners.
#[derive(Clone, Copy, Debug)]
pub struct PlaceWords {
    /// Comes before the number of a parameter.
    pub parameter: char,
    /// Follows a string to compare it by its bytes.
    pub bytewise: &'static str,
    /// The folded name: [`OwnerQuery::fold`](domain::OwnerQuery::fold).
    pub name: &'static str,
    /// The folded address.
    pub email: &'static str,
    /// The owners of anything behind subject 2 and issuer 3, with parameter 1 as text.
    pub known: &'static str,
    /// Joins the row of the owner `place` as `owner`, by a look-up for each.
    pub join: &'static str,
    /// Whether anything of the owner `place` is stored, whose record is `owner`.
    pub is_known: &'static str,
}

impl PlaceWords {
    /// Finds owners behind text 1, subject 2 and issuer 3, in the order of [`OwnerPlace`], by an index with this order: at
    /// most as many as parameter 4 says. The constant limit tells planners that they are few.
    pub fn statement(self, by: FoundBy) -> String {
        let Self { parameter: p, bytewise: c, name, email, known, join, is_known } = self;
        let (max, owner) = (OwnerRead::MAX, format!("owner_subject{c}, owner_issuer{c}"));
        let behind_text = |text: &str, from: &str| {
            format!(
                "SELECT {text} AS text, owner_subject, owner_issuer FROM {from}
                    ({text}, {owner}) > ({p}1, {p}2, {p}3) ORDER BY {text}, {owner}"
            )
        };
        let places = match by {
            FoundBy::Suspension => format!(
                "SELECT {p}1 AS text, owner_subject, owner_issuer FROM owners WHERE suspended_at IS NOT NULL
                    AND ({owner}) > ({p}2, {p}3) ORDER BY {owner}"
            ),
            FoundBy::Id => known.to_owned(),
            FoundBy::Name => behind_text(name, "owners WHERE name IS NOT NULL AND"),
            FoundBy::Email => behind_text(email, "owners WHERE email IS NOT NULL AND"),
            FoundBy::Key => behind_text(&format!("prefix{c}"), "api_keys WHERE"),
        };
        format!(
            "SELECT place.text, place.owner_subject, place.owner_issuer, {is_known} AS is_known,
                owner.name, owner.email, owner.metadata, owner.max_active_keys, owner.max_subscriptions,
                owner.suspended_at, owner.reason, owner.rested_until, owner.suspended_by,
                owner.erasing_since, owner.key_rate_limit, owner.request_rate_limit, owner.seen_at, owner.suspends_at
            FROM (SELECT * FROM ({places} LIMIT {max}) AS few LIMIT {p}4) AS place {join}
            ORDER BY place.text{c}, place.owner_subject{c}, place.owner_issuer{c}"
        )
    }
}

/// A row of [`PlaceWords::statement`]. Its values are not checked yet.
#[derive(Debug, QueryableByName)]
pub struct PlaceRow {
    #[diesel(sql_type = Text)]
    text: String,
    #[diesel(sql_type = Text)]
    owner_subject: String,
    #[diesel(sql_type = Text)]
    owner_issuer: String,
    #[diesel(sql_type = Bool)]
    is_known: bool,
    #[diesel(embed)]
    record: OwnerRow,
}

/// What the store has read.
///
/// # Errors
///
/// [`StoreError::Corrupt`] when a value is not what the schema promises.
pub fn owners_read(read: &OwnerRead, rows: Vec<PlaceRow>) -> Result<OwnersRead, StoreError> {
    let mut answer = OwnersRead::default();
    let is_cut = rows.len() >= read.max as usize;
    for row in rows {
        let PlaceRow { text, owner_subject, owner_issuer, is_known, record } = row;
        let corrupt = |_| StoreError::Corrupt { table: "owners", column: "owner_subject", row: owner_subject.clone() };
        let owner = OwnerId::new(owner_issuer, owner_subject.as_str()).map_err(corrupt)?;
        let place = OwnerPlace::of(&owner, read.by, text);
        answer.end = is_cut.then(|| place.clone());
        if is_known {
            let record = record_in(&owner, Some(record))?;
            answer.found.push(FoundOwner { place, owner, record });
        }
    }
    Ok(answer)
}

/// Counts what each owner of the table `asked` has, up to `$2`, at the instant `$1`. The condition on `ends_at` serves the
/// index, as in [`count_active`](crate::keys::count_active).
pub fn count_statement(asked: &str) -> String {
    const ENABLED: &str = "SELECT lane.failing_since FROM webhook_subscriptions AS subscription
        JOIN webhook_lanes AS lane ON lane.subscription_id = subscription.id
        WHERE subscription.owner_issuer = asked.owner_issuer AND subscription.owner_subject = asked.owner_subject
            AND subscription.deleted_at IS NULL AND lane.is_open";
    format!(
        "SELECT (SELECT count(*) FROM (
                SELECT 1 FROM api_keys AS key
                WHERE key.owner_issuer = asked.owner_issuer AND key.owner_subject = asked.owner_subject
                    AND key.ends_at > $1 AND key.revoked_at IS NULL AND key.replaced_by IS NULL LIMIT $2
            ) AS active) AS active,
            (SELECT count(*) FROM ({ENABLED} LIMIT $2) AS enabled) AS enabled,
            (SELECT count(*) FROM ({ENABLED} AND lane.failing_since IS NOT NULL LIMIT $2) AS failing) AS failing
        FROM {asked}"
    )
}

/// A row of [`count_statement`].
#[derive(Clone, Copy, Debug, QueryableByName)]
pub struct CountsRow {
    #[diesel(sql_type = BigInt)]
    active: i64,
    #[diesel(sql_type = BigInt)]
    enabled: i64,
    #[diesel(sql_type = BigInt)]
    failing: i64,
}

impl From<CountsRow> for OwnerCounts {
    fn from(row: CountsRow) -> Self {
        let count = |count: i64| u32::try_from(count).unwrap_or(OWNER_COUNT_MAX);
        Self {
            active_keys: count(row.active),
            enabled_subscriptions: count(row.enabled),
            failing_subscriptions: count(row.failing),
        }
    }
}
