use diesel::prelude::Insertable;
use diesel_mapping::StoredInstant;
use diesel_mapping::schema::webhook_attempts;
use diesel_mapping::webhooks::stored_headers;
use domain::webhooks::AttemptRecord;
use domain::{DeliveryId, EventId, SubscriptionId};

/// A row of `webhook_attempts` to insert.
#[derive(Debug, Insertable)]
#[diesel(table_name = webhook_attempts, treat_none_as_default_value = false)]
pub(super) struct NewAttemptRow<'a> {
    subscription_id: &'a [u8],
    delivery_id: &'a [u8],
    number: i64,
    event_id: &'a [u8],
    started_at: StoredInstant,
    ended_at: StoredInstant,
    failure: Option<String>,
    status: Option<i64>,
    headers: Option<String>,
    excerpt: &'a [u8],
}

impl<'a> NewAttemptRow<'a> {
    /// The row of `attempt`, an attempt to deliver `event`.
    pub(super) fn new(
        subscription: &'a SubscriptionId,
        delivery: &'a DeliveryId,
        event: &'a EventId,
        attempt: &'a AttemptRecord,
    ) -> Self {
        Self {
            subscription_id: subscription.as_bytes(),
            delivery_id: delivery.as_bytes(),
            number: attempt.number.into(),
            event_id: event.as_bytes(),
            started_at: attempt.started_at.into(),
            ended_at: attempt.ended_at().into(),
            failure: attempt.failure.map(|reason| reason.code().to_owned()),
            status: attempt.status.map(Into::into),
            headers: stored_headers(attempt).map(str::to_owned),
            excerpt: &attempt.excerpt,
        }
    }
}
