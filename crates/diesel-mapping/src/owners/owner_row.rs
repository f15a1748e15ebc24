use diesel::prelude::{Insertable, Queryable, QueryableByName, Selectable};
use domain::ports::{LookedUp, StoreError};
use domain::webhooks::OwnerNumber;
use domain::{
    CredentialDigest, Metadata, OwnerId, OwnerLimits, OwnerRates, OwnerRecord, OwnerText, SuspendedBy, Suspension,
};

use crate::StoredInstant;
use crate::place::Place;
use crate::schema::owners;

const TABLE: &str = "owners";

/// The limits in a row of `owners`. Their values are not checked yet.
#[derive(Clone, Copy, Debug, Default, Insertable, Queryable, QueryableByName, Selectable)]
#[diesel(table_name = owners, treat_none_as_default_value = false)]
pub struct LimitsRow {
    max_active_keys: Option<i64>,
    max_subscriptions: Option<i64>,
}

/// A row of `owners` as it is stored, without the owner. Its values are not checked yet.
#[derive(Clone, Debug, Default, Insertable, Queryable, QueryableByName, Selectable)]
#[diesel(table_name = owners, treat_none_as_default_value = false)]
pub struct OwnerRow {
    name: Option<String>,
    email: Option<String>,
    metadata: Option<String>,
    #[diesel(embed)]
    limits: LimitsRow,
    suspended_at: Option<StoredInstant>,
    reason: Option<String>,
    rested_until: Option<StoredInstant>,
    suspended_by: Option<String>,
    erasing_since: Option<StoredInstant>,
    key_rate_limit: Option<String>,
    request_rate_limit: Option<String>,
    seen_at: Option<StoredInstant>,
    suspends_at: Option<StoredInstant>,
}

/// The columns of an owner that verification reads. Their values are not checked yet.
#[derive(Clone, Debug, Queryable)]
pub struct StandingRow {
    suspended_at: Option<StoredInstant>,
    key_rate_limit: Option<String>,
    request_rate_limit: Option<String>,
}

/// A whole row of `owners`, to write in place of the row that is stored, or to copy.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = owners, treat_none_as_default_value = false)]
pub struct ReplacedOwnerRow {
    owner_issuer: String,
    owner_subject: String,
    number: i64,
    #[diesel(embed)]
    record: OwnerRow,
}

/// Suspensions by an identity provider, and what the column says for them. NULL is a suspension by the host.
const SUSPENDED_BY: [(SuspendedBy, &str); 2] = [(SuspendedBy::Provider, "provider"), (SuspendedBy::Both, "both")];

impl ReplacedOwnerRow {
    /// The row of this record; `None` for the default record, which has no row.
    pub fn new(owner: &OwnerId, record: &OwnerRecord) -> Option<Self> {
        if *record == OwnerRecord::default() {
            return None;
        }
        Some(Self {
            owner_issuer: owner.issuer().to_owned(),
            owner_subject: owner.subject().to_owned(),
            number: OwnerNumber::of(owner).number(),
            record: record.into(),
        })
    }
}

impl From<&OwnerRecord> for OwnerRow {
    fn from(record: &OwnerRecord) -> Self {
        let OwnerRecord {
            name,
            email,
            metadata,
            limits,
            rates,
            suspension,
            erasing_since,
            rested_until,
            seen_at,
            suspends_at,
        } = record;
        Self {
            name: name.as_ref().map(text_of),
            email: email.as_ref().map(text_of),
            metadata: metadata_json(metadata),
            limits: LimitsRow {
                max_active_keys: limits.max_active_keys.map(Into::into),
                max_subscriptions: limits.max_subscriptions.map(Into::into),
            },
            suspended_at: suspension.as_ref().map(|suspension| suspension.since.into()),
            reason: suspension.as_ref().and_then(|suspension| suspension.reason.as_ref()).map(text_of),
            rested_until: rested_until.map(Into::into),
            suspended_by: suspension.as_ref().and_then(|suspension| {
                SUSPENDED_BY.iter().find(|(by, _)| *by == suspension.by).map(|(_, stored)| (*stored).to_owned())
            }),
            erasing_since: erasing_since.map(Into::into),
            key_rate_limit: rates.key_rate_limit.map(|limit| limit.to_string()),
            request_rate_limit: rates.request_rate_limit.map(|limit| limit.to_string()),
            seen_at: seen_at.map(Into::into),
            suspends_at: suspends_at.map(Into::into),
        }
    }
}

fn text_of<const MAX: usize>(text: &OwnerText<MAX>) -> String {
    text.as_str().to_owned()
}

fn metadata_json(metadata: &Metadata) -> Option<String> {
    (!metadata.is_empty()).then(|| serde_json::to_string(metadata.pairs()).expect("strings always serialize"))
}

