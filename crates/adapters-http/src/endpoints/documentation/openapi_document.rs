use std::sync::LazyLock;

use actix_web::HttpResponse;
use actix_web::http::header;
use actix_web::web::Bytes;

use crate::documents::openapi::openapi_json;

static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| Bytes::from(openapi_json()));

/// This document.
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = "Documentation",
    operation_id = "openapiDocument",
    responses((status = 200, description = "OpenAPI 3.1", body = Object, content_type = "application/json")),
)]
pub(super) async fn openapi_document() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("application/json")
        .insert_header((header::CACHE_CONTROL, "no-cache"))
        .body(DOCUMENT.clone())
}
