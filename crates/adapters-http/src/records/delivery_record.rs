use domain::webhooks::{Delivery, DeliveryEnd, DeliveryState, DeliveryStateKind, ListedDelivery};
use serde::Serialize;
use utoipa::ToSchema;

use crate::records::attempt_record::AttemptRecord;

/// The delivery of one event to one subscription.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Delivery)]
#[expect(clippy::option_option, reason = "outside: whether it is shown; inside: whether there was an attempt")]
pub(crate) struct DeliveryRecord {
    /// Identifies the delivery.
    #[schema(example = "dlv_01h455vb4pex5vsknk084sn02q")]
    id: String,
    /// The id of the event, which the receiver sees as `webhook-id`.
    #[schema(example = "evt_01h455vb4pex5vsknk084sn02q")]
    event_id: String,
    /// The event's type.
    #[schema(example = "invoice.paid")]
    event_type: String,
    /// The subscription that receives the event.
    #[schema(example = "sub_01h455vb4pex5vsknk084sn02q")]
    subscription_id: String,
    /// `waiting`, `sending`, `delivered`, `failed`, `cancelled` or `missed`: the subscription was disabled when the event was
    /// published.
    #[schema(example = "delivered")]
    state: &'static str,
    /// Why the delivery failed or was cancelled: `schedule_spent`, `subscription_disabled`, `unreadable`, `cancelled` or
    /// `subscription_deleted`. Absent in other states.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reason: Option<&'static str>,
    /// How many attempts have started.
    attempts: u32,
    /// When the next attempt is due; `null` unless the delivery waits.
    #[schema(format = DateTime, required)]
    next_attempt_at: Option<String>,
    /// When the event was published.
    #[schema(format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    created_at: String,
    /// When the delivery ended; `null` until then.
    #[schema(format = DateTime, required)]
    completed_at: Option<String>,
    /// The attempt with the highest number that has ended; `null` before the first. Only in lists of deliveries.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_attempt: Option<Option<AttemptRecord>>,
}

impl DeliveryRecord {
    pub(crate) fn of(delivery: &Delivery) -> Self {
        let kind = delivery.state.kind();
        let (next_attempt_at, end, completed_at) = match delivery.state {
            DeliveryState::Waiting(due_at) => (Some(due_at), None, None),
            DeliveryState::Sending(_) => (None, None, None),
            DeliveryState::Ended { end, at } => (None, Some(end), Some(at)),
        };
        Self {
            id: delivery.id.to_string(),
            event_id: delivery.event_id.to_string(),
            event_type: delivery.event_type.to_string(),
            subscription_id: delivery.subscription_id.to_string(),
            state: kind.as_str(),
            reason: end
                .filter(|_| matches!(kind, DeliveryStateKind::Failed | DeliveryStateKind::Cancelled))
                .map(DeliveryEnd::code),
            attempts: delivery.attempts,
            next_attempt_at: next_attempt_at.map(|at| at.to_string()),
            created_at: delivery.created_at.to_string(),
            completed_at: completed_at.map(|at| at.to_string()),
            last_attempt: None,
        }
    }

    /// Includes the last attempt.
    pub(crate) fn listed(listed: &ListedDelivery) -> Self {
        let last_attempt = listed.last_attempt.as_ref().map(AttemptRecord::of);
        Self { last_attempt: Some(last_attempt), ..Self::of(&listed.delivery) }
    }
}

/// The delivery after a change.
#[derive(Serialize, ToSchema)]
pub(crate) struct ChangedDelivery {
    /// The delivery.
    delivery: DeliveryRecord,
}

impl ChangedDelivery {
    pub(crate) fn of(delivery: &Delivery) -> Self {
        Self { delivery: DeliveryRecord::of(delivery) }
    }
}
