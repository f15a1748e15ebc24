//! How attempts at deliveries ended, and how long they took.

use std::time::Duration;

use actix_web::web::Json;
use domain::SubscriptionId;
use domain::ports::OutcomesRequest;
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::parameters::hours::hours_of;
use crate::records::hours_record::OutcomesRecord;

/// How long attempts took, in milliseconds.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AttemptTimes {
    /// Only attempts that ended after this time count.
    #[schema(format = DateTime, example = "2026-11-20T01:42:03.120Z")]
    since: String,
    /// How many attempts count.
    #[schema(example = 412)]
    attempts: u32,
    /// Half of the attempts took no longer; `null` without an attempt.
    #[schema(required, example = 38)]
    p50_ms: Option<u64>,
    /// 95 % of the attempts took no longer; `null` without an attempt.
    #[schema(required, example = 140)]
    p95_ms: Option<u64>,
}

/// Shows how long the last attempts at the deliveries to a webhook subscription took.
///
/// Counts the attempts of the last 24 hours, or of a shorter period if there were 1,000 or more: `since` says where it
/// begins.
#[utoipa::path(
    get,
    path = "/api/webhooks/subscriptions/{id}/times",
    responses((status = 200, description = "The times of attempts", body = AttemptTimes), UnknownSubscription),
)]
pub(super) async fn show_attempt_times(call: OwnerCall) -> Result<Json<AttemptTimes>, ApiError> {
    let times = call.api().webhooks.attempt_times(call.owner(), call.id()?).await?;
    let times = times.ok_or(ErrorCode::SubscriptionNotFound)?;
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let shown = |time| Some(millis(time)).filter(|_| times.attempts > 0);
    let (p50_ms, p95_ms) = (shown(times.p50), shown(times.p95));
    Ok(Json(AttemptTimes { since: times.since.to_string(), attempts: times.attempts, p50_ms, p95_ms }))
}

/// Shows how attempts at the deliveries to all of the caller's subscriptions ended, by the hour.
///
/// The counts are for charts: they are written every few seconds, and an instance that is killed loses its last
/// seconds. They are kept for 90 days. Deleted subscriptions do not count.
#[utoipa::path(
    get,
    path = "/api/webhooks/outcomes",
    params(
        ("hours" = Option<u32>, Query, description = "How many hours: 1 to 744 (31 days), default 24"),
        ("until" = Option<String>, Query, description = "A time in the last hour: RFC 3339. Without it the present hour is the last"),
    ),
    responses((status = 200, description = "The outcomes of attempts", body = OutcomesRecord)),
)]
pub(super) async fn show_outcomes(call: OwnerCall) -> Result<Json<OutcomesRecord>, ApiError> {
    show(&call, None).await
}

/// Shows how attempts at the deliveries to a webhook subscription ended, by the hour.
///
/// See `showOutcomes`.
#[utoipa::path(
    get,
    path = "/api/webhooks/subscriptions/{id}/outcomes",
    params(
        ("hours" = Option<u32>, Query, description = "How many hours: 1 to 744 (31 days), default 24"),
        ("until" = Option<String>, Query, description = "A time in the last hour: RFC 3339. Without it the present hour is the last"),
    ),
    responses((status = 200, description = "The outcomes of attempts", body = OutcomesRecord), UnknownSubscription),
)]
pub(super) async fn show_subscription_outcomes(call: OwnerCall) -> Result<Json<OutcomesRecord>, ApiError> {
    show(&call, Some(call.id()?)).await
}

documented_errors!(UnknownSubscription: SubscriptionNotFound);

async fn show(call: &OwnerCall, subscription: Option<SubscriptionId>) -> Result<Json<OutcomesRecord>, ApiError> {
    let hours = hours_of(&call.parameters()?, call.api().clock.now())?;
    let request = OutcomesRequest { owner: call.owner().clone(), subscription, hours };
    let outcomes = call.api().webhooks.outcomes(&request).await?;
    Ok(Json(OutcomesRecord::of(hours, &outcomes.ok_or(ErrorCode::SubscriptionNotFound)?)))
}
