//! Signing in and out, for browsers and command lines. The pages of the console itself belong to another adapter.
//!
//! See decision 66.

mod callback;
mod command_line_client;
mod leading_page;
mod login;
mod logout;

use actix_web::web;
use utoipa::OpenApi;

use super::Resources;

pub(super) const RESOURCES: Resources = &[
    ("/console/login", |resource| resource.route(web::get().to(login::login))),
    ("/console/callback", |resource| resource.route(web::get().to(callback::callback))),
    ("/api/command-line-client", |resource| resource.route(web::get().to(command_line_client::command_line_client))),
    ("/console/logout", |resource| resource.route(web::post().to(logout::logout))),
];

/// The operations of this group, for the OpenAPI document.
#[derive(OpenApi)]
#[openapi(paths(login::login, callback::callback, command_line_client::command_line_client, logout::logout,))]
pub(super) struct Operations;
