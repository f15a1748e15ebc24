use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use utoipa::openapi::{RefOr, Response};
use utoipa::{IntoResponses, ToSchema};

use super::publish_event;
use crate::HttpLimits;
use crate::bodies::body::read_json;
use crate::bodies::event_body::path;
use crate::bodies::event_json::EventListJson;
use crate::callers::operator::Operator;
use crate::documents::openapi::{BODY_ERRORS, ResponsesByStatus, error_responses};
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::errors::refusals::of_publication;
use crate::state::State;

/// The largest batch, in bytes.
const BODY_SIZE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Things that happened to users.
#[derive(ToSchema)]
#[schema(as = PublishEvents)]
#[expect(dead_code, reason = "describes what `EventListJson` reads")]
struct Body {
    /// The events, perhaps of several users.
    #[schema(min_items = 1, max_items = 500)]
    events: Vec<publish_event::Body>,
}

/// Accepted events.
#[derive(Serialize, ToSchema)]
#[schema(as = PublishedEvents)]
struct Answer {
    /// For each event, in the same order, what publishing it alone would answer.
    results: Vec<publish_event::Answer>,
}

/// Publishes up to 500 events, all or none.
///
/// As publishing each alone, but in one transaction: when one of them is refused, none is accepted, and `errors` names
/// it, as in `events[3].type`. 8 MiB at most.
#[utoipa::path(
    post,
    path = "/api/operator/events/batch",
    tag = "Operator",
    operation_id = "publishEvents",
    security(("operatorToken" = [])),
    request_body = Body,
    responses((status = 202, description = "The events are accepted, and will not be lost", body = Answer), Errors),
)]
pub(super) async fn publish_events(
    _: Operator,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let state = State::of(&request);
    let limits = HttpLimits { body_size_bytes_max: BODY_SIZE_BYTES_MAX, ..state.limits };
    let body = read_json(&request, payload.into_inner(), &limits).await?;
    let events = EventListJson::parse(&body)?.to_events(&state.api.issuer)?;
    let accepted = state.api.webhooks.publish(events).await;
    let accepted = accepted.map_err(|error| of_publication(error, path))?;
    Ok(HttpResponse::Accepted().json(Answer { results: accepted.iter().map(publish_event::Answer::of).collect() }))
}

struct Errors;

impl IntoResponses for Errors {
    fn responses() -> ResponsesByStatus<RefOr<Response>> {
        error_responses(&[BODY_ERRORS, &[ErrorCode::EventConflict]].concat())
    }
}
