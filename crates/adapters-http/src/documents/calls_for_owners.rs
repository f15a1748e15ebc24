use std::mem;

use actix_web::http::Method;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{OpenApi, RefOr, Required};

use crate::callers::calls::{ByOperators, OwnCall, Right, path_for_organizations};
use crate::parameters::query::ORGANIZATION;

/// The status of the limits of an owner, against which the calls of operators do not count.
const TOO_MANY: &str = "429";
/// Parameters that concern the credential of an owner.
const ONLY_OWN: &str = "keepCurrent";

/// The description of the parameter.
const ORGANIZATION_TEXT: &str = "The organization for which a member calls, with an ID token or a session that names it. Without it \
                           the call is the caller's own, unless it has an ID token and `DEFAULT_OWNER` is \
                           `organization`";

/// Adds the calls that operators make for owners, with the documentation of the owners' calls.
pub(crate) fn add_calls_for_owners(document: &mut OpenApi) {
    for call in OwnCall::by_operators() {
        let own = document.paths.paths.get_mut(call.path).and_then(|item| operation_of(item, &call.method).clone());
        if let Some(own) = own {
            let item = document.paths.paths.entry(call.path_for_users()).or_default();
            *operation_of(item, &call.method) = Some(for_owner(own, call));
        }
    }
}

/// Adds for organizations the calls that operators make for users.
pub(crate) fn add_calls_for_organizations(document: &mut OpenApi) {
    let paths = &mut document.paths.paths;
    let same = |(path, item): (&String, &PathItem)| Some((path_for_organizations(path)?, item.clone()));
    let mut added: Vec<(String, PathItem)> = paths.iter().filter_map(same).collect();
    for (_, item) in &mut added {
        for (_, operation) in operations_of(item) {
            operation.operation_id = operation.operation_id.as_ref().map(|id| id.replace("User", "Organization"));
            operation.summary = operation.summary.as_deref().map(of_the_organization);
            operation.description = operation.description.as_deref().map(of_the_organization);
            for response in operation.responses.responses.values_mut() {
                if let RefOr::T(response) = response {
                    response.description = of_the_organization(&response.description);
                }
            }
        }
    }
    paths.extend(added);
}

fn of_the_organization(text: &str) -> String {
    text.replace("a user", "an organization")
        .replace("an unknown user", "an unknown organization")
        .replace("the user", "the organization")
        .replace("The user", "The organization")
}

/// The place of the operation with this method.
fn operation_of<'a>(item: &'a mut PathItem, method: &Method) -> &'a mut Option<Operation> {
    match *method {
        Method::GET => &mut item.get,
        Method::PUT => &mut item.put,
        Method::PATCH => &mut item.patch,
        Method::DELETE => &mut item.delete,
        _ => &mut item.post,
    }
}

/// The operations of a path, with their methods.
pub(crate) fn operations_of(item: &mut PathItem) -> impl Iterator<Item = (Method, &mut Operation)> {
    let PathItem { get, post, put, patch, delete, .. } = item;
    let methods = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
    let places = methods.into_iter().zip([get, post, put, patch, delete]);
    places.filter_map(|(method, place)| Some((method, place.as_mut()?)))
}

fn for_owner(own: Operation, call: &OwnCall) -> Operation {
    let mut operation = own;
    operation.tags = Some(vec!["Operator".to_owned()]);
    operation.operation_id = operation.operation_id.as_deref().map(OwnCall::name_for_users);
    operation.parameters.iter_mut().for_each(|parameters| parameters.retain(|parameter| !is_only_own(parameter)));
    let counts = operation.responses.responses.remove(TOO_MANY).is_some();
    for response in operation.responses.responses.values_mut() {
        if let RefOr::T(response) = response {
            response.description = of_the_user(&response.description);
        }
    }
    let summary = mem::take(&mut operation.summary).unwrap_or_default();
    let purpose = if matches!(call.by_operators, ByOperators::Change) { "a user" } else { "support work" };
    operation.summary = Some(format!("{}, for {purpose}.", of_the_user(&summary).trim_end_matches('.')));
    let notes = [
        operation.description.as_deref().map(of_the_user),
        matches!(call.by_operators, ByOperators::See(Some(_)))
            .then(|| "The user sees this call in the audit log.".to_owned()),
        counts.then(|| "The call does not count against the limit of the user.".to_owned()),
    ];
    operation.description = Some(notes.into_iter().flatten().collect::<Vec<_>>().join(" "));
    operation
}

/// Adds the parameter that names an organization to every owner's call.
pub(crate) fn add_organization(document: &mut OpenApi) {
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in operations_of(item) {
            if Right::of_call(&method, path).is_some() {
                operation.parameters.get_or_insert_default().push(RefOr::T(organization()));
            }
        }
    }
}

fn organization() -> Parameter {
    let text = ObjectBuilder::new().schema_type(Type::String);
    let parameter = ParameterBuilder::new().name(ORGANIZATION).parameter_in(ParameterIn::Query);
    parameter.required(Required::False).description(Some(ORGANIZATION_TEXT)).schema(Some(text)).build()
}

fn is_only_own(parameter: &RefOr<Parameter>) -> bool {
    matches!(parameter, RefOr::T(parameter) if parameter.name == ONLY_OWN)
}

fn of_the_user(text: &str) -> String {
    text.replace("the caller", "the user").replace("The caller", "The user")
}
