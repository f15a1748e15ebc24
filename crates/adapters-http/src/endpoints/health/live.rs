use actix_web::web::Json;
use serde::Serialize;
use utoipa::ToSchema;

/// That the process lives.
#[derive(Serialize, ToSchema)]
#[schema(as = Liveness)]
pub(super) struct Answer {
    /// Always `ok`.
    #[schema(example = "ok")]
    status: &'static str,
}

/// Whether the process lives.
///
/// Asks nothing else: a database that is down is no reason to restart this process.
#[utoipa::path(
    get,
    path = "/livez",
    tag = "Health",
    operation_id = "live",
    responses((status = 200, description = "It lives", body = Answer)),
)]
pub(super) async fn live() -> Json<Answer> {
    Json(Answer { status: "ok" })
}
