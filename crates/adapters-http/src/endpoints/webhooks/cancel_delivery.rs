use actix_web::web::Json;

use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::records::delivery_record::ChangedDelivery;

/// Cancels a delivery.
///
/// A delivery that has ended does not change. An attempt that is in progress may still arrive.
#[utoipa::path(
    post,
    path = "/api/webhooks/deliveries/{id}/cancel",
    tag = "Deliveries",
    operation_id = "cancelDelivery",
    responses((status = 200, description = "The delivery has ended", body = ChangedDelivery), Errors),
)]
pub(super) async fn cancel_delivery(call: OwnerCall) -> Result<Json<ChangedDelivery>, ApiError> {
    let delivery = call.api().webhooks.cancel_delivery(call.owner(), call.id()?, &call.origin()).await?;
    Ok(Json(ChangedDelivery::of(&delivery.ok_or(ErrorCode::DeliveryNotFound)?)))
}

documented_errors!(Errors: DeliveryNotFound);
