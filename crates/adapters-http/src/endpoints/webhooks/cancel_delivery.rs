use actix_web::HttpRequest;
use actix_web::web::{Data, Json};
use domain::DeliveryId;

use crate::boundary::exchange::origin_of;
use crate::callers::webhook_caller::WebhookWriter;
use crate::documents::responses::{DELIVERY_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::parameters::path_id::PathId;
use crate::records::delivery_record::ChangedDelivery;
use crate::state::State;

/// Cancels a delivery.
///
/// A delivery that has ended does not change. An attempt that is in progress may still arrive.
#[utoipa::path(
    post,
    path = "/api/webhooks/deliveries/{id}/cancel",
    tag = "Deliveries",
    operation_id = "cancelDelivery",
    security(("apiKey" = []), ("apiKeyHeader" = []), ("idToken" = []), ("idTokenHeader" = [])),
    params(("id" = String, Path, description = "The delivery's id")),
    responses((status = 200, description = "The delivery has ended", body = ChangedDelivery), Errors),
)]
pub(super) async fn cancel_delivery(
    caller: WebhookWriter,
    state: Data<State>,
    id: PathId<DeliveryId>,
    head: HttpRequest,
) -> Result<Json<ChangedDelivery>, ApiError> {
    let origin = origin_of(&head);
    let id = id.known()?;
    let delivery = state.api.webhooks.cancel_delivery(caller.user(), id, &origin).await?;
    Ok(Json(ChangedDelivery::of(&delivery.ok_or(ErrorCode::DeliveryNotFound)?)))
}

documented_errors!(Errors: [DELIVERY_ERRORS]);
