use actix_web::http::header::HeaderMap;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use domain::SubscriptionId;
use domain::ports::AttemptCursor;

use crate::callers::webhook_caller::WebhookReader;
use crate::documents::responses::{WEBHOOK_CREDENTIAL_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::errors::field_fault::FieldFault;
use crate::parameters::cursor::Cursor;
use crate::parameters::query::Parameters;
use crate::records::streamed_attempt::StreamedAttempt;
use crate::state::State;
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
    tag = "Deliveries",
    operation_id = "streamAttempts",
    security(("apiKey" = []), ("apiKeyHeader" = []), ("idToken" = []), ("idTokenHeader" = [])),
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
pub(super) async fn stream_attempts(
    caller: WebhookReader,
    state: Data<State>,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let subscription = subscription(request.query_string())?;
    let resume = last_event_id(request.headers())?;
    let place = state.streams.enter(caller.user()).ok_or(ErrorCode::TooManyStreams)?;
    let follower = state.api.webhooks.follow_attempts(caller.user(), subscription, resume).await?;
    let stream = AttemptStream::new(follower.ok_or(ErrorCode::SubscriptionNotFound)?, request, place);
    Ok(HttpResponse::Ok()
        .content_type("text/event-stream")
        .insert_header(("x-accel-buffering", "no")) // without it nginx buffers the events
        .streaming(stream.into_body()))
}

fn subscription(query: &str) -> Result<Option<SubscriptionId>, FieldFault> {
    let parameters = Parameters::parse(query, &["subscriptionId"])?;
    parameters.id("subscriptionId", "must be the id of a subscription")
}

/// An empty header counts as absent: clients send it before they have received an event.
fn last_event_id(headers: &HeaderMap) -> Result<Option<AttemptCursor>, FieldFault> {
    let Some(value) = headers.get(LAST_EVENT_ID).filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    let fault = FieldFault::new(LAST_EVENT_ID, "must be the id of an event of this stream");
    value.to_str().ok().and_then(AttemptCursor::from_cursor).map(Some).ok_or(fault)
}

documented_errors!(Errors: [WEBHOOK_CREDENTIAL_ERRORS], InvalidField, SubscriptionNotFound, RateLimited, TooManyStreams);
