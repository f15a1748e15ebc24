use actix_web::HttpResponse;
use actix_web::http::header;
use actix_web::web::Path;

use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::{ErrorCode, ErrorEntry, error_reference};

const CACHE_CONTROL: &str = "public, max-age=3600";

/// Lists all error codes.
#[utoipa::path(
    get,
    path = "/docs/errors",
    tag = "Documentation",
    operation_id = "errorIndex",
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
    tag = "Documentation",
    operation_id = "errorPage",
    params(("code" = String, Path, description = "The code of a problem document", example = "invalid_field")),
    responses((status = 200, description = "The page", body = String, content_type = "text/html"), Errors),
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

documented_errors!(Errors: NotFound);

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
