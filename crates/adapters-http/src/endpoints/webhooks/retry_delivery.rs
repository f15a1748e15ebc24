use actix_web::HttpResponse;

use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::records::delivery_record::ChangedDelivery;

/// Retries a delivery now.
///
/// The delivery is due now, in whatever state it was, and starts the retry schedule again. A delivery that is being
/// sent does not change.
#[utoipa::path(
    post,
    path = "/api/webhooks/deliveries/{id}/retry",
    tag = "Deliveries",
    operation_id = "retryDelivery",
    responses((status = 202, description = "The delivery is due", body = ChangedDelivery), Errors),
)]
pub(super) async fn retry_delivery(call: OwnerCall) -> Result<HttpResponse, ApiError> {
    let id = call.id()?;
    let delivery = call.api().webhooks.retry_delivery(call.owner_to_send_to()?, id, &call.origin()).await?;
    Ok(HttpResponse::Accepted().json(ChangedDelivery::of(&delivery)))
}

documented_errors!(Errors: DeliveryNotFound, SubscriptionDisabled, EventTooOld, TooManyManualSends);
