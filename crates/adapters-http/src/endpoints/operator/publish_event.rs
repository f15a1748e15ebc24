//! Publishes events, one or many.

use actix_web::HttpResponse;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::bodies::event_json::{EventJson, EventListJson};
use crate::callers::operator::OperatorCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::field_fault::FieldFault;
use crate::errors::refusals::of_publication;
use crate::records::event_record::PublishedEvent;
use crate::settings::LARGEST_BODY_BYTES;

/// How much larger than its payload a body may be, in bytes.
const ENVELOPE_SIZE_BYTES_MAX: usize = 16 * 1024;

/// The event to publish.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what `EventJson` reads")]
pub(super) struct PublishEvent {
    /// The user that the event belongs to, by the `sub` at the configured issuer. An unknown user has no subscriptions,
    /// so the event has no deliveries. Either this or `organizationId` is required.
    #[schema(rename = "userId", example = "alice")]
    user_id: Option<String>,
    /// The organization that the event belongs to, in place of a user.
    #[schema(rename = "organizationId")]
    organization_id: Option<String>,
    /// The type of the event: 1 to 128 of `A-Z a-z 0-9 _ . : / -`. Must start and end with a letter or digit.
    #[schema(rename = "type", example = "invoice.paid", min_length = 1)]
    event_type: String,
    /// The data for the receivers: any JSON value, delivered byte for byte.
    #[schema(example = json!({"invoice": "in_1", "total": 12.50}))]
    data: Value,
    /// The publisher's id of the event, 1 to 256 characters. Publishing the same event again with this id changes
    /// nothing.
    #[schema(example = "invoice-in_1-paid", min_length = 1)]
    id: Option<String>,
}

/// Publishes an event.
///
/// After a success, every matching, enabled subscription of the user or organization receives the signed event at least once, unless
/// the retries run out, the subscription is disabled or deleted, or the delivery is cancelled.
///
/// With an `id`, publishing is safe to repeat. If an event with the same `id`, owner, `type` and exactly the same bytes
/// of `data` exists, the answer is that event with `duplicate: true`. If the `type` or the `data` differ, the answer is
/// a 409. The service remembers an id as long as its event, for `WEBHOOK_RETENTION_DAYS`. Without an `id`, each call
/// publishes a new event.
#[utoipa::path(
    post,
    path = "/api/operator/events",
    request_body = PublishEvent,
    responses((status = 202, description = "The event is accepted and stored", body = PublishedEvent), Errors),
)]
pub(super) async fn publish_event(mut call: OperatorCall) -> Result<HttpResponse, ApiError> {
    let payload_bytes_max = call.api().webhooks.policy().max_payload_bytes();
    let body = call.read_json(payload_bytes_max + ENVELOPE_SIZE_BYTES_MAX).await?;
    let event = EventJson::parse(&body)?.to_event(&call.api().issuer)?;
    let published = call.api().webhooks.publish(vec![event], call.trace()).await;
    let published = published.map_err(|error| of_publication(error, |fault, _| fault))?;
    Ok(HttpResponse::Accepted().json(PublishedEvent::of_all(&published).first()))
}

/// The events to publish.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what `EventListJson` reads")]
struct PublishEvents {
    /// The events. They may belong to different users.
    #[schema(min_items = 1)]
    events: Vec<PublishEvent>,
}

/// The accepted events.
#[derive(Serialize, ToSchema)]
struct PublishedEvents {
    /// For each event, in the same order, the answer that publishing only this event would get.
    results: Vec<PublishedEvent>,
}

/// Publishes up to 500 events, either all or none.
///
/// Like publishing each event alone, but in one transaction: when one event is refused, none is accepted, and `errors`
/// names the fault, for example `events[3].type`. The maximum size is 8 MiB.
#[utoipa::path(
    post,
    path = "/api/operator/events/batch",
    request_body = PublishEvents,
    responses((status = 202, description = "The events are accepted and stored", body = PublishedEvents), Errors),
)]
pub(super) async fn publish_events(mut call: OperatorCall) -> Result<HttpResponse, ApiError> {
    let body = call.read_json(LARGEST_BODY_BYTES).await?;
    let events = EventListJson::parse(&body)?.to_events(&call.api().issuer)?;
    let published = call.api().webhooks.publish(events, call.trace()).await;
    let published = published.map_err(|error| of_publication(error, FieldFault::of_event))?;
    Ok(HttpResponse::Accepted().json(PublishedEvents { results: PublishedEvent::of_all(&published) }))
}

documented_errors!(Errors: EventConflict, EventInvalid, EventTypeUnknown);
