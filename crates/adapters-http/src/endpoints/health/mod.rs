//! Liveness and readiness.

mod live;
mod ready;

use actix_web::web;
use utoipa::OpenApi;

use super::{GET, Routes};

pub(super) const ROUTES: Routes = &[
    (GET, "/livez", || web::to(live::live)),
    (GET, "/readyz", || web::to(ready::ready)),
    (GET, "/healthz", || web::to(ready::health)),
];

/// The operations of this group, for the OpenAPI document.
#[derive(OpenApi)]
#[openapi(paths(live::live, ready::ready, ready::health,))]
pub(super) struct Operations;
