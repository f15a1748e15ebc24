//! The rows that are copied, one struct for each table, with all columns that both databases have.

use diesel::prelude::{Insertable, Queryable, Selectable};

use super::CopiedRow;
use crate::StoredInstant;
use crate::schema::{
    api_keys, audit_events, deliveries_by_hour, encryption_checks, event_types, owners, sessions, usage_by_hour,
    webhook_attempts, webhook_consumers, webhook_deliveries, webhook_due, webhook_events, webhook_lanes,
    webhook_patterns, webhook_publications, webhook_pulled, webhook_subscriptions,
};

/// An API key.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = api_keys, treat_none_as_default_value = false)]
pub struct KeyCopy {
    id: Vec<u8>,
    digest: Vec<u8>,
    owner_issuer: String,
    owner_subject: String,
    label: String,
    prefix: String,
    created_at: StoredInstant,
    last_used_at: Option<StoredInstant>,
    expires_at: Option<StoredInstant>,
    revoked_at: Option<StoredInstant>,
    scopes: String,
    replaced_by: Option<Vec<u8>>,
    settings: Option<String>,
    created_by: Option<String>,
}

/// What a host has set for an owner.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = owners, treat_none_as_default_value = false)]
pub struct OwnerCopy {
    owner_issuer: String,
    owner_subject: String,
    number: i64,
    name: Option<String>,
    email: Option<String>,
    metadata: Option<String>,
    max_active_keys: Option<i64>,
    max_subscriptions: Option<i64>,
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

/// How often a key was verified in an hour.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = usage_by_hour, treat_none_as_default_value = false)]
pub struct UsageCopy {
    hour: i64,
    key_id: Vec<u8>,
    good: i64,
    limited: i64,
    refused: i64,
}

/// A browser that is signed in.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = sessions, treat_none_as_default_value = false)]
pub struct SessionCopy {
    id: Vec<u8>,
    digest: Vec<u8>,
    owner_issuer: String,
    owner_subject: String,
    role: String,
    created_at: StoredInstant,
    seen_at: StoredInstant,
    expires_at: StoredInstant,
    user_agent: Option<String>,
    address: Option<String>,
    memberships: Option<String>,
}

/// The text that only the right encryption key opens. See decision 57.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = encryption_checks, treat_none_as_default_value = false)]
pub struct CheckCopy {
    id: i32,
    sealed: Vec<u8>,
}

/// A type of the catalogue.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = event_types, treat_none_as_default_value = false)]
pub struct EventTypeCopy {
    name: String,
    title: String,
    description: String,
    schema: Option<String>,
    examples: String,
    validation: String,
    visibility: String,
    deprecated_since: Option<StoredInstant>,
    replacement: Option<String>,
    archived: bool,
    version: i64,
    updated_at: StoredInstant,
    revision: i64,
}

/// A subscription, with its sealed secrets.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = webhook_subscriptions, treat_none_as_default_value = false)]
pub struct SubscriptionCopy {
    id: Vec<u8>,
    owner_issuer: String,
    owner_subject: String,
    url: String,
    events: String,
    description: String,
    status: String,
    url_set_by: Option<Vec<u8>>,
    secret: Option<Vec<u8>>,
    previous_secret: Option<Vec<u8>>,
    previous_secret_until: Option<StoredInstant>,
    created_at: StoredInstant,
    updated_at: StoredInstant,
    deleted_at: Option<StoredInstant>,
    created_by: Option<String>,
    options: Option<String>,
    filter: Option<String>,
}

/// A pattern of a subscription.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = webhook_patterns, treat_none_as_default_value = false)]
pub struct PatternCopy {
    owner_issuer: String,
    owner_subject: String,
    pattern: String,
    subscription_id: Vec<u8>,
}

/// The queue of a subscription, and the state of its receiver.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = webhook_lanes, treat_none_as_default_value = false)]
pub struct LaneCopy {
    subscription_id: Vec<u8>,
    owner: i64,
    is_open: bool,
    ready_at: Option<StoredInstant>,
    failures_in_a_row: i64,
    failing_since: Option<StoredInstant>,
    paused_until: Option<StoredInstant>,
    pause_millis: i64,
    rests_until: Option<StoredInstant>,
    last_sequence: Option<i64>,
    is_pulled: bool,
}

/// An accepted event.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = webhook_events, treat_none_as_default_value = false)]
pub struct EventCopy {
    /// Begins with the time of the publication.
    pub id: Vec<u8>,
    owner_issuer: String,
    owner_subject: String,
    event_type: String,
    payload: Vec<u8>,
    created_at: StoredInstant,
    deliveries: i64,
    trace: Option<Vec<u8>>,
}

/// The id that an event has from its publisher.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = webhook_publications, treat_none_as_default_value = false)]
pub struct PublicationCopy {
    owner_issuer: String,
    owner_subject: String,
    publisher_id: String,
    content: Vec<u8>,
    event_id: Vec<u8>,
}

/// A delivery that has not ended.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = webhook_due, treat_none_as_default_value = false)]
pub struct DueCopy {
    subscription_id: Vec<u8>,
    delivery_id: Vec<u8>,
    event_id: Vec<u8>,
    phase: i16,
    due_at: StoredInstant,
    claim: Option<i64>,
    attempts: i64,
    attempts_before_run: i64,
    run_started_at: StoredInstant,
    sequence: Option<i64>,
}

/// An event in the log of a subscription whose events are pulled.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = webhook_pulled, treat_none_as_default_value = false)]
pub struct PulledCopy {
    subscription_id: Vec<u8>,
    sequence: i64,
    event_id: Vec<u8>,
}

/// A reader of such a log.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = webhook_consumers, treat_none_as_default_value = false)]
pub struct ConsumerCopy {
    subscription_id: Vec<u8>,
    name: String,
    position: i64,
    lease: Option<i64>,
    leased_through: Option<i64>,
    leased_until: Option<StoredInstant>,
}

/// A delivery that has ended.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = webhook_deliveries, treat_none_as_default_value = false)]
pub struct DeliveryCopy {
    subscription_id: Vec<u8>,
    /// Begins with the time of the publication.
    pub id: Vec<u8>,
    event_id: Vec<u8>,
    event_type: String,
    ended: String,
    ended_at: StoredInstant,
    attempts: i64,
}

/// An attempt that has ended.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = webhook_attempts, treat_none_as_default_value = false)]
pub struct AttemptCopy {
    subscription_id: Vec<u8>,
    /// Begins with the time of the publication.
    pub delivery_id: Vec<u8>,
    number: i64,
    event_id: Vec<u8>,
    started_at: StoredInstant,
    ended_at: StoredInstant,
    failure: Option<String>,
    status: Option<i64>,
    headers: Option<String>,
    excerpt: Vec<u8>,
}

/// How the attempts of a subscription ended in an hour.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = deliveries_by_hour, treat_none_as_default_value = false)]
pub struct OutcomeCopy {
    hour: i64,
    subscription_id: Vec<u8>,
    delivered: i64,
    retried: i64,
    exhausted: i64,
}

/// A change in the audit log.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = audit_events, treat_none_as_default_value = false)]
pub struct AuditCopy {
    id: Vec<u8>,
    owner_issuer: String,
    owner_subject: String,
    actor: String,
    actor_issuer: Option<String>,
    actor_name: Option<String>,
    means: String,
    action: String,
    target: String,
    changes: String,
    request_id: Option<String>,
    address: Option<String>,
    to_announce: bool,
}

impl CopiedRow for KeyCopy {}
impl CopiedRow for OwnerCopy {}
impl CopiedRow for UsageCopy {}
impl CopiedRow for SessionCopy {}
impl CopiedRow for CheckCopy {}
impl CopiedRow for SubscriptionCopy {}
impl CopiedRow for PatternCopy {}
impl CopiedRow for PublicationCopy {}
impl CopiedRow for DeliveryCopy {}
impl CopiedRow for PulledCopy {}
impl CopiedRow for ConsumerCopy {}
impl CopiedRow for OutcomeCopy {}

impl CopiedRow for LaneCopy {
    /// The lane is due at `at`: the first claim of the target looks at it, and finds out when it next needs service.
    fn at_rest(self, at: StoredInstant) -> Self {
        let ready_at =
            self.ready_at.map(|ready_at| if ready_at.unix_millis() < at.unix_millis() { ready_at } else { at });
        Self { ready_at, ..self }
    }
}

impl CopiedRow for DueCopy {
    fn at_rest(self, at: StoredInstant) -> Self {
        if self.claim.is_some() { Self { claim: None, due_at: at, ..self } } else { self }
    }
}

impl CopiedRow for EventTypeCopy {
    fn bytes(&self) -> usize {
        self.description.len() + self.schema.as_ref().map_or(0, String::len) + self.examples.len()
    }
}

impl CopiedRow for EventCopy {
    fn bytes(&self) -> usize {
        self.payload.len()
    }
}

impl CopiedRow for AttemptCopy {
    fn bytes(&self) -> usize {
        self.excerpt.len() + self.headers.as_ref().map_or(0, String::len)
    }
}

impl CopiedRow for AuditCopy {
    fn bytes(&self) -> usize {
        self.changes.len()
    }
}
