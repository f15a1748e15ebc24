//! The sessions of a user: the browsers that are signed in.
//!
//! See decision 67.

mod begin_visit;
mod current_session;
mod own_sessions;

use actix_web::web;
use utoipa::OpenApi;

use super::{DELETE, GET, POST, Routes};

pub(super) const ROUTES: Routes = &[
    (GET, "/api/session", || web::to(current_session::find_current_session)),
    (POST, "/api/session", || web::to(begin_visit::begin_visit)),
    (DELETE, "/api/session", || web::to(current_session::end_current_session)),
    (GET, "/api/sessions", || web::to(own_sessions::list_sessions)),
    (DELETE, "/api/sessions", || web::to(own_sessions::end_sessions)),
    (DELETE, "/api/sessions/{id}", || web::to(own_sessions::end_session)),
];

/// The operations of this group, for the OpenAPI document.
#[derive(OpenApi)]
#[openapi(paths(
    current_session::find_current_session,
    current_session::end_current_session,
    begin_visit::begin_visit,
    own_sessions::list_sessions,
    own_sessions::end_sessions,
    own_sessions::end_session,
))]
pub(super) struct Operations;
