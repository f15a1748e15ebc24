//! Events that readers fetch themselves. See decision 146.

use actix_web::HttpResponse;
use actix_web::web::Json;
use domain::SubscriptionId;
use domain::ports::{CommitRequest, Committed, ListedConsumer, Pulled, PulledEvent, PulledLog, Sought};
use domain::webhooks::{ConsumerName, LogPlace, Receive, Received};
use serde::Serialize;
use tokio::time::{Instant, timeout_at};
use utoipa::ToSchema;

use crate::bodies::pull_fields::{commit_wish, receive_wish, seek_to};
use crate::callers::credential::is_still_good;
use crate::callers::owner::OwnerCall;
use crate::connections::turn::Turn;
use crate::documents::responses::documented_errors;
use crate::endpoints::to_the_end;
use crate::errors::api_error::{ApiError, Invalid};
use crate::errors::error_code::ErrorCode;
use crate::errors::field_fault::{FieldFault, Together};
use crate::parameters::cursor::{Cursor, LogCursor};
use crate::parameters::path::PathParameters;
use crate::records::pulled_record::{PulledRecord, records_of};

/// How a reader receives events.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct ReceiveEvents {
    /// The maximum number of events: 100 by default. Their payloads have at most 4 MiB.
    #[schema(required = false)]
    limit: u64,
    /// How many seconds to wait for an event: 0 by default.
    #[schema(required = false)]
    wait: u64,
    /// The length of the lease in seconds: 60 by default.
    #[schema(required = false)]
    lease_seconds: u64,
}

/// The next events of a consumer.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReceivedEvents {
    /// The events, in the order of the log.
    events: Vec<PulledRecord>,
    /// Commits them. Absent without events.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "lease_9f86d081884c7d65")]
    lease: Option<String>,
    /// When another reader may receive the events that are not committed. Absent without events.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false, example = "2026-11-21T01:42:03.120Z")]
    leased_until: Option<String>,
}

/// Receives the next events of a consumer, in the order of the log.
///
/// The events are leased: until the lease ends, no other reader of this consumer receives any. Handle them, and then commit the
/// last one. Events that are not committed are received again. A consumer exists from its first call on, and begins with the
/// oldest event that is stored.
#[utoipa::path(
    post,
    path = "/api/webhooks/subscriptions/{id}/consumers/{consumer}/receive",
    request_body = ReceiveEvents,
    responses((status = 200, description = "The events", body = ReceivedEvents), ReceiveErrors),
)]
pub(super) async fn receive_events(mut call: OwnerCall) -> Result<Json<ReceivedEvents>, ApiError> {
    let (events_max, wait, lease) = call.read_body().await?.read(receive_wish)?;
    let (log, deadline) = (log_of(&call)?, Instant::now() + wait);
    let wish = Receive { consumer: consumer_of(&call)?, events_max, lease };
    let receive = async || call.api().webhooks.receive_events(&log, &wish).await;
    let mut received = receive().await?;
    if let Pulled::Nothing { mut last } = received.pulled
        && !wait.is_zero()
    {
        let state = call.state();
        let _place = state.waiting_readers.enter(call.limited()).ok_or(ErrorCode::TooManyStreams)?;
        let mut log_grows = state.waiting_readers.watch(&call.api().webhooks, &log, last);
        while let Pulled::Nothing { last: seen } = received.pulled {
            last = last.max(seen);
            let grown = state.stop.run_until_cancelled(timeout_at(deadline, log_grows.grows(last))).await;
            let Some(Ok(is_found)) = grown else { break };
            // A client that has disconnected must not get a lease.
            if Turn::of(&call.request).is_some_and(|turn| turn.is_client_gone()) {
                break;
            }
            if !is_still_good(&call.request, Some(call.owner())).await? {
                return Err(ApiError::CredentialInvalid(Invalid::Presented, "a credential that has ended"));
            }
            received = receive().await?;
            if !is_found {
                break;
            }
        }
    }
    answer(&received, log.subscription).map(Json)
}

documented_errors!(ReceiveErrors: ConsumerLimitReached, SubscriptionNotFound, ConsumerLeased, CursorExpired, TooManyStreams);

/// A commit of events.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct CommitEvents {
    /// The lease, from the answer with the events.
    #[schema(example = "lease_9f86d081884c7d65")]
    lease: String,
    /// The id of the last event that was handled. Without it none was, and the next call receives the same events.
    #[schema(example = "evt_01h455vb4pex5vsknk084sn02q")]
    through: Option<String>,
}

