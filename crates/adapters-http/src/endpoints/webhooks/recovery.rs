//! The recovery of a subscription.

use actix_web::HttpResponse;
use actix_web::web::Json;
use domain::Timestamp;
use domain::webhooks::{Recoverable, RecoveryFilter, SubscribedEvents};
use serde::Serialize;
use utoipa::ToSchema;

use crate::bodies::fields::Fields;
use crate::bodies::subscription_fields::{events, required};
use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::endpoints::to_the_end;
use crate::errors::api_error::ApiError;
use crate::errors::field_fault::{FieldFault, Together};
use crate::errors::refusals::of_subscribed_events;

const WHAT: &str = "what";
const WHATS: &str = "must be all, failed or missed";

/// What a recovery would bring back.
#[derive(Serialize, ToSchema)]
pub(super) struct RecoverableDeliveries {
    /// How many deliveries a recovery would make due now, counted up to 10,000.
    #[schema(maximum = 10_000)]
    deliveries: u32,
}

/// Counts the deliveries that a recovery of a webhook subscription would retry.
///
/// Changes nothing. The count goes up to 10,000; a recovery may retry more. With `events`, it reads at most 100,000 deliveries
/// of each state.
#[utoipa::path(
    get,
    path = "/api/webhooks/subscriptions/{id}/recoverable",
    params(
        ("since" = String, Query,
            description = "Only events published at this time or later: RFC 3339, not in the future"),
        ("what" = Option<String>, Query,
            description = "The deliveries to count: `failed` (failed or waiting for a retry), `missed` (published while the \
                subscription was disabled), or `all` (the default)"),
        ("events" = Option<String>, Query,
            description = "Only these event types and patterns, at most 100, separated by commas"),
    ),
    responses((status = 200, description = "The count", body = RecoverableDeliveries), CountErrors),
)]
pub(super) async fn count_recoverable(call: OwnerCall) -> Result<Json<RecoverableDeliveries>, ApiError> {
    let parameters = call.parameters()?;
    let since = parameters.time("since").and_then(|since| required("since", since));
    let parse = |names: &str| SubscribedEvents::parse(names.split(',')).map_err(of_subscribed_events);
    let events = parameters.text("events").map(parse).transpose();
    let (since, what, events) = (since, parameters.read(WHAT, Recoverable::parse, WHATS), events).together()?;
    let filter = RecoveryFilter { what: what.unwrap_or_default(), events };
    let deliveries = call.api().webhooks.count_recoverable(call.owner(), call.id()?, (since, filter)).await?;
    Ok(Json(RecoverableDeliveries { deliveries }))
}

documented_errors!(CountErrors: SubscriptionNotFound);

/// The start of the recovery.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct RecoverSubscription {
    /// Recovers deliveries of events that were published at this time or later: RFC 3339, not in the future.
    #[schema(format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    since: String,
    /// The deliveries to recover: `failed` (failed or waiting for a retry), `missed` (published while the subscription was
    /// disabled), or `all` (the default).
    #[schema(example = "missed", required = false, nullable = false)]
    what: Option<String>,
    /// Only these event types and patterns: 1 to 100.
    #[schema(example = json!(["invoice.*"]), required = false, nullable = false, min_items = 1)]
    events: Option<Vec<String>>,
}

/// The result of a recovery.
#[derive(Serialize, ToSchema)]
struct RecoveredSubscription {
    /// How many deliveries are now due: at most 100,000.
    deliveries: u32,
}

/// Enables a webhook subscription and retries its failed deliveries.
///
/// Enables the subscription, even if the service disabled it, and ends its pause. Deliveries that failed, wait for a retry or
/// were missed are due now, at the start of the retry schedule. `what` and `events` limit the call.
///
/// One call recovers at most about 100,000 deliveries of the oldest events: if it answers 100,000 or more, call again. Events
/// that are too old are skipped. After an error, another call continues.
#[utoipa::path(
    post,
    path = "/api/webhooks/subscriptions/{id}/recover",
    request_body = RecoverSubscription,
    responses(
        (status = 202, description = "The subscription is enabled, and its failed deliveries are due", body = RecoveredSubscription),
        RecoverErrors,
    ),
)]
pub(super) async fn recover_subscription(mut call: OwnerCall) -> Result<HttpResponse, ApiError> {
    let wish = call.read_body().await?.read(wish)?;
    let id = call.id()?;
    to_the_end(async move {
        let owner = call.owner_to_send_to()?;
        let deliveries = call.api().webhooks.recover_subscription(owner, id, wish, &call.origin()).await?;
        call.confirm_key(id).await?;
        Ok(HttpResponse::Accepted().json(RecoveredSubscription { deliveries }))
    })
    .await
}

fn wish(fields: &Fields) -> Result<(Timestamp, RecoveryFilter), Vec<FieldFault>> {
    let since = fields.optional_time("since").and_then(|since| required("since", since));
    let what = fields.parsed(WHAT, |what| Recoverable::parse(what).ok_or(WHATS));
    let (since, what, events, ()) = (since, what, events(fields), fields.nulls_except(&["since"])).together()?;
    Ok((since, RecoveryFilter { what: what.unwrap_or_default(), events }))
}

documented_errors!(RecoverErrors: SubscriptionNotFound, SubscriptionPulled, TooManyManualSends);
