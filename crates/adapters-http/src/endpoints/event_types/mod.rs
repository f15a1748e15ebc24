//! The catalogue of event types, for everybody with a credential.
//!
//! See decision 134.

mod catalogue;
mod catalogue_document;

use actix_web::web;
use utoipa::OpenApi;

use super::{GET, Routes};

pub(super) const ROUTES: Routes = &[
    (GET, "/api/event-types", || web::to(catalogue::list_event_types)),
    (GET, "/api/event-types/openapi.json", || web::to(catalogue::export_event_types)),
    (GET, "/api/event-types/{name}", || web::to(catalogue::find_event_type)),
];

/// The operations of this group, for the OpenAPI document.
#[derive(OpenApi)]
#[openapi(paths(catalogue::list_event_types, catalogue::find_event_type, catalogue::export_event_types))]
pub(super) struct Operations;
