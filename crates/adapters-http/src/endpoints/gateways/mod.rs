//! Endpoints that gateways call about a request.
//!
//! See decision 27.

mod forward_auth;

use actix_web::web;
use utoipa::OpenApi;

use super::Resources;

pub(super) const RESOURCES: Resources = &[
    ("/forward-auth", |resource| resource.route(web::to(forward_auth::forward_auth))),
    ("/forward-auth/{tail:.*}", |resource| resource.route(web::to(forward_auth::forward_auth_of_path))),
];

/// The operations of this group, for the OpenAPI document.
#[derive(OpenApi)]
#[openapi(paths(forward_auth::forward_auth, forward_auth::forward_auth_of_path,))]
pub(super) struct Operations;
