use std::time::Duration;

use actix_web::web::Json;
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;

/// How long attempts took, in milliseconds.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AttemptTimes)]
pub(super) struct Answer {
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
    tag = "Webhook subscriptions",
    operation_id = "showAttemptTimes",
    responses((status = 200, description = "The times of attempts", body = Answer), Errors),
)]
pub(super) async fn attempt_times(call: OwnerCall) -> Result<Json<Answer>, ApiError> {
    let times = call.api().webhooks.attempt_times(call.owner(), call.id()?).await?;
    let times = times.ok_or(ErrorCode::SubscriptionNotFound)?;
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let shown = |time| Some(millis(time)).filter(|_| times.attempts > 0);
    let (p50_ms, p95_ms) = (shown(times.p50), shown(times.p95));
    Ok(Json(Answer { since: times.since.to_string(), attempts: times.attempts, p50_ms, p95_ms }))
}

documented_errors!(Errors: SubscriptionNotFound);
