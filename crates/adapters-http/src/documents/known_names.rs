//! The names that the document gives to the members of bodies and the parameters of queries. A call accepts no others.

use std::collections::BTreeMap;

use actix_web::HttpRequest;
use actix_web::http::Method;
use utoipa::openapi::path::{Operation, ParameterIn, PathItem};
use utoipa::openapi::schema::{AdditionalProperties, ArrayItems, Object, Schema};
use utoipa::openapi::{OpenApi, RefOr};

/// The known names of each operation, by path.
pub(crate) struct KnownNames(BTreeMap<String, Vec<(Method, Names)>>);

/// The known names of an operation.
struct Names {
    has_body: bool,
    members: Vec<String>,
    parameters: Vec<String>,
}

impl KnownNames {
    /// The names in the document.
    pub(crate) fn of(document: &OpenApi) -> Self {
        let names = |operation: &Operation| Names {
            has_body: operation.request_body.is_some(),
            members: members(document, operation),
            parameters: parameters(operation),
        };
        let of_item = |item| operations(item).map(|(method, operation)| (method, names(operation))).collect();
        Self(document.paths.paths.iter().map(|(path, item)| (path.clone(), of_item(item))).collect())
    }

    /// Whether this call has a body. `None` if the document has no such call.
    pub(crate) fn has_body(&self, request: &HttpRequest) -> Option<bool> {
        self.names_of(request).map(|names| names.has_body)
    }

    /// The names that members of the body of this call may have. A call without a documented body has none.
    pub(crate) fn members_of(&self, request: &HttpRequest) -> &[String] {
        self.names_of(request).map_or(&[], |names| &names.members)
    }

    /// The names that parameters of the query of this call may have.
    pub(crate) fn parameters_of(&self, request: &HttpRequest) -> &[String] {
        self.names_of(request).map_or(&[], |names| &names.parameters)
    }

    fn names_of(&self, request: &HttpRequest) -> Option<&Names> {
        let names_at = |path: &str| {
            let of_path = self.0.get(path)?;
            of_path.iter().find(|(method, _)| method == request.method()).map(|(_, names)| names)
        };
        // The router searches for a pattern through all routes. Calls with high rates have no parameter in their path.
        names_at(request.path()).or_else(|| names_at(&documented_path(&request.match_pattern()?)))
    }
}

/// The path of the document for a pattern of the router, which may restrict the values of a parameter.
pub(crate) fn documented_path(pattern: &str) -> String {
    pattern.replace(":.*}", "}").replace(":[^/]*}", "}")
}

/// The alternatives of fields in bodies. [`nested_in`] does not find them.
const ALTERNATIVES: [&str; 5] = ["BearerAuth", "BasicAuth", "HeaderAuth", "OAuth2Auth", "ClientCertificate"];

/// States in the document that JSON bodies have no other members.
pub(crate) fn close_bodies(document: &mut OpenApi) {
    let items = document.paths.paths.values();
    let of_calls = items.flat_map(operations).filter_map(|(_, operation)| body_of(operation));
    let bodies: Vec<String> = of_calls.chain(ALTERNATIVES.map(str::to_owned)).collect();
    for body in bodies {
        close(document, &body);
    }
}

/// Forbids other members in a schema and in the objects that it contains.
fn close(document: &mut OpenApi, name: &str) {
    let schemas = document.components.as_mut().map(|components| &mut components.schemas);
    let Some(RefOr::T(Schema::Object(object))) = schemas.and_then(|schemas| schemas.get_mut(name)) else { return };
    object.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(false)));
    for nested in nested_in(object) {
        close(document, &nested);
    }
}

fn nested_in(object: &Object) -> Vec<String> {
    let items = object.properties.values().filter_map(|property| match property {
        RefOr::T(Schema::Array(list)) => match &list.items {
            ArrayItems::RefOrSchema(items) => name_of(items),
            ArrayItems::False => None,
        },
        property => name_of(property),
    });
    items.collect()
}

fn members(document: &OpenApi, operation: &Operation) -> Vec<String> {
    let schemas = document.components.as_ref().map(|components| &components.schemas);
    let schema = body_of(operation).and_then(|name| schemas?.get(&name));
    match schema {
        Some(RefOr::T(Schema::Object(object))) => object.properties.keys().cloned().collect(),
        _ => Vec::new(),
    }
}

fn parameters(operation: &Operation) -> Vec<String> {
    let parameters = operation.parameters.iter().flatten().filter_map(|parameter| match parameter {
        RefOr::T(parameter) => Some(parameter),
        RefOr::Ref(_) => None,
    });
    let in_query = parameters.filter(|parameter| parameter.parameter_in == ParameterIn::Query);
    in_query.map(|parameter| parameter.name.clone()).collect()
}

fn operations(item: &PathItem) -> impl Iterator<Item = (Method, &Operation)> {
    let replacing = [(Method::GET, &item.get), (Method::PUT, &item.put)];
    let changing = [(Method::POST, &item.post), (Method::PATCH, &item.patch), (Method::DELETE, &item.delete)];
    let operations = replacing.into_iter().chain(changing);
    operations.filter_map(|(method, operation)| Some((method, operation.as_ref()?)))
}

/// The name of the schema of the JSON body.
fn body_of(operation: &Operation) -> Option<String> {
    let RefOr::T(body) = operation.request_body.as_ref()? else { return None };
    let RefOr::T(json) = body.content.get("application/json")? else { return None };
    name_of(json.schema.as_ref()?)
}

fn name_of(schema: &RefOr<Schema>) -> Option<String> {
    let RefOr::Ref(reference) = schema else { return None };
    reference.ref_location.strip_prefix("#/components/schemas/").map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::bodies::event_json::{EVENT_FIELDS, EVENT_LIST_FIELDS};
    use crate::bodies::import_body::TYPE_FIELDS;
    use crate::openapi::openapi_json;

    /// Events and event types of one body are read without a table, because they are many.
    #[test]
    fn the_fields_of_events_and_types_are_those_of_the_document() {
        let document: Value = serde_json::from_str(&openapi_json()).unwrap();
        let fields = |schema: &str| {
            let properties = document["components"]["schemas"][schema]["properties"].as_object().unwrap();
            properties.keys().cloned().collect::<Vec<_>>()
        };
        let mut of_event = EVENT_FIELDS;
        of_event.sort_unstable();
        assert_eq!(fields("PublishEvent"), of_event);
        assert_eq!(fields("PublishEvents"), EVENT_LIST_FIELDS);
        let mut of_type = TYPE_FIELDS;
        of_type.sort_unstable();
        assert_eq!(fields("NewEventType"), of_type);
    }
}
