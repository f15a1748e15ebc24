use actix_web::HttpResponse;
use actix_web::http::header::HeaderMap;
use domain::ports::AttemptCursor;

use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::errors::field_fault::FieldFault;
use crate::parameters::cursor::Cursor;
use crate::records::attempt_record::StreamedAttempt;
use crate::streams::attempt_stream::AttemptStream;

/// The header with the id of the last event that a client received. Clients send it when they reconnect.
const LAST_EVENT_ID: &str = "last-event-id";

/// Streams attempts as they end.
///
/// Sends server-sent events of type `attempt`, each with an id and JSON in `data`. A client that reconnects with
/// `Last-Event-ID` continues after that attempt, at most an hour back. Attempts that end at about the same time may
/// arrive in a different order. Each attempt arrives once in a stream. A comment every 15 seconds keeps the connection
/// open. The stream ends when the credential is no longer valid, and when the service shuts down. The stream is a view
/// for people and tools and may miss attempts; the list of deliveries is complete. Each user may have 10 streams.
#[utoipa::path(
    get,
    path = "/api/webhooks/deliveries/stream",
    params(
        ("subscriptionId" = Option<String>, Query, description = "Only attempts of this subscription"),
        ("last-event-id" = Option<String>, Header, description = "The id of the last event that the client received"),
    ),
    responses(
        (
            status = 200,
            description = "The stream",
            body = StreamedAttempt,
            content_type = "text/event-stream",
        ),
        Errors,
    ),
)]
pub(super) async fn stream_attempts(call: OwnerCall) -> Result<HttpResponse, ApiError> {
    let parameters = call.parameters()?;
    let subscription = parameters.id("subscriptionId", "must be the id of a subscription")?;
    let resume = last_event_id(call.request.headers())?;
    let place = call.state().streams.enter(call.limited()).ok_or(ErrorCode::TooManyStreams)?;
    let follower = call.api().webhooks.follow_attempts(call.owner(), subscription, resume).await?;
    let stream = AttemptStream::new(follower.ok_or(ErrorCode::SubscriptionNotFound)?, call, place);
    Ok(HttpResponse::Ok()
        .content_type("text/event-stream")
        .insert_header(("x-accel-buffering", "no")) // without it nginx buffers the events
        .streaming(stream.into_body()))
}

/// An empty header counts as absent: clients send it before they have received an event.
fn last_event_id(headers: &HeaderMap) -> Result<Option<AttemptCursor>, FieldFault> {
    let Some(value) = headers.get(LAST_EVENT_ID).filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    let fault = FieldFault::new(LAST_EVENT_ID, "must be the id of an event of this stream");
    value.to_str().ok().and_then(AttemptCursor::from_cursor).map(Some).ok_or(fault)
}

documented_errors!(Errors: SubscriptionNotFound, TooManyStreams);
