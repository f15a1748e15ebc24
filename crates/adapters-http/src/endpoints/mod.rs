//! The endpoints: a folder for each group, and a file for each operation.

mod audit;
mod console;
mod documentation;
mod gateways;
mod health;
mod keys;
mod operator;
mod sessions;
mod webhooks;

use std::future::Future;

use actix_web::web::{self, ServiceConfig};
use actix_web::{Resource, rt};
use utoipa::OpenApi;
use utoipa::openapi;

use crate::Api;
use crate::errors::api_error::ApiError;

/// Adds the methods of a path to its resource.
type Methods = fn(Resource) -> Resource;

/// Paths and their methods. They are explicit resources, which answer other methods with 405 and `Allow`.
type Resources = &'static [(&'static str, Methods)];

const RESOURCES: [Resources; 8] = [
    gateways::RESOURCES,
    keys::RESOURCES,
    audit::RESOURCES,
    sessions::RESOURCES,
    webhooks::RESOURCES,
    health::RESOURCES,
    documentation::RESOURCES,
    console::RESOURCES,
];

/// Registers every endpoint. The operator API exists only when there can be operators.
pub(crate) fn register(config: &mut ServiceConfig, api: &Api) {
    let has_operators = api.operators_sign_in || !api.operator_tokens.is_empty();
    let operator = has_operators.then_some(operator::RESOURCES);
    let resources = RESOURCES.into_iter().chain(operator).flatten().copied();
    // Exact paths come first: the router tries paths in order, and each pattern costs a regular expression.
    let (patterns, exact): (Vec<_>, Vec<_>) = resources.partition(|(path, _)| path.contains('{'));
    for (path, methods) in exact.into_iter().chain(patterns) {
        config.service(methods(web::resource(path)));
    }
}

/// Every operation, for the OpenAPI document.
pub(crate) fn operations() -> openapi::OpenApi {
    let mut operations = gateways::Operations::openapi();
    operations.merge(keys::Operations::openapi());
    operations.merge(audit::Operations::openapi());
    operations.merge(sessions::Operations::openapi());
    operations.merge(webhooks::Operations::openapi());
    operations.merge(operator::Operations::openapi());
    operations.merge(health::Operations::openapi());
    operations.merge(documentation::Operations::openapi());
    operations.merge(console::Operations::openapi());
    operations
}

/// Runs a call that consists of several steps in a separate task, which completes even if the client disconnects. The
/// web server drops the future of a request whose client has gone.
pub(crate) async fn to_the_end<T: 'static>(
    call: impl Future<Output = Result<T, ApiError>> + 'static,
) -> Result<T, ApiError> {
    rt::spawn(call).await.unwrap_or_else(|error| Err(ApiError::Internal(error.into())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::request_bodies::documented_path;

    #[test]
    fn every_path_is_documented() {
        let documented = operations().paths.paths;
        let resources = RESOURCES.into_iter().chain([operator::RESOURCES]).flatten();
        let mut paths: Vec<String> = resources.map(|(path, _)| documented_path(path)).collect();
        paths.sort_unstable();
        assert_eq!(paths, documented.into_keys().collect::<Vec<_>>());
    }
}
