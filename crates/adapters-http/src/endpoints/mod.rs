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

use actix_web::http::Method;
use actix_web::web::{self, ServiceConfig};
use actix_web::{Resource, Route, rt};
use utoipa::OpenApi;
use utoipa::openapi;

use crate::Api;
use crate::callers::calls::CALLS_FOR_OWNERS;
use crate::documents::calls_for_owners::add_calls_for_owners;
use crate::errors::api_error::ApiError;

/// A method and a path, with the endpoint that answers them.
type MethodRoute = (Option<Method>, &'static str, fn() -> Route);

type Routes = &'static [MethodRoute];

const GET: Option<Method> = Some(Method::GET);
const POST: Option<Method> = Some(Method::POST);
const PATCH: Option<Method> = Some(Method::PATCH);
const DELETE: Option<Method> = Some(Method::DELETE);
/// All methods.
const ANY: Option<Method> = None;

const ROUTES: [Routes; 8] = [
    gateways::ROUTES,
    keys::ROUTES,
    audit::ROUTES,
    sessions::ROUTES,
    webhooks::ROUTES,
    health::ROUTES,
    documentation::ROUTES,
    console::ROUTES,
];

/// Registers every endpoint. The operator API exists only when there can be operators.
pub(crate) fn register(config: &mut ServiceConfig, api: &Api) {
    let has_operators = api.operators_sign_in || !api.operator_tokens.is_empty();
    let operator = if has_operators { operator_routes() } else { Vec::new() };
    let routes = ROUTES.into_iter().flatten().cloned().chain(operator);
    // Exact paths come first: the router tries paths in order, and each pattern costs a regular expression.
    let (patterns, exact): (Vec<_>, Vec<_>) = routes.partition(|(_, path, _)| path.contains('{'));
    let mut resources: Vec<(&str, Resource)> = Vec::new();
    for (method, path, route) in exact.into_iter().chain(patterns) {
        let route = method.into_iter().fold(route(), Route::method);
        // A path is one resource, which answers other methods with 405 and `Allow`.
        let known = resources.iter().position(|(known, _)| *known == path);
        let (_, resource) = known.map_or_else(|| (path, web::resource(path)), |known| resources.remove(known));
        resources.push((path, resource.route(route)));
    }
    for (_, resource) in resources {
        config.service(resource);
    }
}

/// The operator API, with the calls that operators make for owners.
fn operator_routes() -> Vec<MethodRoute> {
    let own = |method: &Method, path: &str| {
        let mut routes = ROUTES.into_iter().flatten();
        routes.find(|(of, own_path, _)| of.as_ref() == Some(method) && *own_path == path).map(|(.., route)| *route)
    };
    let for_owners = CALLS_FOR_OWNERS
        .iter()
        .filter_map(|call| own(&call.method, call.own_path).map(|route| (Some(call.method.clone()), call.path, route)));
    operator::ROUTES.iter().cloned().chain(for_owners).collect()
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
    add_calls_for_owners(&mut operations);
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
    use std::collections::BTreeSet;

    use super::*;
    use crate::callers::calls::Right;
    use crate::documents::known_names::documented_path;

    #[test]
    fn every_path_is_documented() {
        let documented = operations().paths.paths;
        let routes = ROUTES.into_iter().flatten().cloned().chain(operator_routes());
        let paths: BTreeSet<String> = routes.map(|(_, path, _)| documented_path(path)).collect();
        assert_eq!(paths, documented.into_keys().collect());
    }

    /// A call that is in a table and has no endpoint, or the other way round.
    #[test]
    fn every_call_for_an_owner_has_the_endpoint_of_the_owner() {
        assert_eq!(operator_routes().len(), operator::ROUTES.len() + CALLS_FOR_OWNERS.len());
        for call in &CALLS_FOR_OWNERS {
            assert!(Right::of_call(&call.method, call.own_path).is_some(), "{}", call.own_path);
        }
    }
}
