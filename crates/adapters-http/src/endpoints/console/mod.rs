//! Sign-in and sign-out, for browsers and command lines. The pages of the console itself belong to another adapter.
//!
//! See decision 66.

mod callback;
mod command_line_client;
mod leading_page;
mod login;
mod logout;

use actix_web::web;
use utoipa::OpenApi;

use super::{GET, POST, Routes};

pub(super) const ROUTES: Routes = &[
    (GET, "/console/login", || web::to(login::login)),
    (GET, "/console/callback", || web::to(callback::callback)),
    (GET, "/api/command-line-client", || web::to(command_line_client::command_line_client)),
    (POST, "/console/logout", || web::to(logout::logout)),
];

/// The operations of this group, for the OpenAPI document.
#[derive(OpenApi)]
#[openapi(paths(login::login, callback::callback, command_line_client::command_line_client, logout::logout,))]
pub(super) struct Operations;
