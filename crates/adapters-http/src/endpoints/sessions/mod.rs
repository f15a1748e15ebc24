//! The sessions of a user: who is signed in, and where.
//!
//! See decision 67.

mod all_sessions;
mod begin_visit;
mod current_session;
mod end_session;

use actix_web::web;
use utoipa::OpenApi;

use super::{DELETE, GET, POST, Routes};

pub(super) const ROUTES: Routes = &[
    (GET, "/api/session", || web::to(current_session::find_current_session)),
    (POST, "/api/session", || web::to(begin_visit::begin_visit)),
    (DELETE, "/api/session", || web::to(current_session::end_current_session)),
    (GET, "/api/sessions", || web::to(all_sessions::list_sessions)),
    (DELETE, "/api/sessions", || web::to(all_sessions::end_sessions)),
    (DELETE, "/api/sessions/{id}", || web::to(end_session::end_session)),
];

/// The operations of this group, for the OpenAPI document.
#[derive(OpenApi)]
#[openapi(paths(
    current_session::find_current_session,
    current_session::end_current_session,
    begin_visit::begin_visit,
    all_sessions::list_sessions,
    all_sessions::end_sessions,
    end_session::end_session,
))]
pub(super) struct Operations;
