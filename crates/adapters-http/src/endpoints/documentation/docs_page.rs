use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use actix_web::HttpResponse;
use actix_web::http::header;
use actix_web::web::{Bytes, Path};
use utoipa_swagger_ui::Config;

use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;

/// The page requires its own scripts and styles, and calls only this service.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data:; connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";
/// The file of the page itself.
const PAGE: &str = "index.html";
/// The files change only with the version of the service.
const CACHE_CONTROL: &str = "public, max-age=3600";

/// Hides the bar that loads other documents, and makes the contrast of texts at least 4.5 to 1 (WCAG 2.1, AA).
const STYLE: &str = "
    .swagger-ui .topbar { display: none }
    .swagger-ui .info .title small { background: #4b5563 }
    .swagger-ui .info .title small.version-stamp { background: #3f6212 }
    .swagger-ui .info a, .swagger-ui .info .base-url, .swagger-ui .info .url { color: #1d4ed8 }
    .swagger-ui .btn.authorize { color: #166534; border-color: #166534 }
    .swagger-ui .btn.authorize span { color: #166534 }
    .swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1d4ed8 }
    .swagger-ui .opblock.opblock-post .opblock-summary-method { background: #166534 }
    .swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b91c1c }
    .swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #115e59 }
    .swagger-ui .json-schema-2020-12-expand-deep-button { color: #4b5563 }
";

/// No validator, because it would send the address of the document to a service on the internet. No deep links, because
/// they are links within buttons, which screen readers cannot reach.
static CONFIG: LazyLock<Arc<Config<'static>>> = LazyLock::new(|| {
    Arc::new(Config::from("/openapi.json").validator_url("none").deep_linking(false).try_it_out_enabled(true))
});

/// Shows the API as an interactive page.
#[utoipa::path(
    get,
    path = "/docs",
    tag = "Documentation",
    operation_id = "docsPage",
    responses((status = 200, description = "The page", body = String, content_type = "text/html")),
)]
pub(super) async fn docs_page() -> Result<HttpResponse, ApiError> {
    serve(PAGE)
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
pub(super) async fn docs_file(file: Path<String>) -> Result<HttpResponse, ApiError> {
    // With a trailing slash the path has an empty file name.
    serve(if file.is_empty() { PAGE } else { &file })
}

/// Returns an icon for browsers.
#[utoipa::path(
    get,
    path = "/favicon.ico",
    tag = "Documentation",
    operation_id = "favicon",
    responses((status = 200, description = "The icon", body = String, content_type = "image/png")),
)]
pub(super) async fn favicon() -> Result<HttpResponse, ApiError> {
    serve("favicon-32x32.png")
}

/// A file of the page.
#[derive(Clone)]
struct File {
    content_type: String,
    bytes: Bytes,
}

/// The files that were served before. All answers share their bytes, so that clients that do not read cost no memory.
static SERVED: LazyLock<RwLock<HashMap<String, File>>> = LazyLock::new(RwLock::default);

fn serve(name: &str) -> Result<HttpResponse, ApiError> {
    let File { content_type, bytes } = find(name)?;
    Ok(HttpResponse::Ok()
        .content_type(content_type)
        .insert_header((header::CACHE_CONTROL, CACHE_CONTROL))
        .insert_header((header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY))
        .body(bytes))
}

fn find(name: &str) -> Result<File, ApiError> {
    if let Some(file) = SERVED.read().unwrap_or_else(PoisonError::into_inner).get(name) {
        return Ok(file.clone());
    }
    let file = load(name)?;
    SERVED.write().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), file.clone());
    Ok(file)
}

fn load(name: &str) -> Result<File, ApiError> {
    let found = utoipa_swagger_ui::serve(name, Arc::clone(&CONFIG));
    let found = found.map_err(|error| ApiError::Internal(error.to_string().into()))?.ok_or(ErrorCode::NotFound)?;
    let bytes = if name == PAGE { adapted(&found.bytes) } else { found.bytes.into_owned().into() };
    Ok(File { content_type: found.content_type, bytes })
}

/// Adds a base URL, because the page refers to its files by relative names, and `/docs` has no trailing slash. Adds
/// [`STYLE`] and the width of phones, and names the main part of the page for screen readers.
fn adapted(page: &[u8]) -> Bytes {
    let head = r#"<head><base href="/docs/"><meta name="viewport" content="width=device-width, initial-scale=1">"#;
    let page = String::from_utf8_lossy(page).replacen("<head>", head, 1).replacen("Swagger UI", "Gatepost API", 1);
    let page = page.replacen("</head>", &format!("<style>{STYLE}</style></head>"), 1);
    page.replacen(r#"<div id="swagger-ui"></div>"#, r#"<main id="swagger-ui"></main>"#, 1).into()
}

documented_errors!(Errors: [], NotFound);
