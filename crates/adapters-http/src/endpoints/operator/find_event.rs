use actix_web::HttpRequest;
use actix_web::web::{Data, Json};
use domain::EventId;
use domain::audit::AuditTarget;

use crate::boundary::exchange::origin_of;
use crate::callers::operator::Operator;
use crate::documents::responses::{OPERATOR_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::parameters::path_id::PathId;
use crate::records::event_record::LoggedEventRecord;
use crate::state::State;

/// Shows a published event with its payload.
///
/// An event that no subscription received is stored without its payload. The user of the event sees this call in the
/// audit log.
#[utoipa::path(
    get,
    path = "/api/operator/events/{id}",
    tag = "Operator",
    operation_id = "findEvent",
    security(("operatorToken" = [])),
    params(("id" = String, Path, description = "The event's id")),
    responses((status = 200, description = "The event", body = LoggedEventRecord), Errors),
)]
pub(super) async fn find_event(
    _: Operator,
    state: Data<State>,
    id: PathId<EventId>,
    request: HttpRequest,
) -> Result<Json<LoggedEventRecord>, ApiError> {
    let found = state.api.webhooks.find_event(id.known()?).await?.ok_or(ErrorCode::EventNotFound)?;
    let (owner, id) = (&found.event.owner, found.event.id);
    state.api.audit.record_read(owner, AuditTarget::Event(id), &origin_of(&request)).await?;
    let shown = LoggedEventRecord::with_payload(&found);
    Ok(Json(shown.map_err(|error| ApiError::Internal(format!("a stored payload: {error}").into()))?))
}

documented_errors!(Errors: [OPERATOR_ERRORS], EventNotFound);
