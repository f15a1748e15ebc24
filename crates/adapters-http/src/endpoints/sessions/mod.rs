//! The sessions of a user: who is signed in, and where.
//!
//! See decision 67.

mod all_sessions;
mod begin_visit;
mod current_session;
mod end_session;

use actix_web::web;
use utoipa::OpenApi;

use super::Resources;

pub(super) const RESOURCES: Resources = &[
    ("/api/session", |resource| {
        resource
            .route(web::get().to(current_session::find_current_session))
            .route(web::post().to(begin_visit::begin_visit))
            .route(web::delete().to(current_session::end_current_session))
    }),
    ("/api/sessions", |resource| {
        resource.route(web::get().to(all_sessions::list_sessions)).route(web::delete().to(all_sessions::end_sessions))
    }),
    ("/api/sessions/{id}", |resource| resource.route(web::delete().to(end_session::end_session))),
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
