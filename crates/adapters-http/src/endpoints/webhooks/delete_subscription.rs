use actix_web::HttpResponse;

use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;

/// Deletes a webhook subscription.
///
/// Cancels the deliveries that wait, and deletes the secrets at once. The subscription's deliveries stay in the list
/// until they are older than the retention time.
#[utoipa::path(
    delete,
    path = "/api/webhooks/subscriptions/{id}",
    tag = "Webhook subscriptions",
    operation_id = "deleteSubscription",
    responses((status = 204, description = "The subscription is deleted"), Errors),
)]
pub(super) async fn delete_subscription(call: OwnerCall) -> Result<HttpResponse, ApiError> {
    if call.api().webhooks.delete_subscription(call.owner(), call.id()?, &call.origin()).await? {
        Ok(HttpResponse::NoContent().finish())
    } else {
        Err(ErrorCode::SubscriptionNotFound.into())
    }
}

documented_errors!(Errors: SubscriptionNotFound);
