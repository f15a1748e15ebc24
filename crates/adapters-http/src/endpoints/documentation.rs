//! The OpenAPI document, the documentation page and the error pages.

use actix_web::http::header;
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use pages::File;

use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::{ErrorCode, ErrorEntry, error_reference};
use crate::state::State;

endpoints! {
    openapi_document,
    docs_page,
    docs_file,
    favicon,
    error_index,
    error_page,
}

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
    responses((status = 200, description = "The page", body = String, content_type = "text/html")),
)]
pub(super) async fn docs_page(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    serve(PAGE, &request)
}

/// Returns a script, a style or a picture of the documentation page.
#[utoipa::path(
    get,
    path = "/docs/{file}",
    params(("file" = String, Path, description = "The file's name")),
    responses(
        (status = 200, description = "The file", body = String, content_type = "application/octet-stream"),
        UnknownPage,
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

documented_errors!(UnknownPage: NotFound);

/// Returns this document.
#[utoipa::path(
    get,
    path = "/openapi.json",
    responses((status = 200, description = "OpenAPI 3.1", body = Object, content_type = "application/json")),
)]
pub(super) async fn openapi_document(state: Data<State>, request: HttpRequest) -> HttpResponse {
    let mut answer = HttpResponse::Ok();
    answer.insert_header((header::CACHE_CONTROL, "no-cache"));
    state.document.answer(&request, answer)
}

/// Lists all error codes.
#[utoipa::path(
    get,
    path = "/docs/errors",
    responses((status = 200, description = "The page", body = String, content_type = "text/html")),
)]
pub(super) async fn error_index() -> HttpResponse {
    let entries: String = error_reference().iter().map(listed).collect();
    page("Errors", &format!("<dl>{entries}</dl>"))
}

/// Phones have no room for a table of three columns.
fn listed(ErrorEntry { code, status, title, .. }: &ErrorEntry) -> String {
    format!("<dt>{status} <a href=\"/docs/errors/{code}\"><code>{code}</code></a></dt><dd>{title}</dd>")
}

/// Explains the cause and the cure of an error code. The `type` of a problem document points here.
#[utoipa::path(
    get,
    path = "/docs/errors/{code}",
    params(("code" = String, Path, description = "The code of a problem document", example = "invalid_field")),
    responses((status = 200, description = "The page", body = String, content_type = "text/html"), UnknownPage),
)]
pub(super) async fn error_page(code: Path<String>) -> Result<HttpResponse, ApiError> {
    let entry = error_reference().iter().find(|entry| entry.code == *code).ok_or(ErrorCode::NotFound)?;
    let ErrorEntry { code, status, title, cause, cure } = entry;
    let content = format!(
        "<p><code>{code}</code>, HTTP status {status}</p><h2>Cause</h2><p>{cause}</p><h2>Cure</h2><p>{cure}</p>\
         <p><a href=\"/docs/errors\">All errors</a></p>"
    );
    Ok(page(title, &content))
}

/// The strings are not escaped: they come from the table of codes, and a test checks that they contain no markup.
fn page(title: &str, content: &str) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(pages::MEDIA_TYPE)
        .insert_header((header::CACHE_CONTROL, CACHE_CONTROL))
        .body(pages::page(title, "", content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_the_table_is_markup() {
        for entry in error_reference() {
            let texts = [entry.code, entry.title, entry.cause, entry.cure].concat();
            assert!(!texts.contains(['<', '>', '&', '"']), "{}", entry.code);
        }
    }
}
