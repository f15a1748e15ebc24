//! Liveness and readiness.

mod probes;

use actix_web::web;
use utoipa::OpenApi;

use super::{GET, Routes};

pub(super) const ROUTES: Routes = &[
    (GET, "/livez", || web::to(probes::live)),
    (GET, "/readyz", || web::to(probes::ready)),
    (GET, "/healthz", || web::to(probes::health)),
];

/// The operations of this group, for the OpenAPI document.
#[derive(OpenApi)]
#[openapi(paths(probes::live, probes::ready, probes::health,))]
pub(super) struct Operations;
