use domain::ports::{Accepted, LoggedEvent};
use domain::webhooks::{Event, Published};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::records::event_type_record::SchemaFaultRecord;

/// A published event.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Event)]
pub(crate) struct EventRecord {
    /// Identifies the event. Receivers see it as `webhook-id`.
    #[schema(example = "evt_01h455vb4pex5vsknk084sn02q")]
    id: String,
    /// Who receives the event, by the subject (`sub`); absent if it is an organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "alice")]
    user_id: Option<String>,
    /// Who receives the event, if it is an organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "org_9ybsU1dN2dKfDkBi")]
    organization_id: Option<String>,
    /// The type of the event.
    #[serde(rename = "type")]
    #[schema(example = "invoice.paid")]
    event_type: String,
    /// When the event was published.
    #[schema(format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    created_at: String,
    /// The body that is signed and sent, byte for byte. Only in the answer about one delivery or one event.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, nullable = false)]
    payload: Option<Box<RawValue>>,
}

impl EventRecord {
    /// Leaves out the payload.
    pub(crate) fn of(event: &Event) -> Self {
        Self {
            id: event.id.to_string(),
            user_id: event.owner.user_id().map(str::to_owned),
            organization_id: event.owner.organization_id().map(str::to_owned),
            event_type: event.event_type.to_string(),
            created_at: event.created_at.to_string(),
            payload: None,
        }
    }

    /// Includes the payload.
    ///
    /// # Errors
    ///
    /// When the stored payload is not JSON.
    pub(crate) fn with_payload(event: &Event) -> Result<Self, serde_json::Error> {
        let payload = serde_json::from_slice(event.payload.bytes())?;
        Ok(Self { payload: Some(payload), ..Self::of(event) })
    }
}

/// A published event, and how many subscriptions it went to.
#[derive(Serialize, ToSchema)]
#[schema(as = LoggedEvent)]
pub(crate) struct LoggedEventRecord {
    /// The event.
    event: EventRecord,
    /// How many subscriptions it went to when it was published.
    deliveries: u32,
}

impl LoggedEventRecord {
    /// Leaves out the payload.
    pub(crate) fn of(logged: &LoggedEvent) -> Self {
        Self { event: EventRecord::of(&logged.event), deliveries: logged.deliveries }
    }

    /// Includes the payload, if it is stored.
    ///
    /// # Errors
    ///
    /// When the stored payload is not JSON.
    pub(crate) fn with_payload(logged: &LoggedEvent) -> Result<Self, serde_json::Error> {
        if logged.event.payload.bytes().is_empty() {
            return Ok(Self::of(logged));
        }
        Ok(Self { event: EventRecord::with_payload(&logged.event)?, deliveries: logged.deliveries })
    }
}

/// An accepted event.
#[derive(Serialize, ToSchema)]
pub(crate) struct PublishedEvent {
    /// The event. For a repeated event, the event that was published first.
    event: EventRecord,
    /// How many subscriptions receive the event.
    deliveries: u32,
    /// `true` when the event was published before, so that this call changed nothing. Otherwise absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    duplicate: bool,
    /// Where the data breaks the schema of its type, at most ten places. Absent if it follows the schema, or nothing is
    /// checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    warnings: Vec<SchemaFaultRecord>,
}

impl PublishedEvent {
    /// The events in their order, each with its warnings.
    pub(crate) fn of_all(published: &Published) -> Vec<Self> {
        let mut records: Vec<Self> = published.accepted.iter().map(Self::of).collect();
        for warning in &published.warnings {
            if let Some(record) = records.get_mut(warning.index) {
                record.warnings = warning.faults.iter().map(SchemaFaultRecord::of).collect();
            }
        }
        records
    }

    fn of(accepted: &Accepted) -> Self {
        Self {
            event: EventRecord::of(&accepted.event),
            deliveries: accepted.deliveries,
            duplicate: accepted.is_duplicate,
            warnings: Vec::new(),
        }
    }
}
