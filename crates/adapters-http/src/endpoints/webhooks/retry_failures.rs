use actix_web::HttpResponse;
use domain::SubscriptionId;
use domain::webhooks::{FailureCause, FailureReason};
use serde::Serialize;
use utoipa::ToSchema;

use crate::bodies::fields::Fields;
use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::endpoints::to_the_end;
use crate::errors::api_error::ApiError;
use crate::errors::field_fault::FieldFault;

/// The cause of the failures, as the list of failures has it.
#[derive(ToSchema)]
#[schema(as = RetryFailures)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
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
#[schema(as = RetriedFailures)]
struct Answer {
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
    tag = "Deliveries",
    operation_id = "retryFailures",
    request_body = Body,
    responses((status = 202, description = "The deliveries are due", body = Answer), Errors),
)]
pub(super) async fn retry_failures(mut call: OwnerCall) -> Result<HttpResponse, ApiError> {
    let cause = call.read_body().await?.read(cause_in)?;
    to_the_end(async move {
        let owner = call.owner_to_send_to()?;
        let deliveries = call.api().webhooks.retry_failures(owner, &cause, &call.origin()).await?;
        Ok(HttpResponse::Accepted().json(Answer { deliveries }))
    })
    .await
}

fn cause_in(fields: &Fields) -> Result<FailureCause, ApiError> {
    let subscription = fields.required_text("subscriptionId").and_then(|text| {
        text.parse::<SubscriptionId>()
            .map_err(|_| FieldFault::new("subscriptionId", "must be the id of a subscription"))
    });
    let error = fields.optional_text("error").and_then(|text| {
        let fault = || FieldFault::new("error", "must be an error of an attempt");
        text.map(|code| FailureReason::from_code(code).ok_or_else(fault)).transpose()
    });
    let status = fields.optional_number("status").and_then(|number| number.map(status_of).transpose());
    match (subscription, error, status) {
        (Ok(subscription), Ok(error), Ok(status)) => Ok(FailureCause::new(subscription, error, status)),
        (subscription, error, status) => {
            let faults = [subscription.err(), error.err(), status.err()];
            Err(ApiError::invalid_fields(faults.into_iter().flatten()))
        }
    }
}

fn status_of(number: u64) -> Result<u16, FieldFault> {
    let status = u16::try_from(number).ok().filter(|status| FailureCause::STATUSES.contains(status));
    status.ok_or(FieldFault::new("status", "must be an HTTP status"))
}

documented_errors!(Errors: SubscriptionNotFound, SubscriptionDisabled, TooManyManualSends);
