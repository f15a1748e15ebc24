use actix_web::web::Json;
use domain::webhooks::{FailureGroup, FailureReason};
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::owner::OwnerCall;
use crate::errors::api_error::ApiError;

/// The caller's failed deliveries, by cause.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Failures)]
pub(super) struct Answer {
    /// The groups, the largest first.
    failures: Vec<FailureRecord>,
    /// Whether all failed deliveries are counted. `false`: only the newest 1,000 are.
    is_complete: bool,
}

/// Deliveries that failed for the same cause.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FailureGroup)]
struct FailureRecord {
    /// The subscription that was to receive the events.
    #[schema(example = "sub_01h455vb4pex5vsknk084sn02q")]
    subscription_id: String,
    /// The subscription's URL.
    #[schema(example = "https://example.com/hooks")]
    url: String,
    /// Why the last attempt failed: an error as in an attempt. `null` when the subscription was disabled before an
    /// attempt failed.
    #[schema(required, example = "status")]
    error: Option<&'static str>,
    /// The HTTP status of the answer to the last attempt; `null` when there was no answer.
    #[schema(required, example = 500)]
    status: Option<u16>,
    /// How many deliveries failed for this cause.
    deliveries: u32,
    /// The delivery of the newest event.
    #[schema(example = "dlv_01h455vb4pex5vsknk084sn02q")]
    newest_delivery_id: String,
}

impl FailureRecord {
    fn of(group: &FailureGroup) -> Self {
        Self {
            subscription_id: group.cause.subscription.to_string(),
            url: group.url.as_str().to_owned(),
            error: group.cause.failure.map(FailureReason::code),
            status: group.cause.status,
            deliveries: group.deliveries,
            newest_delivery_id: group.newest.to_string(),
        }
    }
}

/// Lists the caller's failed deliveries, grouped by cause.
///
/// A cause is a subscription, and how the last attempt failed. Counts the newest 1,000 failed deliveries that can be
/// retried: deliveries to deleted subscriptions and of events that are too old are left out.
#[utoipa::path(
    get,
    path = "/api/webhooks/failures",
    tag = "Deliveries",
    operation_id = "listFailures",
    params(("subscriptionId" = Option<String>, Query, description = "Only deliveries to this subscription")),
    responses((status = 200, description = "The causes", body = Answer)),
)]
pub(super) async fn list_failures(call: OwnerCall) -> Result<Json<Answer>, ApiError> {
    let parameters = call.parameters()?;
    let subscription = parameters.id("subscriptionId", "must be the id of a subscription")?;
    let found = call.api().webhooks.list_failures(call.owner(), subscription).await?;
    let failures = found.groups.iter().map(FailureRecord::of).collect();
    Ok(Json(Answer { failures, is_complete: found.are_complete }))
}
