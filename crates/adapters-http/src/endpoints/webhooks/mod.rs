//! Webhook subscriptions and deliveries, for users.
//!
//! See decision 35.

mod attempt_times;
mod cancel_delivery;
mod change_subscription;
mod count_recoverable;
mod create_subscription;
mod delete_subscription;
mod find_delivery;
mod find_subscription;
mod list_deliveries;
mod list_failures;
mod list_subscriptions;
mod outcomes;
mod recover_subscription;
mod retry_delivery;
mod retry_failures;
mod rotate_secret;
mod stream_attempts;
mod test_filter;
mod test_subscription;
mod test_url;

use actix_web::web;
use utoipa::OpenApi;

use super::{DELETE, GET, PATCH, POST, Routes};

pub(super) const ROUTES: Routes = &[
    (GET, "/api/webhooks/subscriptions", || web::to(list_subscriptions::list_subscriptions)),
    (POST, "/api/webhooks/subscriptions", || web::to(create_subscription::create_subscription)),
    (GET, "/api/webhooks/subscriptions/{id}", || web::to(find_subscription::find_subscription)),
    (PATCH, "/api/webhooks/subscriptions/{id}", || web::to(change_subscription::change_subscription)),
    (DELETE, "/api/webhooks/subscriptions/{id}", || web::to(delete_subscription::delete_subscription)),
    (POST, "/api/webhooks/subscriptions/{id}/rotate-secret", || web::to(rotate_secret::rotate_secret)),
    (POST, "/api/webhooks/subscriptions/{id}/test", || web::to(test_subscription::test_subscription)),
    (POST, "/api/webhooks/subscriptions/{id}/recover", || web::to(recover_subscription::recover_subscription)),
    (GET, "/api/webhooks/subscriptions/{id}/recoverable", || web::to(count_recoverable::count_recoverable)),
    (GET, "/api/webhooks/subscriptions/{id}/times", || web::to(attempt_times::attempt_times)),
    (GET, "/api/webhooks/subscriptions/{id}/outcomes", || web::to(outcomes::subscription_outcomes)),
    (GET, "/api/webhooks/outcomes", || web::to(outcomes::outcomes)),
    (POST, "/api/webhooks/test", || web::to(test_url::test_url)),
    (POST, "/api/webhooks/filters/test", || web::to(test_filter::test_filter)),
    (GET, "/api/webhooks/failures", || web::to(list_failures::list_failures)),
    (POST, "/api/webhooks/failures/retry", || web::to(retry_failures::retry_failures)),
    (GET, "/api/webhooks/deliveries", || web::to(list_deliveries::list_deliveries)),
    (GET, "/api/webhooks/deliveries/stream", || web::to(stream_attempts::stream_attempts)),
    (GET, "/api/webhooks/deliveries/{id}", || web::to(find_delivery::find_delivery)),
    (POST, "/api/webhooks/deliveries/{id}/retry", || web::to(retry_delivery::retry_delivery)),
    (POST, "/api/webhooks/deliveries/{id}/cancel", || web::to(cancel_delivery::cancel_delivery)),
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
    test_filter::test_filter,
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
