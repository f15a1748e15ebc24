//! The OpenAPI document, the documentation page and the error pages.

mod docs_page;
mod error_pages;

use actix_web::web;
use utoipa::OpenApi;

use super::{GET, Routes};

pub(super) const ROUTES: Routes = &[
    (GET, "/openapi.json", || web::to(docs_page::openapi_document)),
    (GET, "/docs", || web::to(docs_page::docs_page)),
    (GET, "/favicon.ico", || web::to(docs_page::favicon)),
    (GET, "/docs/errors", || web::to(error_pages::error_index)),
    (GET, "/docs/errors/{code}", || web::to(error_pages::error_page)),
    (GET, "/docs/{file:[^/]*}", || web::to(docs_page::docs_file)),
];

/// The operations of this group, for the OpenAPI document.
#[derive(OpenApi)]
#[openapi(paths(
    docs_page::openapi_document,
    docs_page::docs_page,
    docs_page::docs_file,
    docs_page::favicon,
    error_pages::error_index,
    error_pages::error_page,
))]
pub(super) struct Operations;
