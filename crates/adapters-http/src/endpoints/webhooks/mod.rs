//! Webhook subscriptions and deliveries, for users.
//!
//! See decisions 9, 15 and 35.

mod attempt_times;
mod cancel_delivery;
mod change_subscription;
mod count_recoverable;
mod create_subscription;
mod delete_subscription;
pub(super) mod find_delivery;
pub(super) mod find_subscription;
pub(super) mod list_deliveries;
pub(super) mod list_failures;
pub(super) mod list_subscriptions;
mod outcomes;
pub(super) mod recover_subscription;
mod retry_delivery;
pub(super) mod retry_failures;
mod rotate_secret;
mod stream_attempts;
mod test_subscription;
mod test_url;

use actix_web::web;
use utoipa::OpenApi;

use super::Resources;

pub(super) const RESOURCES: Resources = &[
    ("/api/webhooks/subscriptions", |resource| {
        resource
            .route(web::get().to(list_subscriptions::list_subscriptions))
            .route(web::post().to(create_subscription::create_subscription))
    }),
    ("/api/webhooks/subscriptions/{id}", |resource| {
        resource
            .route(web::get().to(find_subscription::find_subscription))
            .route(web::patch().to(change_subscription::change_subscription))
            .route(web::delete().to(delete_subscription::delete_subscription))
    }),
    ("/api/webhooks/subscriptions/{id}/rotate-secret", |resource| {
        resource.route(web::post().to(rotate_secret::rotate_secret))
    }),
    ("/api/webhooks/subscriptions/{id}/test", |resource| {
        resource.route(web::post().to(test_subscription::test_subscription))
    }),
    ("/api/webhooks/subscriptions/{id}/recover", |resource| {
        resource.route(web::post().to(recover_subscription::recover_subscription))
    }),
    ("/api/webhooks/subscriptions/{id}/recoverable", |resource| {
        resource.route(web::get().to(count_recoverable::count_recoverable))
    }),
    ("/api/webhooks/subscriptions/{id}/times", |resource| resource.route(web::get().to(attempt_times::attempt_times))),
    ("/api/webhooks/subscriptions/{id}/outcomes", |resource| {
        resource.route(web::get().to(outcomes::subscription_outcomes))
    }),
    ("/api/webhooks/outcomes", |resource| resource.route(web::get().to(outcomes::outcomes))),
    ("/api/webhooks/test", |resource| resource.route(web::post().to(test_url::test_url))),
    ("/api/webhooks/failures", |resource| resource.route(web::get().to(list_failures::list_failures))),
    ("/api/webhooks/failures/retry", |resource| resource.route(web::post().to(retry_failures::retry_failures))),
    ("/api/webhooks/deliveries", |resource| resource.route(web::get().to(list_deliveries::list_deliveries))),
    ("/api/webhooks/deliveries/stream", |resource| resource.route(web::get().to(stream_attempts::stream_attempts))),
    ("/api/webhooks/deliveries/{id}", |resource| resource.route(web::get().to(find_delivery::find_delivery))),
    ("/api/webhooks/deliveries/{id}/retry", |resource| resource.route(web::post().to(retry_delivery::retry_delivery))),
    ("/api/webhooks/deliveries/{id}/cancel", |resource| {
        resource.route(web::post().to(cancel_delivery::cancel_delivery))
    }),
];

/// The operations of this group, for the OpenAPI document.
#[derive(OpenApi)]
#[openapi(paths(
    create_subscription::create_subscription,
    list_subscriptions::list_subscriptions,
    find_subscription::find_subscription,
    change_subscription::change_subscription,
    delete_subscription::delete_subscription,
    rotate_secret::rotate_secret,
    test_subscription::test_subscription,
    test_url::test_url,
    attempt_times::attempt_times,
    outcomes::outcomes,
    outcomes::subscription_outcomes,
    count_recoverable::count_recoverable,
    recover_subscription::recover_subscription,
    list_failures::list_failures,
    retry_failures::retry_failures,
    list_deliveries::list_deliveries,
    stream_attempts::stream_attempts,
    find_delivery::find_delivery,
    retry_delivery::retry_delivery,
    cancel_delivery::cancel_delivery,
))]
pub(super) struct Operations;
