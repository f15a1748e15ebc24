use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::Serialize;
use utoipa::openapi::{RefOr, Response};
use utoipa::{IntoResponses, ToSchema};

use crate::callers::caller::Caller;
use crate::documents::openapi::{DELIVERY_ERRORS, ResponsesByStatus, error_responses};
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::records::delivery_record::DeliveryRecord;
use crate::state::State;

/// The delivery as it is now.
#[derive(Serialize, ToSchema)]
#[schema(as = ChangedDelivery)]
pub(super) struct Answer {
    /// The delivery.
    pub(super) delivery: DeliveryRecord,
}

/// Delivers again, now.
///
/// Whatever became of the delivery, it is due now, and then on the retry schedule from its start. One that is being sent
/// goes on as it is.
#[utoipa::path(
    post,
    path = "/api/webhooks/deliveries/{id}/retry",
    tag = "Deliveries",
    operation_id = "retryDelivery",
    security(("apiKey" = []), ("apiKeyHeader" = []), ("idToken" = []), ("idTokenHeader" = [])),
    params(("id" = String, Path, description = "The delivery's id")),
    responses((status = 202, description = "The delivery is due", body = Answer), Errors),
)]
pub(super) async fn retry_delivery(
    caller: Caller,
    state: Data<State>,
    id: Path<String>,
) -> Result<HttpResponse, ApiError> {
    // A text that is no id of ours names no delivery.
    let id = id.parse().map_err(|_| ApiError::DeliveryNotFound)?;
    let delivery = state.api.webhooks.retry_delivery(caller.user(), id).await?;
    Ok(HttpResponse::Accepted().json(Answer { delivery: DeliveryRecord::of(&delivery) }))
}

struct Errors;

impl IntoResponses for Errors {
    fn responses() -> ResponsesByStatus<RefOr<Response>> {
        error_responses(&[DELIVERY_ERRORS, &[ErrorCode::SubscriptionDisabled, ErrorCode::EventTooOld]].concat())
    }
}