/// Commits the events that a reader has handled.
///
/// The lease ends. The next call receives the events behind `through`, or the same events without it. The call may be repeated.
#[utoipa::path(
    post,
    path = "/api/webhooks/subscriptions/{id}/consumers/{consumer}/commit",
    request_body = CommitEvents,
    responses((status = 204, description = "The events are committed"), CommitErrors),
)]
pub(super) async fn commit_events(mut call: OwnerCall) -> Result<HttpResponse, ApiError> {
    let (lease, through) = call.read_body().await?.read(commit_wish)?;
    let request = CommitRequest { log: log_of(&call)?, consumer: consumer_of(&call)?, lease, through };
    to_the_end(async move {
        match call.api().webhooks.commit_events(&request).await? {
            Committed::Done => Ok(HttpResponse::NoContent().finish()),
            Committed::LeaseLost => Err(ErrorCode::LeaseLost.into()),
            Committed::NotReceived => {
                Err(FieldFault::new("through", "must be the id of an event that this lease covers").into())
            }
            Committed::NotFound => Err(no_log()),
        }
    })
    .await
}

documented_errors!(CommitErrors: SubscriptionNotFound, LeaseLost);

/// A new place of a consumer.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct SeekConsumer {
    /// The place: `start`, before the oldest event that is stored; `end`, behind the last event; or a time (RFC 3339), before
    /// the first event that was published then or later.
    #[schema(example = "start")]
    to: String,
}

/// Moves a consumer.
///
/// This ends its lease, so that the reader with the lease cannot commit.
#[utoipa::path(
    post,
    path = "/api/webhooks/subscriptions/{id}/consumers/{consumer}/seek",
    request_body = SeekConsumer,
    responses((status = 204, description = "The consumer is there"), SeekErrors),
)]
pub(super) async fn seek_consumer(mut call: OwnerCall) -> Result<HttpResponse, ApiError> {
    let to = call.read_body().await?.read(seek_to)?;
    let (log, consumer) = (log_of(&call)?, consumer_of(&call)?);
    to_the_end(async move {
        match call.api().webhooks.seek_consumer(&log, &consumer, to, &call.origin()).await? {
            Sought::Done => Ok(HttpResponse::NoContent().finish()),
            Sought::TooManyConsumers => Err(ErrorCode::ConsumerLimitReached.into()),
            Sought::NotFound => Err(no_log()),
        }
    })
    .await
}

documented_errors!(SeekErrors: ConsumerLimitReached, SubscriptionNotFound);

/// The events behind a place in the log.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LoggedEvents {
    /// The events, in the order of the log.
    events: Vec<PulledRecord>,
    /// The `cursor` of the next call. The last page has one, too.
    cursor: String,
}

/// Reads a page of the log of a pull subscription, for a reader that stores its own position.
///
/// Begins with the oldest stored event, or after the `cursor`. Changes no consumer.
#[utoipa::path(
    get,
    path = "/api/webhooks/subscriptions/{id}/events",
    params(
        ("cursor" = Option<String>, Query, description = "The `cursor` of the last answer"),
        ("limit" = Option<u32>, Query, description = "The most events"),
    ),
    responses((status = 200, description = "The events", body = LoggedEvents), ReadErrors),
)]
pub(super) async fn read_events(call: OwnerCall) -> Result<Json<LoggedEvents>, ApiError> {
    let (parameters, log) = (call.parameters()?, log_of(&call)?);
    let (cursor, limit) = (parameters.cursor::<LogCursor>(), parameters.limit()).together()?;
    if cursor.as_ref().is_some_and(|cursor| cursor.subscription != log.subscription) {
        return Err(FieldFault::new("cursor", "must be a cursor from an earlier answer of this call").into());
    }
    let place = cursor.map(|cursor| cursor.place);
    let (events, place) = match call.api().webhooks.read_events(&log, place, limit).await? {
        Pulled::Events(events) => {
            let last = events.last().map(|last| LogPlace { number: last.sequence, event: Some(last.event.id) });
            (records(&events)?, last.or(place))
        }
        Pulled::Nothing { last } => (Vec::new(), place.or(Some(LogPlace { number: last, event: None }))),
        other => return Err(refusal(&other, log.subscription)),
    };
    let place = place.unwrap_or(LogPlace { number: 0, event: None });
    let cursor = LogCursor { subscription: log.subscription, place };
    Ok(Json(LoggedEvents { events, cursor: cursor.to_cursor() }))
}

