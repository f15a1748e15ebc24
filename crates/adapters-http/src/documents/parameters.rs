use domain::{DeliveryId, EventId, HOURS_READ_MAX, KeyId, SessionId, SubscriptionId};
use utoipa::Number;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::{OpenApi, RefOr, Required};

use crate::documents::calls_for_owners::operations_of;
use crate::documents::values::Values;
use crate::parameters::query::PAGE_SIZE_MAX;

/// Ids and users in paths, by the part of the path that has them: the description, and the values.
static IN_PATHS: [(&str, &str, Values); 10] = [
    ("{userId}", "The user's `sub` at the configured issuer. A user who is unknown has nothing", Values::USERS),
    ("{organizationId}", "The organization's id. An organization that is unknown has nothing", Values::USERS),
    ("{keyId}", "The key's id", Values::Pattern(KeyId::PATTERN)),
    ("/sessions/{id}", "The session's id", Values::Pattern(SessionId::PATTERN)),
    ("/deliveries/{id}", "The delivery's id", Values::Pattern(DeliveryId::PATTERN)),
    ("/subscriptions/{id}", "The subscription's id", Values::Pattern(SubscriptionId::PATTERN)),
    ("/consumers/{consumer}", "The consumer's name", Values::CONSUMER_NAMES),
    ("/.well-known/webhooks/{id}", "The subscription's id", Values::Pattern(SubscriptionId::PATTERN)),
    ("/event-types/{name}", "The event type. Write `/` as `%2F`", Values::ENTRY_NAMES),
    ("/events/{id}", "The event's id", Values::Pattern(EventId::PATTERN)),
];

/// Adds the parameters of paths, and the values and limits of all parameters, because the attribute `path` accepts only
/// literals.
pub(crate) fn add_parameters(document: &mut OpenApi) {
    for (path, item) in &mut document.paths.paths {
        for (_, operation) in operations_of(item) {
            add_those_in(path, operation);
            parameters_of(operation).for_each(|parameter| describe(path, parameter));
        }
    }
}

/// Adds the ids and the user that the path has, in their order, before the other parameters.
fn add_those_in(path: &str, operation: &mut Operation) {
    let names = path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    let added = names.filter_map(|name| {
        let (_, description, _) = in_path(path, name)?;
        let text = ObjectBuilder::new().schema_type(Type::String);
        let parameter = ParameterBuilder::new().name(name).parameter_in(ParameterIn::Path).required(Required::True);
        Some(RefOr::T(parameter.description(Some(*description)).schema(Some(text)).build()))
    });
    let mut parameters: Vec<RefOr<Parameter>> = added.collect();
    if !parameters.is_empty() {
        parameters.extend(operation.parameters.take().unwrap_or_default());
        operation.parameters = Some(parameters);
    }
}

fn in_path(path: &str, name: &str) -> Option<&'static (&'static str, &'static str, Values)> {
    let parameter = format!("{{{name}}}");
    IN_PATHS.iter().find(|(part, ..)| part.ends_with(&parameter) && path.contains(part))
}

fn parameters_of(operation: &mut Operation) -> impl Iterator<Item = &mut Parameter> {
    operation.parameters.iter_mut().flatten().filter_map(|parameter| match parameter {
        RefOr::T(parameter) => Some(parameter),
        RefOr::Ref(_) => None,
    })
}

fn describe(path: &str, parameter: &mut Parameter) {
    let Some(RefOr::T(schema)) = &mut parameter.schema else { return };
    if let Some(values) = values_of(path, &parameter.name) {
        values.describe(schema);
    }
    if let Schema::Object(object) = schema {
        if let Some(max) = maximum_of(&parameter.name) {
            [object.minimum, object.maximum] = [1, max].map(|limit| Some(Number::UInt(limit)));
        }
        if parameter.parameter_in == ParameterIn::Header {
            // A header is absent or a string, never `null`.
            object.schema_type = Type::String.into();
        }
    }
}

/// The values of the strings in this parameter; `None` if any string is good, or the parameter is not a string.
fn values_of(path: &str, parameter: &str) -> Option<Values> {
    if let Some((.., values)) = in_path(path, parameter) {
        return Some(*values);
    }
    Some(match parameter {
        "subscriptionId" => Values::Pattern(SubscriptionId::PATTERN),
        "since" | "until" | "createdBefore" => Values::TIMES,
        "userId" | "organization" | "query" => Values::USERS,
        "eventType" | "type" => Values::EVENT_TYPES,
        "state" if path.contains("/deliveries") => Values::STATES,
        "state" if path.ends_with("/owners") => Values::OWNER_STATES,
        "actor" => Values::AUDIT_ACTORS,
        "action" => Values::ACTIONS,
        "target" => Values::AUDIT_TARGETS,
        "format" => Values::LIST_FORMATS,
        "cursor" | "last-event-id" => Values::Cursors,
        "scope" => Values::SCOPES,
        "profile" => Values::Always("nginx"),
        "for" => Values::Always("verify"),
        "include" => Values::Always("health"),
        "what" => Values::RECOVERABLES,
        "events" => Values::PATTERN_LISTS,
        _ => return None,
    })
}

/// The largest number in this parameter. The least is 1.
fn maximum_of(parameter: &str) -> Option<usize> {
    let max = match parameter {
        "limit" => PAGE_SIZE_MAX,
        "hours" => HOURS_READ_MAX,
        _ => return None,
    };
    usize::try_from(max).ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use crate::openapi::openapi_json;

    /// Parameters in paths that may be any string.
    const OTHERS: [&str; 3] = ["code", "file", "tail"];

    #[test]
    fn parameters_of_paths_have_patterns() {
        let document: Value = serde_json::from_str(&openapi_json()).unwrap();
        let operations = document["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap());
        let parameters = operations.filter_map(|(_, operation)| operation["parameters"].as_array()).flatten();
        let in_paths: Vec<&Value> = parameters.filter(|parameter| parameter["in"] == "path").collect();
        assert!(in_paths.len() > 10, "{in_paths:?}");
        let others = in_paths.iter().filter(|parameter| parameter["schema"]["pattern"].is_null());
        let others: BTreeSet<&str> = others.map(|parameter| parameter["name"].as_str().unwrap()).collect();
        assert_eq!(others, BTreeSet::from(OTHERS));
    }
}
