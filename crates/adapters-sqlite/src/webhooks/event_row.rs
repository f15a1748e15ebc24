use diesel::prelude::Insertable;
use diesel_mapping::StoredInstant;
use diesel_mapping::schema::webhook_events;
use domain::TraceContext;
use domain::webhooks::NewEvent;

/// A row of `webhook_events` to insert.
#[derive(Debug, Insertable)]
#[diesel(table_name = webhook_events, treat_none_as_default_value = false)]
pub(super) struct NewEventRow<'a> {
    id: &'a [u8],
    owner_issuer: &'a str,
    owner_subject: &'a str,
    event_type: &'a str,
    payload: &'a [u8],
    created_at: StoredInstant,
    deliveries: i64,
    trace: Option<Vec<u8>>,
}

impl<'a> NewEventRow<'a> {
    /// The row of `new`, which has this number of deliveries. Without a payload to keep it is empty, because it is never
    /// read.
    pub(super) fn new(new: &'a NewEvent, deliveries: u32, keeps_payload: bool) -> Self {
        let event = &new.event;
        Self {
            id: event.id.as_bytes(),
            owner_issuer: event.owner.issuer(),
            owner_subject: event.owner.subject(),
            event_type: event.event_type.as_str(),
            payload: if keeps_payload { event.payload.bytes() } else { &[] },
            created_at: event.created_at.into(),
            deliveries: deliveries.into(),
            trace: new.trace.map(TraceContext::to_bytes).map(Vec::from),
        }
    }
}
