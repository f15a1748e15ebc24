use std::collections::BTreeMap;

use domain::{OwnerKind, RateLimit, Suspension};
use serde::Serialize;
use utoipa::ToSchema;

use crate::records::key_record::{Text, metadata_schema};

/// What the operator has set for a user or an organization.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Owner)]
pub(crate) struct OwnerRecord {
    /// The name, for people. It identifies nothing. `null` if none is set.
    #[schema(required = true, example = "Acme Ltd")]
    name: Option<String>,
    /// The e-mail address, for people. It identifies nothing. `null` if none is set.
    #[schema(required = true, example = "it@acme.example")]
    email: Option<String>,
    /// Pairs for your application.
    #[schema(schema_with = metadata_schema)]
    metadata: BTreeMap<String, String>,
    /// The most active keys. `null`: `API_KEYS_MAX_ACTIVE` holds.
    #[schema(required = true, example = 50)]
    max_active_keys: Option<u32>,
    /// The most subscriptions. `null`: `WEBHOOK_MAX_SUBSCRIPTIONS` holds.
    #[schema(required = true, example = 20)]
    max_subscriptions: Option<u32>,
    /// How often each key may be used. `null`: `RATE_LIMIT` holds.
    #[schema(value_type = Option<String>, required = true, example = "100/s")]
    key_rate_limit: Option<Text<RateLimit>>,
    /// How often the owner may call. `null`: `USER_RATE_LIMIT` holds.
    #[schema(value_type = Option<String>, required = true, example = "6000/m")]
    request_rate_limit: Option<Text<RateLimit>>,
    /// Whether the owner may act.
    state: OwnerState,
    /// The last sign-in of the user, up to a day late. Absent for organizations, and without `OWNER_SEEN_WITHIN_DAYS`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    last_seen_at: Option<String>,
    /// The announced time at which the user is suspended, without a sign-in before. Absent without an announcement.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    suspends_at: Option<String>,
}

/// Whether an owner may act.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OwnerState {
    /// `active`, `suspended`, or `erasing`: suspended, until everything of the owner is erased.
    #[schema(example = "suspended")]
    state: &'static str,
    /// Why the owner is suspended; absent if no reason was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "unpaid")]
    reason: Option<String>,
    /// When the owner was suspended; absent if the owner is active.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "2026-11-21T01:42:03.120Z")]
    since: Option<String>,
}

/// A user or an organization in a list.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListedOwner {
    /// Whether it is a user or an organization.
    kind: ListedOwnerKind,
    /// The user's `sub` at the configured issuer, or the organization's id.
    #[schema(example = "org_9ybsU1dN2dKfDkBi")]
    id: String,
    #[serde(flatten)]
    record: OwnerRecord,
    /// How many keys are active, disabled ones too: at most 1,000.
    #[schema(example = 3)]
    active_keys: u32,
    /// How many subscriptions are enabled: at most 1,000.
    #[schema(example = 2)]
    enabled_subscriptions: u32,
    /// How many of these failed at their last attempt.
    #[schema(example = 0)]
    failing_subscriptions: u32,
}

/// The kind of an owner.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OwnerKind)]
enum ListedOwnerKind {
    User,
    Organization,
}

impl ListedOwner {
    pub(crate) fn of(listed: domain::ListedOwner) -> Self {
        let domain::ListedOwner { found, counts } = listed;
        Self {
            kind: match found.owner.kind() {
                OwnerKind::User => ListedOwnerKind::User,
                OwnerKind::Organization => ListedOwnerKind::Organization,
            },
            id: found.owner.subject().to_owned(),
            record: OwnerRecord::of(found.record),
            active_keys: counts.active_keys,
            enabled_subscriptions: counts.enabled_subscriptions,
            failing_subscriptions: counts.failing_subscriptions,
        }
    }
}

impl OwnerRecord {
    pub(crate) fn of(record: domain::OwnerRecord) -> Self {
        let domain::OwnerRecord { name, email, metadata, limits, rates, suspension, erasing_since, .. } = record;
        Self {
            name: name.map(|name| name.as_str().to_owned()),
            email: email.map(|email| email.as_str().to_owned()),
            metadata: metadata.pairs().clone(),
            max_active_keys: limits.max_active_keys,
            max_subscriptions: limits.max_subscriptions,
            key_rate_limit: rates.key_rate_limit.map(Text),
            request_rate_limit: rates.request_rate_limit.map(Text),
            state: OwnerState::of(suspension.as_ref(), erasing_since.is_some()),
            last_seen_at: record.seen_at.map(|at| at.to_string()),
            suspends_at: record.suspends_at.map(|at| at.to_string()),
        }
    }
}

impl OwnerState {
    fn of(suspension: Option<&Suspension>, is_erasing: bool) -> Self {
        Self {
            state: match suspension {
                _ if is_erasing => "erasing",
                Some(_) => "suspended",
                None => "active",
            },
            reason: suspension.and_then(Suspension::shown_reason),
            since: suspension.map(|suspension| suspension.since.to_string()),
        }
    }
}
