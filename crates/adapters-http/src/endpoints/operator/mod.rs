//! The operator API, for the host application and for support staff. See decision 78.

mod create_portal_link;
mod find_event;
mod find_system_state;
mod find_user_delivery;
mod find_user_subscription;
mod introspect;
mod list_audit_events;
mod list_events;
mod list_failing_subscriptions;
mod list_user_deliveries;
mod list_user_failures;
mod list_user_keys;
mod list_user_subscriptions;
mod log_filter;
mod publish_event;
mod publish_events;
mod recover_user_subscription;
mod report_leaks;
mod retry_user_delivery;
mod retry_user_failures;
mod revoke_user_key;
mod revoke_user_keys;
mod user_sessions;

use actix_web::web;
use utoipa::OpenApi;

use super::Resources;

pub(super) const RESOURCES: Resources = &[
    ("/api/operator/audit", |resource| resource.route(web::get().to(list_audit_events::list_audit_events))),
    ("/api/operator/events", |resource| {
        resource.route(web::get().to(list_events::list_events)).route(web::post().to(publish_event::publish_event))
    }),
    ("/api/operator/events/batch", |resource| resource.route(web::post().to(publish_events::publish_events))),
    ("/api/operator/events/{id}", |resource| resource.route(web::get().to(find_event::find_event))),
    ("/api/operator/failing-subscriptions", |resource| {
        resource.route(web::get().to(list_failing_subscriptions::list_failing_subscriptions))
    }),
    ("/api/operator/introspect", |resource| resource.route(web::post().to(introspect::introspect))),
    ("/api/operator/leaks", |resource| resource.route(web::post().to(report_leaks::report_leaks))),
    ("/api/operator/log-filter", |resource| {
        resource.route(web::get().to(log_filter::find_log_filter)).route(web::post().to(log_filter::change_log_filter))
    }),
    ("/api/operator/portal-links", |resource| resource.route(web::post().to(create_portal_link::create_portal_link))),
    ("/api/operator/system", |resource| resource.route(web::get().to(find_system_state::find_system_state))),
    ("/api/operator/users/{userId}/keys", |resource| {
        resource
            .route(web::get().to(list_user_keys::list_user_keys))
            .route(web::delete().to(revoke_user_keys::revoke_user_keys))
    }),
    ("/api/operator/users/{userId}/keys/{keyId}", |resource| {
        resource.route(web::delete().to(revoke_user_key::revoke_user_key))
    }),
    ("/api/operator/users/{userId}/subscriptions", |resource| {
        resource.route(web::get().to(list_user_subscriptions::list_user_subscriptions))
    }),
    ("/api/operator/users/{userId}/subscriptions/{id}", |resource| {
        resource.route(web::get().to(find_user_subscription::find_user_subscription))
    }),
    ("/api/operator/users/{userId}/subscriptions/{id}/recover", |resource| {
        resource.route(web::post().to(recover_user_subscription::recover_user_subscription))
    }),
    ("/api/operator/users/{userId}/deliveries", |resource| {
        resource.route(web::get().to(list_user_deliveries::list_user_deliveries))
    }),
    ("/api/operator/users/{userId}/deliveries/{id}", |resource| {
        resource.route(web::get().to(find_user_delivery::find_user_delivery))
    }),
    ("/api/operator/users/{userId}/deliveries/{id}/retry", |resource| {
        resource.route(web::post().to(retry_user_delivery::retry_user_delivery))
    }),
    ("/api/operator/users/{userId}/failures", |resource| {
        resource.route(web::get().to(list_user_failures::list_user_failures))
    }),
    ("/api/operator/users/{userId}/failures/retry", |resource| {
        resource.route(web::post().to(retry_user_failures::retry_user_failures))
    }),
    ("/api/operator/users/{userId}/sessions", |resource| {
        resource
            .route(web::get().to(user_sessions::list_user_sessions))
            .route(web::delete().to(user_sessions::end_user_sessions))
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
    list_events::list_events,
    find_event::find_event,
    list_failing_subscriptions::list_failing_subscriptions,
    find_system_state::find_system_state,
    log_filter::find_log_filter,
    log_filter::change_log_filter,
    list_user_keys::list_user_keys,
    revoke_user_key::revoke_user_key,
    revoke_user_keys::revoke_user_keys,
    list_user_subscriptions::list_user_subscriptions,
    find_user_subscription::find_user_subscription,
    recover_user_subscription::recover_user_subscription,
    list_user_deliveries::list_user_deliveries,
    find_user_delivery::find_user_delivery,
    retry_user_delivery::retry_user_delivery,
    list_user_failures::list_user_failures,
    retry_user_failures::retry_user_failures,
    user_sessions::list_user_sessions,
    user_sessions::end_user_sessions,
))]
pub(super) struct Operations;
