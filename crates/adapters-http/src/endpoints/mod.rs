//! The endpoints: a folder for each group, and a file for each operation.

mod audit;
mod console;
mod documentation;
mod event_types;
mod gateways;
mod health;
mod keys;
mod operator;
mod sessions;
mod webhooks;

use std::borrow::Cow;
use std::future::Future;

use actix_web::http::Method;
use actix_web::web::{self, ServiceConfig};
use actix_web::{Resource, Route, rt};
use utoipa::OpenApi;
use utoipa::openapi;

use crate::Api;
use crate::callers::calls::{OwnCall, path_for_organizations};
use crate::documents::calls_for_owners::{add_calls_for_organizations, add_calls_for_owners, add_organization};
use crate::errors::api_error::ApiError;

/// A method and a path, with the endpoint that answers them.
type MethodRoute = (Option<Method>, Cow<'static, str>, fn() -> Route);

/// The same with a path that is known at compile time.
type Routes = &'static [(Option<Method>, &'static str, fn() -> Route)];

const GET: Option<Method> = Some(Method::GET);
const POST: Option<Method> = Some(Method::POST);
const PUT: Option<Method> = Some(Method::PUT);
const PATCH: Option<Method> = Some(Method::PATCH);
const DELETE: Option<Method> = Some(Method::DELETE);
/// All methods.
const ANY: Option<Method> = None;

const ROUTES: [Routes; 9] = [
    gateways::ROUTES,
    keys::ROUTES,
    audit::ROUTES,
    sessions::ROUTES,
    webhooks::ROUTES,
    event_types::ROUTES,
    health::ROUTES,
    documentation::ROUTES,
    console::ROUTES,
];

/// Registers every endpoint. The operator API exists only when there can be operators.
pub(crate) fn register(config: &mut ServiceConfig, api: &Api) {
    let has_operators = api.operators_sign_in || !api.operator_tokens.is_empty();
    let operator = if has_operators { operator_routes() } else { Vec::new() };
    let mut routes: Vec<MethodRoute> = own_routes().chain(operator).collect();
    // The router tries paths in order. Exact paths come first, because each pattern costs a regular expression, and
    // `/keys/usage` comes before `/keys/{keyId}`.
    routes.sort_by_key(|(_, path, _)| path.matches('{').count());
    let mut resources: Vec<(Cow<'static, str>, Resource)> = Vec::new();
    for (method, path, route) in routes {
        let route = method.into_iter().fold(route(), Route::method);
        // A path is one resource, which answers other methods with 405 and `Allow`.
        let known = resources.iter().position(|(known, _)| *known == path);
        let (_, resource) =
            known.map_or_else(|| (path.clone(), web::resource(&*path)), |known| resources.remove(known));
        resources.push((path, resource.route(route)));
    }
    for (_, resource) in resources {
        config.service(resource);
    }
}

fn own_routes() -> impl Iterator<Item = MethodRoute> {
    ROUTES.into_iter().flatten().cloned().map(|(method, path, route)| (method, path.into(), route))
}

/// The operator API, with the calls that operators make for owners: for users, and the same for organizations.
fn operator_routes() -> Vec<MethodRoute> {
    let own = |method: &Method, path: &str| {
        let mut routes = ROUTES.into_iter().flatten();
        routes.find(|(of, own_path, _)| of.as_ref() == Some(method) && *own_path == path).map(|(.., route)| *route)
    };
    let for_owners = OwnCall::by_operators().filter_map(|call| {
        Some((Some(call.method.clone()), call.path_for_users().into(), own(&call.method, call.path)?))
    });
    let others = operator::ROUTES.iter().cloned().map(|(method, path, route)| (method, path.into(), route));
    let mut routes: Vec<MethodRoute> = others.chain(for_owners).collect();
    let same =
        |(method, path, route): &MethodRoute| Some((method.clone(), path_for_organizations(path)?.into(), *route));
    let for_organizations: Vec<MethodRoute> = routes.iter().filter_map(same).collect();
    routes.extend(for_organizations);
    routes
}

/// Every operation, for the OpenAPI document.
pub(crate) fn operations() -> openapi::OpenApi {
    let mut operations = gateways::Operations::openapi();
    operations.merge(keys::Operations::openapi());
    operations.merge(audit::Operations::openapi());
    operations.merge(sessions::Operations::openapi());
    operations.merge(webhooks::Operations::openapi());
    operations.merge(event_types::Operations::openapi());
    operations.merge(operator::Operations::openapi());
    operations.merge(health::Operations::openapi());
    operations.merge(documentation::Operations::openapi());
    operations.merge(console::Operations::openapi());
    add_calls_for_owners(&mut operations);
    add_calls_for_organizations(&mut operations);
    // Not for the calls of operators, whose paths name the owner.
    add_organization(&mut operations);
    operations
}

/// Runs a call that consists of several steps in a separate task, which completes even if the client disconnects. The
/// web server drops the future of the request of a client that has disconnected.
pub(crate) async fn to_the_end<T: 'static>(
    call: impl Future<Output = Result<T, ApiError>> + 'static,
) -> Result<T, ApiError> {
    rt::spawn(call).await.unwrap_or_else(|error| Err(ApiError::Internal(error.into())))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::documents::known_names::documented_path;

    #[test]
    fn every_path_is_documented() {
        let documented = operations().paths.paths;
        let routes = own_routes().chain(operator_routes());
        let paths: BTreeSet<String> = routes.map(|(_, path, _)| documented_path(&path)).collect();
        assert_eq!(paths, documented.into_keys().collect());
    }

    /// The tables and the endpoints have the same number of operators' calls.
    #[test]
    fn every_call_for_an_owner_has_the_endpoint_of_the_owner() {
        let routes = operator_routes();
        let (for_organizations, others): (Vec<_>, Vec<_>) =
            routes.iter().partition(|(_, path, _)| path.contains("{organizationId}"));
        assert_eq!(others.len(), operator::ROUTES.len() + OwnCall::by_operators().count());
        let for_users = others.iter().filter(|(_, path, _)| path.contains("{userId}"));
        assert_eq!(for_organizations.len(), for_users.count());
    }
}
