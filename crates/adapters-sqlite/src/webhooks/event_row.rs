use diesel::prelude::Insertable;
use diesel_mapping::StoredInstant;
use diesel_mapping::schema::webhook_events;
use domain::TraceContext;
use domain::webhooks::NewEvent;

/// A row of `webhook_events` to insert.
#[derive(Debug, Insertable)]
#[diesel(table_name = webhook_events)]
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
    /// The row of `new`, which has this number of deliveries. Without deliveries the payload is empty, because it is
    /// never read.
    pub(super) fn new(new: &'a NewEvent, deliveries: u32) -> Self {
        let event = &new.event;
        Self {
            id: event.id.as_bytes(),
            owner_issuer: event.owner.issuer(),
            owner_subject: event.owner.subject(),
            event_type: event.event_type.as_str(),
            payload: if deliveries == 0 { &[] } else { event.payload.bytes() },
            created_at: event.created_at.into(),
            deliveries: deliveries.into(),
            trace: new.trace.map(TraceContext::to_bytes).map(Vec::from),
        }
    }
}
