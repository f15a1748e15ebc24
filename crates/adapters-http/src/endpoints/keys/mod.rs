//! API keys and credentials, for users.

mod create_key;
mod daily_uses;
mod key_usage;
mod list_keys;
mod revoke_key;
mod rotate_key;
mod whoami;

use actix_web::web;
use utoipa::OpenApi;

use super::Resources;

pub(super) const RESOURCES: Resources = &[
    ("/api/api-keys", |resource| {
        resource
            .route(web::get().to(list_keys::list_keys))
            .route(web::post().to(create_key::create_key))
            .route(web::delete().to(revoke_key::revoke_key))
    }),
    ("/api/api-keys/usage", |resource| resource.route(web::get().to(daily_uses::daily_uses))),
    ("/api/api-keys/{keyId}/rotate", |resource| resource.route(web::post().to(rotate_key::rotate_key))),
    ("/api/api-keys/{keyId}/usage", |resource| resource.route(web::get().to(key_usage::key_usage))),
    ("/api/whoami", |resource| resource.route(web::get().to(whoami::whoami))),
];

/// The operations of this group, for the OpenAPI document.
#[derive(OpenApi)]
#[openapi(paths(
    list_keys::list_keys,
    create_key::create_key,
    revoke_key::revoke_key,
    rotate_key::rotate_key,
    key_usage::key_usage,
    daily_uses::daily_uses,
    whoami::whoami,
))]
pub(super) struct Operations;
