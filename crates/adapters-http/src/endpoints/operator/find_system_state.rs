use actix_web::web::Json;

use crate::callers::operator::OperatorCall;
use crate::records::system_record::SystemRecord;

/// Shows how the instance that answers and the store are doing.
///
/// The figures are those of the metrics. The answer comes from memory: what only the database knows is read every ten
/// seconds, and `queue.ageSeconds` says how long ago.
#[utoipa::path(
    get,
    path = "/api/operator/system",
    tag = "Operator",
    operation_id = "findSystemState",
    responses((status = 200, description = "The state", body = SystemRecord)),
)]
pub(super) async fn find_system_state(call: OperatorCall) -> Json<SystemRecord> {
    Json(SystemRecord::of(&call.api().system.read()))
}
