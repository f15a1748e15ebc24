use actix_web::http::header;
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use pages::File;

use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::state::State;

/// The files that `build.rs` packed.
mod packed {
    include!(concat!(env!("OUT_DIR"), "/packed.rs"));
}

/// The page requires its own scripts and styles, and calls only this service.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data:; connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";
/// The HTML file of the page.
const PAGE: &str = "index.html";
/// The files change only with the version of the service.
const CACHE_CONTROL: &str = "public, max-age=3600";

/// Shows the API as an interactive page.
#[utoipa::path(
    get,
    path = "/docs",
    tag = "Documentation",
    operation_id = "docsPage",
    responses((status = 200, description = "The page", body = String, content_type = "text/html")),
)]
pub(super) async fn docs_page(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    serve(PAGE, &request)
}

/// Returns a script, a style or a picture of the documentation page.
#[utoipa::path(
    get,
    path = "/docs/{file}",
    tag = "Documentation",
    operation_id = "docsFile",
    params(("file" = String, Path, description = "The file's name")),
    responses(
        (status = 200, description = "The file", body = String, content_type = "application/octet-stream"),
        Errors,
    ),
)]
pub(super) async fn docs_file(file: Path<String>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    // With a trailing slash the path has an empty file name.
    serve(if file.is_empty() { PAGE } else { &file }, &request)
}

/// Returns an icon for browsers.
#[utoipa::path(
    get,
    path = "/favicon.ico",
    tag = "Documentation",
    operation_id = "favicon",
    responses((status = 200, description = "The icon", body = String, content_type = "image/png")),
)]
pub(super) async fn favicon(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    serve("favicon-32x32.png", &request)
}

fn serve(name: &str, request: &HttpRequest) -> Result<HttpResponse, ApiError> {
    let file = File::find(&packed::FILES, name).ok_or(ErrorCode::NotFound)?;
    let mut answer = HttpResponse::Ok();
    answer
        .insert_header((header::CACHE_CONTROL, CACHE_CONTROL))
        .insert_header((header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY));
    Ok(file.answer(request, answer))
}

documented_errors!(Errors: NotFound);

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
