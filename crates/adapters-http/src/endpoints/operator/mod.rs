//! The operator API, for the host application.

mod create_portal_link;
mod introspect;
mod list_audit_events;
mod list_user_keys;
mod publish_event;
mod publish_events;
mod report_leaks;
mod revoke_user_key;
mod revoke_user_keys;

use actix_web::web;
use utoipa::OpenApi;

use super::Resources;

pub(super) const RESOURCES: Resources = &[
    ("/api/operator/audit", |resource| resource.route(web::get().to(list_audit_events::list_audit_events))),
    ("/api/operator/events", |resource| resource.route(web::post().to(publish_event::publish_event))),
    ("/api/operator/events/batch", |resource| resource.route(web::post().to(publish_events::publish_events))),
    ("/api/operator/introspect", |resource| resource.route(web::post().to(introspect::introspect))),
    ("/api/operator/leaks", |resource| resource.route(web::post().to(report_leaks::report_leaks))),
    ("/api/operator/portal-links", |resource| resource.route(web::post().to(create_portal_link::create_portal_link))),
    ("/api/operator/users/{userId}/keys", |resource| {
        resource
            .route(web::get().to(list_user_keys::list_user_keys))
            .route(web::delete().to(revoke_user_keys::revoke_user_keys))
    }),
    ("/api/operator/users/{userId}/keys/{keyId}", |resource| {
        resource.route(web::delete().to(revoke_user_key::revoke_user_key))
    }),
];

/// The operations of this group, for the OpenAPI document.
#[derive(OpenApi)]
#[openapi(paths(
    publish_event::publish_event,
    publish_events::publish_events,
    introspect::introspect,
    list_audit_events::list_audit_events,
    report_leaks::report_leaks,
    create_portal_link::create_portal_link,
    list_user_keys::list_user_keys,
    revoke_user_key::revoke_user_key,
    revoke_user_keys::revoke_user_keys,
))]
pub(super) struct Operations;
