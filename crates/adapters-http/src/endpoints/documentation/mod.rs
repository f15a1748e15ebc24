//! The OpenAPI document, the documentation page and the error pages.

mod docs_page;
mod error_pages;
mod openapi_document;

use actix_web::web;
use utoipa::OpenApi;

use super::Resources;

pub(super) const RESOURCES: Resources = &[
    ("/openapi.json", |resource| resource.route(web::get().to(openapi_document::openapi_document))),
    ("/docs", |resource| resource.route(web::get().to(docs_page::docs_page))),
    ("/favicon.ico", |resource| resource.route(web::get().to(docs_page::favicon))),
    ("/docs/errors", |resource| resource.route(web::get().to(error_pages::error_index))),
    ("/docs/errors/{code}", |resource| resource.route(web::get().to(error_pages::error_page))),
    ("/docs/{file:[^/]*}", |resource| resource.route(web::get().to(docs_page::docs_file))),
];

/// The operations of this group, for the OpenAPI document.
#[derive(OpenApi)]
#[openapi(paths(
    openapi_document::openapi_document,
    docs_page::docs_page,
    docs_page::docs_file,
    docs_page::favicon,
    error_pages::error_index,
    error_pages::error_page,
))]
pub(super) struct Operations;
