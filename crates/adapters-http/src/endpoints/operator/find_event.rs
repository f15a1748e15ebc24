use actix_web::web::Json;
use domain::audit::AuditTarget;

use crate::callers::operator::OperatorCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::records::event_record::LoggedEventRecord;

/// Shows a published event with its payload.
///
/// An event that no subscription received is stored without its payload. The user of the event sees this call in the
/// audit log.
#[utoipa::path(
    get,
    path = "/api/operator/events/{id}",
    tag = "Operator",
    operation_id = "findEvent",
    params(("id" = String, Path, description = "The event's id")),
    responses((status = 200, description = "The event", body = LoggedEventRecord), Errors),
)]
pub(super) async fn find_event(call: OperatorCall) -> Result<Json<LoggedEventRecord>, ApiError> {
    let found = call.api().webhooks.find_event(call.id()?).await?.ok_or(ErrorCode::EventNotFound)?;
    call.record_read(&found.event.owner, AuditTarget::Event(found.event.id)).await?;
    let shown = LoggedEventRecord::with_payload(&found);
    Ok(Json(shown.map_err(|error| ApiError::Internal(format!("a stored payload: {error}").into()))?))
}

documented_errors!(Errors: EventNotFound);
