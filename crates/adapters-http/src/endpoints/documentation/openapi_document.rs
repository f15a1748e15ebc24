use actix_web::http::header;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};

use crate::state::State;

/// Returns this document.
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = "Documentation",
    operation_id = "openapiDocument",
    responses((status = 200, description = "OpenAPI 3.1", body = Object, content_type = "application/json")),
)]
pub(super) async fn openapi_document(state: Data<State>, request: HttpRequest) -> HttpResponse {
    let mut answer = HttpResponse::Ok();
    answer.insert_header((header::CACHE_CONTROL, "no-cache"));
    state.document.answer(&request, answer)
}
