//! The recovery of a subscription.

use actix_web::HttpResponse;
use actix_web::web::Json;
use domain::Timestamp;
use domain::webhooks::Recoverable;
use serde::Serialize;
use utoipa::ToSchema;

use crate::bodies::fields::Fields;
use crate::bodies::subscription_fields::required;
use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::endpoints::to_the_end;
use crate::errors::api_error::ApiError;
use crate::errors::field_fault::{FieldFault, Together};

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
/// Changes nothing. The count goes up to 10,000; a recovery may retry more.
#[utoipa::path(
    get,
    path = "/api/webhooks/subscriptions/{id}/recoverable",
    params(
        ("since" = String, Query,
            description = "Only events published at this time or later: RFC 3339, not in the future"),
        ("what" = Option<String>, Query,
            description = "The deliveries to count: `failed` (failed or waiting for a retry), `missed` (published while the \
                subscription was disabled), or `all` (the default)"),
    ),
    responses((status = 200, description = "The count", body = RecoverableDeliveries), CountErrors),
)]
pub(super) async fn count_recoverable(call: OwnerCall) -> Result<Json<RecoverableDeliveries>, ApiError> {
    let parameters = call.parameters()?;
    let since = parameters.time("since").and_then(|since| required("since", since));
    let asked = (since, parameters.read(WHAT, Recoverable::parse, WHATS)).together()?;
    let (since, what) = (asked.0, asked.1.unwrap_or_default());
    let deliveries = call.api().webhooks.count_recoverable(call.owner(), call.id()?, (since, what)).await?;
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
/// were missed are due now, at the start of the retry schedule. `what` limits the call to failed or to missed deliveries.
///
/// One call recovers at most about 100,000 deliveries of the oldest events. If the answer is 100,000 or more, call again. Events
/// that are too old to deliver again are skipped. After an error, recovered deliveries stay recovered, and another call
/// continues.
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

fn wish(fields: &Fields) -> Result<(Timestamp, Recoverable), Vec<FieldFault>> {
    let since = fields.optional_time("since").and_then(|since| required("since", since));
    let parse = |name| Recoverable::parse(name).ok_or(FieldFault::new(WHAT, WHATS));
    let what = fields.optional_text(WHAT).and_then(|what| what.map(parse).transpose());
    let (since, what, ()) = (since, what, fields.nulls_except(&["since"])).together()?;
    Ok((since, what.unwrap_or_default()))
}

documented_errors!(RecoverErrors: SubscriptionNotFound, TooManyManualSends);
