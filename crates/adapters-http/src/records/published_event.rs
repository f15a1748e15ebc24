use domain::ports::Accepted;
use serde::Serialize;
use utoipa::ToSchema;

use crate::records::event_record::EventRecord;

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
}

impl PublishedEvent {
    pub(crate) fn of(accepted: &Accepted) -> Self {
        Self {
            event: EventRecord::of(&accepted.event),
            deliveries: accepted.deliveries,
            duplicate: accepted.is_duplicate,
        }
    }
}
