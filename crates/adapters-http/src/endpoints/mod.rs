//! The endpoints: a file or a folder for each group, and in a folder a file for each operation or for the few of one
//! subject.

/// The endpoints of a group, for the router and for the document: a list of functions, each documented by
/// `#[utoipa::path]`.
macro_rules! endpoints {
    ($($($part:ident)::+),* $(,)?) => {
        #[derive(utoipa::OpenApi)]
        #[openapi(paths($($($part)::+),*))]
        struct Documents;

        pub(super) const ENDPOINTS: super::Endpoints = super::Endpoints {
            document: <Documents as utoipa::OpenApi>::openapi,
            handlers: &[$((stringify!($($part)::+), || actix_web::web::to($($part)::+))),*],
        };
    };
}

mod audit;
mod console;
mod documentation;
mod event_types;
mod gateways;
mod health;
mod keys;
mod operator;
mod scim;
mod sessions;
mod webhooks;
mod well_known;

use std::borrow::Cow;
use std::future::Future;
use std::sync::LazyLock;

use actix_web::http::Method;
use actix_web::web::{self, ServiceConfig};
use actix_web::{Resource, Route, rt};
use utoipa::openapi;

use crate::callers::calls::{OwnCall, path_for_organizations};
use crate::documents::calls_for_owners::{
    add_calls_for_organizations, add_calls_for_owners, add_organization, operations_of,
};
use crate::documents::operation_names::name_operations;
use crate::errors::api_error::ApiError;
use crate::state::State;

/// A method, or `None` for all methods, and a path, with the endpoint that answers them.
type MethodRoute = (Option<Method>, Cow<'static, str>, fn() -> Route);

/// The path of a function, whose last part is its name in the document, and the function as an endpoint.
type Handler = (&'static str, fn() -> Route);

/// The endpoints of a group.
struct Endpoints {
    /// Their documentation, with the method and the path of each.
    document: fn() -> openapi::OpenApi,
    handlers: &'static [Handler],
}

const OWN: [Endpoints; 10] = [
    gateways::ENDPOINTS,
    keys::ENDPOINTS,
    audit::ENDPOINTS,
    sessions::ENDPOINTS,
    webhooks::ENDPOINTS,
    well_known::ENDPOINTS,
    event_types::ENDPOINTS,
    health::ENDPOINTS,
    documentation::ENDPOINTS,
    console::ENDPOINTS,
];

/// The patterns of parameters that are not one part of a path.
const PATTERNS: [(&str, &str); 2] =
    [("/forward-auth/{tail}", "/forward-auth/{tail:.*}"), ("/docs/{file}", "/docs/{file:[^/]*}")];
/// The path at which a proxy asks with the method of the request that it checks.
const ALL_METHODS: &str = "/forward-auth";

/// The paths that host applications call for each of their requests or events. The router tries them before all others:
/// behind 40 others, a publication took 1.3 % more processor time.
const FREQUENT: [&str; 4] =
    [ALL_METHODS, "/api/operator/introspect", "/api/operator/events", "/api/operator/events/batch"];

/// Registers every endpoint. The operator API exists only when there can be operators, and SCIM only if it is configured
/// too.
pub(crate) fn register(config: &mut ServiceConfig, state: &State) {
    let has_operators = state.api.operators_sign_in || !state.api.operator_tokens.is_empty();
    let mut routes = OWN_ROUTES.clone();
    if has_operators {
        routes.extend(OPERATOR_ROUTES.iter().cloned());
    }
    // The router tries paths in order. Exact paths come first, because each pattern costs a regular expression, and
    // `/keys/usage` comes before `/keys/{keyId}`.
    routes.sort_by_key(|(_, path, _)| (!FREQUENT.contains(&&**path), path.matches('{').count()));
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
    if let Some(subject) = state.settings.scim_subject.filter(|_| has_operators) {
        scim::register(config, subject);
    }
}

static OWN_ROUTES: LazyLock<Vec<MethodRoute>> = LazyLock::new(|| OWN.iter().flat_map(Endpoints::routes).collect());
static OPERATOR_ROUTES: LazyLock<Vec<MethodRoute>> = LazyLock::new(operator_routes);

impl Endpoints {
    fn routes(&self) -> Vec<MethodRoute> {
        let mut routes = Vec::new();
        for (path, mut item) in (self.document)().paths.paths {
            let pattern = PATTERNS.into_iter().find(|(documented, _)| *documented == path);
            let pattern = pattern.map_or(path.clone().into(), |(_, pattern)| pattern.into());
            for (method, operation) in operations_of(&mut item) {
                if let Some(handler) = operation.operation_id.as_deref().and_then(|name| self.handler(name)) {
                    let method = (!path.starts_with(ALL_METHODS)).then_some(method);
                    routes.push((method, Cow::clone(&pattern), handler));
                }
            }
        }
        routes
    }

    fn handler(&self, name: &str) -> Option<fn() -> Route> {
        let mut handlers = self.handlers.iter();
        handlers.find(|(path, _)| path.rsplit("::").next().map(str::trim) == Some(name)).map(|(_, handler)| *handler)
    }
}

/// The operator API, with the calls that operators make for owners: for users, and the same for organizations.
fn operator_routes() -> Vec<MethodRoute> {
    let own = |method: &Method, path: &str| {
        let mut routes = OWN_ROUTES.iter();
        routes.find(|(of, own_path, _)| of.as_ref() == Some(method) && *own_path == path).map(|(.., route)| *route)
    };
    let for_owners = OwnCall::by_operators().filter_map(|call| {
        Some((Some(call.method.clone()), call.path_for_users().into(), own(&call.method, call.path)?))
    });
    let mut routes: Vec<MethodRoute> = operator::ENDPOINTS.routes().into_iter().chain(for_owners).collect();
    let same =
        |(method, path, route): &MethodRoute| Some((method.clone(), path_for_organizations(path)?.into(), *route));
    let for_organizations: Vec<MethodRoute> = routes.iter().filter_map(same).collect();
    routes.extend(for_organizations);
    routes
}

/// Every operation, for the OpenAPI document.
pub(crate) fn operations() -> openapi::OpenApi {
    let mut operations = (operator::ENDPOINTS.document)();
    for own in OWN {
        operations.merge((own.document)());
    }
    name_operations(&mut operations);
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
    use super::*;

    #[test]
    fn every_endpoint_has_its_route() {
        for endpoints in OWN.iter().chain([&operator::ENDPOINTS]) {
            assert_eq!(endpoints.routes().len(), endpoints.handlers.len(), "{:?}", endpoints.handlers[0].0);
        }
    }

    #[test]
    fn named_paths_are_documented() {
        let documented = operations().paths.paths;
        for path in PATTERNS.map(|(path, _)| path).into_iter().chain(FREQUENT) {
            assert!(documented.contains_key(path), "{path}");
        }
    }

    /// The tables and the endpoints have the same number of operators' calls.
    #[test]
    fn every_call_for_an_owner_has_the_endpoint_of_the_owner() {
        let routes = operator_routes();
        let (for_organizations, others): (Vec<_>, Vec<_>) =
            routes.iter().partition(|(_, path, _)| path.contains("{organizationId}"));
        assert_eq!(others.len(), operator::ENDPOINTS.handlers.len() + OwnCall::by_operators().count());
        let for_users = others.iter().filter(|(_, path, _)| path.contains("{userId}"));
        assert_eq!(for_organizations.len(), for_users.count());
    }
}
