//! Rows that are only copied, with all columns that both databases have. Rows of other tables are also inserted.

use diesel::prelude::{Insertable, Queryable, Selectable};

use super::CopiedRow;
use crate::StoredInstant;
use crate::audit::NewAuditRow;
use crate::catalogue::EventTypeRow;
use crate::keys::NewKeyRow;
use crate::owners::ReplacedOwnerRow;
use crate::schema::{
    deliveries_by_hour, encryption_checks, usage_by_hour, webhook_due, webhook_events, webhook_lanes, webhook_patterns,
    webhook_publications, webhook_pulled,
};
use crate::sessions::NewSessionRow;
use crate::webhooks::{BreakerRow, EndedRow, NewAttemptRow, NewConsumerRow, NewSubscriptionRow};

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

/// The text that only the right encryption key opens. See decision 57.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = encryption_checks, treat_none_as_default_value = false)]
pub struct CheckCopy {
    id: i32,
    sealed: Vec<u8>,
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
    #[diesel(embed)]
    breaker: BreakerRow,
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

impl CopiedRow for NewKeyRow {}
impl CopiedRow for ReplacedOwnerRow {}
impl CopiedRow for UsageCopy {}
impl CopiedRow for NewSessionRow {}
impl CopiedRow for CheckCopy {}
impl CopiedRow for NewSubscriptionRow {}
impl CopiedRow for PatternCopy {}
impl CopiedRow for PublicationCopy {}
impl CopiedRow for EndedRow {}
impl CopiedRow for PulledCopy {}
impl CopiedRow for NewConsumerRow {}
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

impl CopiedRow for EventTypeRow {
    fn bytes(&self) -> usize {
        self.description.len() + self.schema.as_ref().map_or(0, String::len) + self.examples.len()
    }
}

impl CopiedRow for EventCopy {
    fn bytes(&self) -> usize {
        self.payload.len()
    }
}

impl CopiedRow for NewAttemptRow {
    fn bytes(&self) -> usize {
        self.excerpt.len() + self.headers.as_ref().map_or(0, String::len)
    }
}

impl CopiedRow for NewAuditRow {
    fn bytes(&self) -> usize {
        self.event.changes.len()
    }
}
