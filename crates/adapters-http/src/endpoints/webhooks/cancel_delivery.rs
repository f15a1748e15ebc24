use actix_web::web::{Data, Json, Path};
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response};

use super::retry_delivery::Answer;
use crate::callers::caller::Caller;
use crate::documents::openapi::{DELIVERY_ERRORS, ResponsesByStatus, error_responses};
use crate::errors::api_error::ApiError;
use crate::records::delivery_record::DeliveryRecord;
use crate::state::State;

/// Cancels a delivery.
///
/// One that has ended stays as it is. An attempt that is under way may still arrive.
#[utoipa::path(
    post,
    path = "/api/webhooks/deliveries/{id}/cancel",
    tag = "Deliveries",
    operation_id = "cancelDelivery",
    security(("apiKey" = []), ("apiKeyHeader" = []), ("idToken" = []), ("idTokenHeader" = [])),
    params(("id" = String, Path, description = "The delivery's id")),
    responses((status = 200, description = "The delivery has ended", body = Answer), Errors),
)]
pub(super) async fn cancel_delivery(
    caller: Caller,
    state: Data<State>,
    id: Path<String>,
) -> Result<Json<Answer>, ApiError> {
    // A text that is no id of ours names no delivery.
    let id = id.parse().map_err(|_| ApiError::DeliveryNotFound)?;
    let delivery = state.api.webhooks.cancel_delivery(caller.user(), id).await?;
    let delivery = DeliveryRecord::of(&delivery.ok_or(ApiError::DeliveryNotFound)?);
    Ok(Json(Answer { delivery }))
}

struct Errors;

impl IntoResponses for Errors {
    fn responses() -> ResponsesByStatus<RefOr<Response>> {
        error_responses(DELIVERY_ERRORS)
    }
}