documented_errors!(ReadErrors: SubscriptionNotFound, CursorExpired);

/// The consumers of a subscription.
#[derive(Serialize, ToSchema)]
pub(super) struct Consumers {
    /// The consumers, sorted by name.
    consumers: Vec<ConsumerRecord>,
}

/// A reader's place in the log of a subscription.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Consumer)]
struct ConsumerRecord {
    /// Its name.
    #[schema(example = "billing")]
    name: String,
    /// How many events are not committed.
    #[schema(example = 12)]
    lag: u64,
    /// Until when a reader has leased events; absent if none has.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false, example = "2026-11-21T01:42:03.120Z")]
    leased_until: Option<String>,
}

/// Lists the consumers of a subscription that is pulled.
#[utoipa::path(
    get,
    path = "/api/webhooks/subscriptions/{id}/consumers",
    responses((status = 200, description = "The consumers", body = Consumers), UnknownLog),
)]
pub(super) async fn list_consumers(call: OwnerCall) -> Result<Json<Consumers>, ApiError> {
    let listed = call.api().webhooks.list_consumers(&log_of(&call)?).await?.ok_or_else(no_log)?;
    let now = call.api().clock.now();
    let record = |ListedConsumer { name, consumer, last }: &ListedConsumer| ConsumerRecord {
        name: name.to_string(),
        lag: last.saturating_sub(consumer.position),
        leased_until: consumer.leased_until(now).map(|until| until.to_string()),
    };
    Ok(Json(Consumers { consumers: listed.iter().map(record).collect() }))
}

documented_errors!(UnknownLog: SubscriptionNotFound);

/// Deletes a consumer.
///
/// The events stay. A later call with the name begins with the oldest event that is stored.
#[utoipa::path(
    delete,
    path = "/api/webhooks/subscriptions/{id}/consumers/{consumer}",
    responses((status = 204, description = "The consumer is deleted"), UnknownConsumer),
)]
pub(super) async fn delete_consumer(call: OwnerCall) -> Result<HttpResponse, ApiError> {
    let (log, consumer) = (log_of(&call)?, consumer_of(&call)?);
    to_the_end(async move {
        let is_deleted = call.api().webhooks.delete_consumer(&log, &consumer, &call.origin()).await?;
        if is_deleted { Ok(HttpResponse::NoContent().finish()) } else { Err(ErrorCode::ConsumerNotFound.into()) }
    })
    .await
}

documented_errors!(UnknownConsumer: ConsumerNotFound);

fn log_of(call: &OwnerCall) -> Result<PulledLog, ApiError> {
    Ok(PulledLog { owner: call.owner().clone(), subscription: call.id::<SubscriptionId>()? })
}

fn consumer_of(call: &OwnerCall) -> Result<ConsumerName, ApiError> {
    Ok(PathParameters::of(&call.request).consumer()?)
}

fn records(events: &[PulledEvent]) -> Result<Vec<PulledRecord>, ApiError> {
    records_of(events).map_err(|error| ApiError::Internal(format!("a stored payload: {error}").into()))
}

fn no_log() -> ApiError {
    ApiError::Explained(ErrorCode::SubscriptionNotFound, "no subscription of the type pull has this id".into())
}

fn refusal(pulled: &Pulled, subscription: SubscriptionId) -> ApiError {
    match pulled {
        Pulled::Expired { oldest } => {
            let place = LogPlace { number: oldest.saturating_sub(1), event: None };
            let cursor = LogCursor { subscription, place };
            ApiError::CursorExpired(cursor.to_cursor())
        }
        Pulled::Leased { until } => ApiError::Explained(
            ErrorCode::ConsumerLeased,
            format!("another reader has events of this consumer until {until}").into(),
        ),
        Pulled::TooManyConsumers => ErrorCode::ConsumerLimitReached.into(),
        Pulled::NotFound | Pulled::Events(_) | Pulled::Nothing { .. } => no_log(),
    }
}

fn answer(received: &Received, subscription: SubscriptionId) -> Result<ReceivedEvents, ApiError> {
    match &received.pulled {
        Pulled::Events(events) => Ok(ReceivedEvents {
            events: records(events)?,
            lease: Some(received.lease.to_string()),
            leased_until: Some(received.until.to_string()),
        }),
        Pulled::Nothing { .. } => Ok(ReceivedEvents { events: Vec::new(), lease: None, leased_until: None }),
        other => Err(refusal(other, subscription)),
    }
}
