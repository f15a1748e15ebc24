use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use domain::ports::Accepted;
use serde::Serialize;
use serde_json::Value;
use utoipa::openapi::{RefOr, Response};
use utoipa::{IntoResponses, ToSchema};

use crate::HttpLimits;
use crate::bodies::body::read_json;
use crate::bodies::event_json::EventJson;
use crate::callers::operator::Operator;
use crate::documents::openapi::{BODY_ERRORS, ResponsesByStatus, error_responses};
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::errors::refusals::of_publication;
use crate::records::event_record::EventRecord;
use crate::state::State;

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
    #[schema(rename = "type", example = "invoice.paid", min_length = 1, max_length = 128)]
    event_type: String,
    /// What receivers are told of it: any JSON value, delivered byte for byte.
    #[schema(example = json!({"invoice": "in_1", "total": 12.50}))]
    data: Value,
    /// The publisher's own id, 1 to 256 characters: publishing the same again under it changes nothing.
    #[schema(example = "invoice-in_1-paid", min_length = 1, max_length = 256)]
    id: Option<String>,
}

/// An accepted event.
#[derive(Serialize, ToSchema)]
#[schema(as = PublishedEvent)]
pub(super) struct Answer {
    /// The event; of a repetition, the one that was published first.
    event: EventRecord,
    /// How many subscriptions it is delivered to.
    deliveries: u32,
    /// `true` when it had been published before, so that nothing happened now. Else absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    duplicate: bool,
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
    responses((status = 202, description = "The event is accepted, and will not be lost", body = Answer), Errors),
)]
pub(super) async fn publish_event(
    _: Operator,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let state = State::of(&request);
    let webhooks = &state.api.webhooks;
    let body_size_bytes_max = webhooks.policy().max_payload_bytes() + ENVELOPE_SIZE_BYTES_MAX;
    let limits = HttpLimits { body_size_bytes_max, ..state.limits };
    let body = read_json(&request, payload.into_inner(), &limits).await?;
    let event = EventJson::parse(&body)?.to_event(&state.api.issuer)?;
    let accepted = webhooks.publish(vec![event]).await;
    let accepted = accepted.map_err(|error| of_publication(error, |_, field| field.into()))?;
    Ok(HttpResponse::Accepted().json(accepted.first().map(Answer::of)))
}

impl Answer {
    pub(super) fn of(accepted: &Accepted) -> Self {
        Self {
            event: EventRecord::of(&accepted.event),
            deliveries: accepted.deliveries,
            duplicate: accepted.is_duplicate,
        }
    }
}

struct Errors;

impl IntoResponses for Errors {
    fn responses() -> ResponsesByStatus<RefOr<Response>> {
        error_responses(&[BODY_ERRORS, &[ErrorCode::EventConflict]].concat())
    }
}
