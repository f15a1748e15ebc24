//! Failed deliveries by their cause.

use actix_web::HttpResponse;
use actix_web::web::Json;
use domain::SubscriptionId;
use domain::webhooks::{FailureCause, FailureGroup, FailureReason};
use serde::Serialize;
use utoipa::ToSchema;

use crate::bodies::fields::Fields;
use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::endpoints::to_the_end;
use crate::errors::api_error::ApiError;
use crate::errors::field_fault::{FieldFault, Together};

/// The caller's failed deliveries, by cause.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Failures {
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
    params(("subscriptionId" = Option<String>, Query, description = "Only deliveries to this subscription")),
    responses((status = 200, description = "The causes", body = Failures)),
)]
pub(super) async fn list_failures(call: OwnerCall) -> Result<Json<Failures>, ApiError> {
    let parameters = call.parameters()?;
    let subscription = parameters.id("subscriptionId", "must be the id of a subscription")?;
    let found = call.api().webhooks.list_failures(call.owner(), subscription).await?;
    let failures = found.groups.iter().map(FailureRecord::of).collect();
    Ok(Json(Failures { failures, is_complete: found.are_complete }))
}

/// The cause of the failures, as the list of failures has it.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct RetryFailures {
    /// The subscription.
    #[schema(rename = "subscriptionId", example = "sub_01h455vb4pex5vsknk084sn02q")]
    subscription_id: String,
    /// Why the last attempt failed; absent or `null` as in the list.
    #[schema(example = "status")]
    error: Option<String>,
    /// The HTTP status of the answer to the last attempt; absent or `null` as in the list.
    #[schema(example = 500)]
    status: Option<u16>,
}

/// The result of a retry of failed deliveries.
#[derive(Serialize, ToSchema)]
struct RetriedFailures {
    /// How many deliveries are now due.
    deliveries: u32,
}

/// Retries the deliveries that failed for one cause.
///
/// The deliveries are due now, and each starts the retry schedule again. One call retries those of the newest 1,000 failed
/// deliveries of the subscription that have this cause. To retry all failed deliveries of a subscription, recover it.
#[utoipa::path(
    post,
    path = "/api/webhooks/failures/retry",
    request_body = RetryFailures,
    responses((status = 202, description = "The deliveries are due", body = RetriedFailures), RetryErrors),
)]
pub(super) async fn retry_failures(mut call: OwnerCall) -> Result<HttpResponse, ApiError> {
    let cause = call.read_body().await?.read(cause_in)?;
    to_the_end(async move {
        let owner = call.owner_to_send_to()?;
        let deliveries = call.api().webhooks.retry_failures(owner, &cause, &call.origin()).await?;
        Ok(HttpResponse::Accepted().json(RetriedFailures { deliveries }))
    })
    .await
}

fn cause_in(fields: &Fields) -> Result<FailureCause, Vec<FieldFault>> {
    let subscription = fields.required_text("subscriptionId").and_then(|text| {
        text.parse::<SubscriptionId>()
            .map_err(|_| FieldFault::new("subscriptionId", "must be the id of a subscription"))
    });
    let error = fields.parsed("error", |code| FailureReason::from_code(code).ok_or("must be an error of an attempt"));
    let status = fields.optional_number("status").and_then(|number| number.map(status_of).transpose());
    let (subscription, error, status) = (subscription, error, status).together()?;
    Ok(FailureCause::new(subscription, error, status))
}

fn status_of(number: u64) -> Result<u16, FieldFault> {
    let status = u16::try_from(number).ok().filter(|status| FailureCause::STATUSES.contains(status));
    status.ok_or(FieldFault::new("status", "must be an HTTP status"))
}

documented_errors!(RetryErrors: SubscriptionNotFound, SubscriptionDisabled, TooManyManualSends);
