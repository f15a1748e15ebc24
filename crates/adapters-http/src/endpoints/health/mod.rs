//! Liveness and readiness.

mod live;
mod ready;

use actix_web::web;
use utoipa::OpenApi;

use super::Resources;

pub(super) const RESOURCES: Resources = &[
    ("/livez", |resource| resource.route(web::get().to(live::live))),
    ("/readyz", |resource| resource.route(web::get().to(ready::ready))),
    ("/healthz", |resource| resource.route(web::get().to(ready::health))),
];

/// The operations of this group, for the OpenAPI document.
#[derive(OpenApi)]
#[openapi(paths(live::live, ready::ready, ready::health,))]
pub(super) struct Operations;
