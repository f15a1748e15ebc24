use actix_web::web::Json;
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::records::attempt_record::AttemptRecord;
use crate::records::delivery_record::DeliveryRecord;
use crate::records::event_record::EventRecord;

/// A delivery with its event and its attempts.
#[derive(Serialize, ToSchema)]
#[schema(as = DeliveryHistory)]
pub(super) struct Answer {
    /// The delivery.
    delivery: DeliveryRecord,
    /// The event, including the body that is sent.
    event: EventRecord,
    /// The attempts that have ended, oldest first. Only the last 100, if there are more.
    attempts: Vec<AttemptRecord>,
}

/// Shows a delivery, its event and the result of each attempt.
#[utoipa::path(
    get,
    path = "/api/webhooks/deliveries/{id}",
    tag = "Deliveries",
    operation_id = "findDelivery",
    responses((status = 200, description = "The delivery", body = Answer), Errors),
)]
pub(super) async fn find_delivery(call: OwnerCall) -> Result<Json<Answer>, ApiError> {
    let found = call.api().webhooks.find_delivery(call.owner(), call.id()?).await?;
    let found = found.ok_or(ErrorCode::DeliveryNotFound)?;
    let event = EventRecord::with_payload(&found.event);
    let event = event.map_err(|error| ApiError::Internal(format!("a stored payload: {error}").into()))?;
    Ok(Json(Answer {
        delivery: DeliveryRecord::of(&found.delivery),
        event,
        attempts: found.attempts.iter().map(AttemptRecord::with_response).collect(),
    }))
}

documented_errors!(Errors: DeliveryNotFound);
