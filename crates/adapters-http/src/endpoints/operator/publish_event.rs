use actix_web::HttpResponse;
use serde_json::Value;
use utoipa::ToSchema;

use crate::bodies::event_json::EventJson;
use crate::callers::operator_request::OperatorRequest;
use crate::documents::responses::{BODY_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::errors::refusals::of_publication;
use crate::records::published_event::PublishedEvent;

/// What a body may have beside its payload, in bytes.
const ENVELOPE_SIZE_BYTES_MAX: usize = 16 * 1024;

/// Something that happened to a user.
#[derive(ToSchema)]
#[schema(as = PublishEvent)]
#[expect(dead_code, reason = "describes what `EventJson` reads")]
pub(super) struct Body {
    /// Whom it happened to: the user's `sub` at the configured issuer. A user whom the service has never seen has no
    /// subscriptions, and the event no deliveries.
    #[schema(rename = "userId", example = "alice")]
    user_id: String,
    /// What kind of thing: 1 to 128 of `A-Z a-z 0-9 _ . : / -`, starting and ending with a letter or digit.
    #[schema(rename = "type", example = "invoice.paid", min_length = 1)]
    event_type: String,
    /// What receivers are told of it: any JSON value, delivered byte for byte.
    #[schema(example = json!({"invoice": "in_1", "total": 12.50}))]
    data: Value,
    /// The publisher's own id, 1 to 256 characters: publishing the same again under it changes nothing.
    #[schema(example = "invoice-in_1-paid", min_length = 1)]
    id: Option<String>,
}

/// Publishes an event.
///
/// Once this has answered, every enabled subscription of the user that matches gets the event at least once, signed,
/// unless its retries are spent, it is disabled or deleted, or the delivery is cancelled.
///
/// With an `id`, publishing is safe to repeat: the same `id` for the same user with the same `type` and the very same
/// bytes of `data` is answered with the first event and `duplicate: true`; with others it is a 409. An id is remembered
/// as long as its event, `WEBHOOK_RETENTION_DAYS`. Without one, each call publishes an event of its own.
#[utoipa::path(
    post,
    path = "/api/operator/events",
    tag = "Operator",
    operation_id = "publishEvent",
    security(("operatorToken" = [])),
    request_body = Body,
    responses((status = 202, description = "The event is accepted, and will not be lost", body = PublishedEvent), Errors),
)]
pub(super) async fn publish_event(mut call: OperatorRequest) -> Result<HttpResponse, ApiError> {
    let payload_bytes_max = call.api().webhooks.policy().max_payload_bytes();
    let body = call.read_json(payload_bytes_max + ENVELOPE_SIZE_BYTES_MAX).await?;
    let event = EventJson::parse(&body)?.to_event(&call.api().issuer)?;
    let accepted = call.api().webhooks.publish(vec![event]).await;
    let accepted = accepted.map_err(|error| of_publication(error, |fault, _| fault))?;
    Ok(HttpResponse::Accepted().json(accepted.first().map(PublishedEvent::of)))
}

documented_errors!(Errors: [BODY_ERRORS], EventConflict);
