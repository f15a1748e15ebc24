//! The endpoints, one file each, and the one list of them.

mod cancel_delivery;
mod change_subscription;
mod create_key;
mod create_subscription;
mod delete_subscription;
mod docs_page;
mod error_pages;
mod find_delivery;
mod find_subscription;
mod forward_auth;
mod introspect;
mod list_deliveries;
mod list_keys;
mod list_subscriptions;
mod list_user_keys;
mod live;
mod openapi_document;
mod publish_event;
mod publish_events;
mod ready;
mod recover_subscription;
mod report_leaks;
mod retry_delivery;
mod revoke_key;
mod revoke_user_key;
mod rotate_key;
mod rotate_secret;
mod stream_attempts;
mod test_subscription;
mod whoami;

use actix_web::Resource;
use actix_web::web::{self, ServiceConfig};
use utoipa::OpenApi;

use self::forward_auth::EveryMethod;
use crate::Api;

/// Adds the methods of a path.
type Methods = fn(Resource) -> Resource;

/// Every path, with what answers there. Explicit resources, because those answer another method with 405 and `Allow`.
const RESOURCES: [(&str, Methods); 23] = [
    ("/api/api-keys", |resource| {
        resource
            .route(web::get().to(list_keys::list_keys))
            .route(web::post().to(create_key::create_key))
            .route(web::delete().to(revoke_key::revoke_key))
    }),
    ("/api/api-keys/{keyId}/rotate", |resource| resource.route(web::post().to(rotate_key::rotate_key))),
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
    ("/api/webhooks/deliveries", |resource| resource.route(web::get().to(list_deliveries::list_deliveries))),
    // Before the path that takes any id.
    ("/api/webhooks/deliveries/stream", |resource| resource.route(web::get().to(stream_attempts::stream_attempts))),
    ("/api/webhooks/deliveries/{id}", |resource| resource.route(web::get().to(find_delivery::find_delivery))),
    ("/api/webhooks/deliveries/{id}/retry", |resource| resource.route(web::post().to(retry_delivery::retry_delivery))),
    ("/api/webhooks/deliveries/{id}/cancel", |resource| {
        resource.route(web::post().to(cancel_delivery::cancel_delivery))
    }),
    ("/api/whoami", |resource| resource.route(web::get().to(whoami::whoami))),
    ("/forward-auth", |resource| resource.route(web::to(forward_auth::forward_auth))),
    ("/forward-auth/{tail:.*}", |resource| resource.route(web::to(forward_auth::forward_auth_of_path))),
    ("/livez", |resource| resource.route(web::get().to(live::live))),
    ("/readyz", |resource| resource.route(web::get().to(ready::ready))),
    ("/healthz", |resource| resource.route(web::get().to(ready::health))),
    ("/openapi.json", |resource| resource.route(web::get().to(openapi_document::openapi_document))),
    ("/docs", |resource| resource.route(web::get().to(docs_page::docs_page))),
    ("/docs/errors", |resource| resource.route(web::get().to(error_pages::error_index))),
    ("/docs/errors/{code}", |resource| resource.route(web::get().to(error_pages::error_page))),
    ("/docs/{file}", |resource| resource.route(web::get().to(docs_page::docs_file))),
];

/// The paths of the operator API, which is there only when there is a token for it.
const OPERATOR_RESOURCES: [(&str, Methods); 6] = [
    ("/api/operator/events", |resource| resource.route(web::post().to(publish_event::publish_event))),
    ("/api/operator/events/batch", |resource| resource.route(web::post().to(publish_events::publish_events))),
    ("/api/operator/introspect", |resource| resource.route(web::post().to(introspect::introspect))),
    ("/api/operator/leaks", |resource| resource.route(web::post().to(report_leaks::report_leaks))),
    ("/api/operator/users/{userId}/keys", |resource| resource.route(web::get().to(list_user_keys::list_user_keys))),
    ("/api/operator/users/{userId}/keys/{keyId}", |resource| {
        resource.route(web::delete().to(revoke_user_key::revoke_user_key))
    }),
];

/// Mounts every endpoint.
pub(crate) fn register(config: &mut ServiceConfig, api: &Api) {
    let operator = OPERATOR_RESOURCES.iter().filter(|_| api.operator_token.is_some());
    // Exact paths first. Paths are tried in this order, and each pattern costs a regular expression.
    let (patterns, exact): (Vec<_>, Vec<_>) =
        RESOURCES.iter().chain(operator).copied().partition(|(path, _)| path.contains('{'));
    for (path, methods) in exact.into_iter().chain(patterns) {
        config.service(methods(web::resource(path)));
    }
}

/// The operations as the OpenAPI document lists them.
#[derive(OpenApi)]
#[openapi(modifiers(&EveryMethod), paths(
    list_keys::list_keys,
    create_key::create_key,
    revoke_key::revoke_key,
    rotate_key::rotate_key,
    create_subscription::create_subscription,
    list_subscriptions::list_subscriptions,
    find_subscription::find_subscription,
    change_subscription::change_subscription,
    delete_subscription::delete_subscription,
    rotate_secret::rotate_secret,
    test_subscription::test_subscription,
    recover_subscription::recover_subscription,
    list_deliveries::list_deliveries,
    stream_attempts::stream_attempts,
    find_delivery::find_delivery,
    retry_delivery::retry_delivery,
    cancel_delivery::cancel_delivery,
    publish_event::publish_event,
    publish_events::publish_events,
    whoami::whoami,
    forward_auth::forward_auth,
    forward_auth::forward_auth_of_path,
    introspect::introspect,
    report_leaks::report_leaks,
    list_user_keys::list_user_keys,
    revoke_user_key::revoke_user_key,
    live::live,
    ready::ready,
    ready::health,
    openapi_document::openapi_document,
    docs_page::docs_page,
    docs_page::docs_file,
    error_pages::error_index,
    error_pages::error_page,
))]
pub(crate) struct Operations;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_is_documented() {
        let documented = Operations::openapi().paths.paths;
        let paths = RESOURCES.iter().chain(&OPERATOR_RESOURCES).map(|(path, _)| path.replace(":.*}", "}"));
        let mut paths: Vec<String> = paths.collect();
        paths.sort_unstable();
        assert_eq!(paths, documented.into_keys().collect::<Vec<_>>());
    }
}
