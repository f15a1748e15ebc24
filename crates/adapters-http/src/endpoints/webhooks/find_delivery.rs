use actix_web::web::{Data, Json};
use domain::{DeliveryId, UserId};
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::webhook_caller::WebhookReader;
use crate::documents::responses::{DELIVERY_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::parameters::path_id::PathId;
use crate::records::attempt_record::AttemptRecord;
use crate::records::delivery_record::DeliveryRecord;
use crate::records::event_record::EventRecord;
use crate::state::State;

/// A delivery with its event and its attempts.
#[derive(Serialize, ToSchema)]
#[schema(as = DeliveryHistory)]
pub(in crate::endpoints) struct Answer {
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
    security(("apiKey" = []), ("apiKeyHeader" = []), ("idToken" = []), ("idTokenHeader" = [])),
    params(("id" = String, Path, description = "The delivery's id")),
    responses((status = 200, description = "The delivery", body = Answer), Errors),
)]
pub(super) async fn find_delivery(
    caller: WebhookReader,
    state: Data<State>,
    id: PathId<DeliveryId>,
) -> Result<Json<Answer>, ApiError> {
    answer(&state, caller.user(), id.known()?).await
}

/// The delivery to this owner.
pub(in crate::endpoints) async fn answer(
    state: &State,
    owner: &UserId,
    id: DeliveryId,
) -> Result<Json<Answer>, ApiError> {
    let found = state.api.webhooks.find_delivery(owner, id).await?.ok_or(ErrorCode::DeliveryNotFound)?;
    let event = EventRecord::with_payload(&found.event);
    let event = event.map_err(|error| ApiError::Internal(format!("a stored payload: {error}").into()))?;
    Ok(Json(Answer {
        delivery: DeliveryRecord::of(&found.delivery),
        event,
        attempts: found.attempts.iter().map(AttemptRecord::with_response).collect(),
    }))
}

documented_errors!(Errors: [DELIVERY_ERRORS]);
