use actix_web::HttpResponse;
use serde::Serialize;
use utoipa::ToSchema;

use super::publish_event;
use crate::bodies::event_json::EventListJson;
use crate::callers::operator::OperatorCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::field_fault::FieldFault;
use crate::errors::refusals::of_publication;
use crate::records::event_record::PublishedEvent;
use crate::settings::LARGEST_BODY_BYTES;

/// The events to publish.
#[derive(ToSchema)]
#[schema(as = PublishEvents)]
#[expect(dead_code, reason = "describes what `EventListJson` reads")]
struct Body {
    /// The events. They may belong to different users.
    #[schema(min_items = 1)]
    events: Vec<publish_event::Body>,
}

/// The accepted events.
#[derive(Serialize, ToSchema)]
#[schema(as = PublishedEvents)]
struct Answer {
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
    tag = "Operator",
    operation_id = "publishEvents",
    request_body = Body,
    responses((status = 202, description = "The events are accepted and stored", body = Answer), Errors),
)]
pub(super) async fn publish_events(mut call: OperatorCall) -> Result<HttpResponse, ApiError> {
    let body = call.read_json(LARGEST_BODY_BYTES).await?;
    let events = EventListJson::parse(&body)?.to_events(&call.api().issuer)?;
    let published = call.api().webhooks.publish(events, call.trace()).await;
    let published = published.map_err(|error| of_publication(error, FieldFault::of_event))?;
    Ok(HttpResponse::Accepted().json(Answer { results: PublishedEvent::of_all(&published) }))
}

documented_errors!(Errors: EventConflict, EventInvalid, EventTypeUnknown);