/// The limits of an owner with this row.
///
/// # Errors
///
/// [`StoreError::Corrupt`] when a value is not what the schema promises.
pub fn limits_in(owner: &OwnerId, row: Option<LimitsRow>) -> Result<OwnerLimits, StoreError> {
    let row = row.unwrap_or_default();
    let place = Place { table: TABLE, row: &owner.subject() };
    let limit = |column, stored: Option<i64>| place.optional(column, stored, |stored| stored.try_into().ok());
    Ok(OwnerLimits {
        max_active_keys: limit("max_active_keys", row.max_active_keys)?,
        max_subscriptions: limit("max_subscriptions", row.max_subscriptions)?,
    })
}

/// The record of an owner with this row.
///
/// # Errors
///
/// [`StoreError::Corrupt`] when a value is not what the schema promises.
pub fn record_in(owner: &OwnerId, row: Option<OwnerRow>) -> Result<OwnerRecord, StoreError> {
    let row = row.unwrap_or_default();
    let place = Place { table: TABLE, row: &owner.subject() };
    let pairs = |json: String| Metadata::new(serde_json::from_str(&json).ok()?).ok();
    let metadata = place.optional("metadata", row.metadata, pairs);
    let reason = place.optional("reason", row.reason, |text| OwnerText::parse(&text).ok())?;
    let since = place.optional_instant("suspended_at", row.suspended_at)?;
    let known = |stored: String| SUSPENDED_BY.iter().find(|(_, known)| *known == stored).map(|(by, _)| *by);
    let by = place.optional("suspended_by", row.suspended_by, known)?.unwrap_or(SuspendedBy::Host);
    Ok(OwnerRecord {
        name: place.optional("name", row.name, |text| OwnerText::parse(&text).ok())?,
        email: place.optional("email", row.email, |text| OwnerText::parse(&text).ok())?,
        metadata: metadata?.unwrap_or_default(),
        limits: limits_in(owner, Some(row.limits))?,
        rates: rates_in(place, row.key_rate_limit, row.request_rate_limit)?,
        suspension: since.map(|since| Suspension { since, reason, by }),
        erasing_since: place.optional_instant("erasing_since", row.erasing_since)?,
        rested_until: place.optional_instant("rested_until", row.rested_until)?,
        seen_at: place.optional_instant("seen_at", row.seen_at)?,
        suspends_at: place.optional_instant("suspends_at", row.suspends_at)?,
    })
}

/// A key or a session of an owner with this row.
///
/// # Errors
///
/// [`StoreError::Corrupt`] when a value is not what the schema promises.
pub fn looked_up<Stored>(
    owner: &OwnerId,
    digest: CredentialDigest,
    stored: Stored,
    row: StandingRow,
) -> Result<LookedUp<Stored>, StoreError> {
    let place = Place { table: TABLE, row: &owner.subject() };
    let rates = rates_in(place, row.key_rate_limit, row.request_rate_limit)?;
    Ok(LookedUp { digest, stored, is_suspended: row.suspended_at.is_some(), rates })
}

fn rates_in(place: Place<'_>, key: Option<String>, request: Option<String>) -> Result<OwnerRates, StoreError> {
    let rate = |column, stored: Option<String>| place.optional(column, stored, |limit| limit.parse().ok());
    Ok(OwnerRates {
        key_rate_limit: rate("key_rate_limit", key)?,
        request_rate_limit: rate("request_rate_limit", request)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_column_that_the_schema_does_not_promise() {
        let owner = OwnerId::new("https://id.example", "alice").unwrap();
        let corrupt_column = |row: OwnerRow| match record_in(&owner, Some(row)) {
            Err(StoreError::Corrupt { table: "owners", column, .. }) => Some(column),
            Err(other) => panic!("{other}"),
            Ok(_) => None,
        };
        let (row, text) = (OwnerRow::default, |text: &str| Some(text.to_owned()));
        assert_eq!(record_in(&owner, None).unwrap(), OwnerRecord::default());
        assert_eq!(corrupt_column(row()), None);
        assert_eq!(corrupt_column(OwnerRow { name: text(""), ..row() }), Some("name"));
        assert_eq!(corrupt_column(OwnerRow { email: text("\n"), ..row() }), Some("email"));
        assert_eq!(corrupt_column(OwnerRow { metadata: text("[]"), ..row() }), Some("metadata"));
        assert_eq!(corrupt_column(OwnerRow { reason: text("\0"), ..row() }), Some("reason"));
        assert_eq!(corrupt_column(OwnerRow { suspended_by: text("host"), ..row() }), Some("suspended_by"));
        assert_eq!(corrupt_column(OwnerRow { key_rate_limit: text("5"), ..row() }), Some("key_rate_limit"));
        assert_eq!(corrupt_column(OwnerRow { request_rate_limit: text("0/s"), ..row() }), Some("request_rate_limit"));
        let limits = LimitsRow { max_active_keys: Some(-1), max_subscriptions: None };
        assert_eq!(corrupt_column(OwnerRow { limits, ..row() }), Some("max_active_keys"));
    }
}
