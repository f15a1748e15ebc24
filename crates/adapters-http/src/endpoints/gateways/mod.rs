//! Endpoints that gateways call about a request.
//!
//! See `docs/gateways/README.md`.

mod forward_auth;

use actix_web::web;
use utoipa::OpenApi;

use super::{ANY, Routes};

pub(super) const ROUTES: Routes = &[
    (ANY, "/forward-auth", || web::to(forward_auth::forward_auth)),
    (ANY, "/forward-auth/{tail:.*}", || web::to(forward_auth::forward_auth_of_path)),
];

/// The operations of this group, for the OpenAPI document.
#[derive(OpenApi)]
#[openapi(paths(forward_auth::forward_auth, forward_auth::forward_auth_of_path,))]
pub(super) struct Operations;
