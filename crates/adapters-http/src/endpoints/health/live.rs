use actix_web::web::Json;
use serde::Serialize;
use utoipa::ToSchema;

/// The process is alive.
#[derive(Serialize, ToSchema)]
#[schema(as = Liveness)]
pub(super) struct Answer {
    /// Always `ok`.
    #[schema(example = "ok")]
    status: &'static str,
}

/// Reports that the process is alive.
///
/// Checks nothing else, because a restart of this process does not repair a database that is down.
#[utoipa::path(
    get,
    path = "/livez",
    tag = "Health",
    operation_id = "live",
    responses((status = 200, description = "The process is alive", body = Answer)),
)]
pub(super) async fn live() -> Json<Answer> {
    Json(Answer { status: "ok" })
}
