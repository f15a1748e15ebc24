//! The operator API, for the host application and for support staff. See decision 128.

mod create_portal_link;
mod event_types;
mod events;
mod instance;
mod introspect;
mod list_audit_events;
mod list_failing_subscriptions;
mod owners;
mod publish_event;
mod publish_events;
mod report_leaks;
mod revoke_user_keys;

use actix_web::web;
use utoipa::OpenApi;

use super::{DELETE, GET, PATCH, POST, PUT, Routes, keys};

pub(super) const ROUTES: Routes = &[
    (GET, "/api/operator/audit", || web::to(list_audit_events::list_audit_events)),
    (GET, "/api/operator/event-types", || web::to(event_types::list_all_event_types)),
    (GET, "/api/operator/event-types/{name}", || web::to(event_types::find_any_event_type)),
    (PUT, "/api/operator/event-types/{name}", || web::to(event_types::put_event_type)),
    (DELETE, "/api/operator/event-types/{name}", || web::to(event_types::archive_event_type)),
    (GET, "/api/operator/events", || web::to(events::list_events)),
    (POST, "/api/operator/events", || web::to(publish_event::publish_event)),
    (POST, "/api/operator/events/batch", || web::to(publish_events::publish_events)),
    (GET, "/api/operator/events/{id}", || web::to(events::find_event)),
    (GET, "/api/operator/failing-subscriptions", || web::to(list_failing_subscriptions::list_failing_subscriptions)),
    (POST, "/api/operator/introspect", || web::to(introspect::introspect)),
    (POST, "/api/operator/leaks", || web::to(report_leaks::report_leaks)),
    (GET, "/api/operator/log-filter", || web::to(instance::find_log_filter)),
    (POST, "/api/operator/log-filter", || web::to(instance::change_log_filter)),
    (POST, "/api/operator/portal-links", || web::to(create_portal_link::create_portal_link)),
    (GET, "/api/operator/system", || web::to(instance::find_system_state)),
    (GET, "/api/operator/users/{userId}", || web::to(owners::find_owner)),
    (PATCH, "/api/operator/users/{userId}", || web::to(owners::change_owner)),
    (PUT, "/api/operator/users/{userId}/state", || web::to(owners::set_owner_state)),
    (DELETE, "/api/operator/users/{userId}/keys", || web::to(revoke_user_keys::revoke_user_keys)),
    (DELETE, "/api/operator/users/{userId}/keys/{keyId}", || web::to(keys::revoke_key::revoke_user_key)),
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
    events::list_events,
    events::find_event,
    list_failing_subscriptions::list_failing_subscriptions,
    event_types::list_all_event_types,
    event_types::find_any_event_type,
    event_types::put_event_type,
    event_types::archive_event_type,
    instance::find_system_state,
    instance::find_log_filter,
    instance::change_log_filter,
    owners::find_owner,
    owners::change_owner,
    owners::set_owner_state,
    keys::revoke_key::revoke_user_key,
    revoke_user_keys::revoke_user_keys,
))]
pub(super) struct Operations;
