use actix_web::web::{Data, Json};

use crate::callers::operator::Operator;
use crate::documents::responses::{OPERATOR_ERRORS, documented_errors};
use crate::records::system_record::SystemRecord;
use crate::state::State;

/// Shows how the instance that answers and the store are doing.
///
/// The figures are those of the metrics. The answer comes from memory: what only the database knows is read every ten
/// seconds, and `queue.ageSeconds` says how long ago.
#[utoipa::path(
    get,
    path = "/api/operator/system",
    tag = "Operator",
    operation_id = "findSystemState",
    security(("operatorToken" = [])),
    responses((status = 200, description = "The state", body = SystemRecord), Errors),
)]
pub(super) async fn find_system_state(_: Operator, state: Data<State>) -> Json<SystemRecord> {
    Json(SystemRecord::of(&state.api.system.read()))
}

documented_errors!(Errors: [OPERATOR_ERRORS]);
