//! API keys and credentials, for users.

mod change_key;
mod create_key;
mod daily_uses;
mod key_usage;
mod list_keys;
pub(super) mod revoke_key;
mod rotate_key;
mod whoami;

use actix_web::web;
use utoipa::OpenApi;

use super::{DELETE, GET, PATCH, POST, Routes};

pub(super) const ROUTES: Routes = &[
    (GET, "/api/api-keys", || web::to(list_keys::list_keys)),
    (POST, "/api/api-keys", || web::to(create_key::create_key)),
    (DELETE, "/api/api-keys", || web::to(revoke_key::revoke_key)),
    (PATCH, "/api/api-keys/{keyId}", || web::to(change_key::change_key)),
    (GET, "/api/api-keys/usage", || web::to(daily_uses::daily_uses)),
    (POST, "/api/api-keys/{keyId}/rotate", || web::to(rotate_key::rotate_key)),
    (GET, "/api/api-keys/{keyId}/usage", || web::to(key_usage::key_usage)),
    (GET, "/api/whoami", || web::to(whoami::whoami)),
];

/// The operations of this group, for the OpenAPI document.
#[derive(OpenApi)]
#[openapi(paths(
    list_keys::list_keys,
    create_key::create_key,
    change_key::change_key,
    revoke_key::revoke_key,
    rotate_key::rotate_key,
    key_usage::key_usage,
    daily_uses::daily_uses,
    whoami::whoami,
))]
pub(super) struct Operations;
