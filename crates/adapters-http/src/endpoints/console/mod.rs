//! Signing in and out, for browsers. The pages of the console itself belong to another adapter.
//!
//! See decision 66.

mod callback;
mod leading_page;
mod login;
mod logout;

use actix_web::web;
use utoipa::OpenApi;

use super::Resources;

pub(super) const RESOURCES: Resources = &[
    ("/console/login", |resource| resource.route(web::get().to(login::login))),
    ("/console/callback", |resource| resource.route(web::get().to(callback::callback))),
    ("/console/logout", |resource| resource.route(web::post().to(logout::logout))),
];

/// The operations of this group, for the OpenAPI document.
#[derive(OpenApi)]
#[openapi(paths(login::login, callback::callback, logout::logout))]
pub(super) struct Operations;
