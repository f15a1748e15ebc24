//! What the document says about the bodies of requests.

use serde_json::{Value, json};
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{Components, Schema};
use utoipa::openapi::{Content, OpenApi, Ref, RefOr, Required};

use crate::documents::calls_for_owners::operations_of;

const ID_TOKEN: &str = "idToken";

/// Gives the calls of operators bodies without an ID token, which only owners have.
pub(crate) fn add_operator_bodies(document: &mut OpenApi) {
    let OpenApi { paths, components: Some(components), .. } = document else { return };
    for (_, item) in paths.paths.iter_mut().filter(|(path, _)| path.starts_with("/api/operator/")) {
        for (_, operation) in operations_of(item) {
            let Some(RefOr::T(body)) = &mut operation.request_body else { continue };
            for content in body.content.values_mut() {
                let RefOr::T(Content { schema: Some(RefOr::Ref(reference)), .. }) = content else { continue };
                if let Some(name) = add_body_without_id_token(&reference.ref_location, components) {
                    *reference = Ref::from_schema_name(name);
                }
            }
        }
    }
}

/// The name of the schema; `None` if the body has no ID token.
fn add_body_without_id_token(location: &str, components: &mut Components) -> Option<String> {
    let name = location.rsplit('/').next()?;
    let Some(RefOr::T(Schema::Object(body))) = components.schemas.get(name) else { return None };
    let mut body = body.clone();
    body.properties.remove(ID_TOKEN)?;
    let name = format!("{name}ForOwner");
    components.schemas.insert(name.clone(), Schema::Object(body).into());
    Some(name)
}

/// Gives the event types of an import the members of the body that sets one event type, and both the rule that a validation
/// needs a schema.
pub(crate) fn add_imported_types(document: &mut OpenApi) {
    let Some(schemas) = document.components.as_mut().map(|components| &mut components.schemas) else { return };
    let Some(RefOr::T(Schema::Object(mut settings))) = schemas.get("PutEventType").cloned() else { return };
    settings.properties.remove("force");
    if let Some(RefOr::T(Schema::Object(imported))) = schemas.get_mut("NewEventType") {
        imported.properties.append(&mut settings.properties);
    }
    for name in ["PutEventType", "NewEventType"] {
        if let Some(RefOr::T(Schema::Object(body))) = schemas.get_mut(name) {
            body.extensions = Some(Extensions::from_iter([("dependentSchemas", needs_schema())]));
        }
    }
}

fn needs_schema() -> Value {
    let is_off = json!({ "properties": { "validation": { "const": "off" } } });
    let has_schema = json!({ "required": ["schema"], "properties": { "schema": { "not": { "type": "null" } } } });
    json!({ "validation": { "anyOf": [is_off, has_schema] } })
}

/// States that a request may leave out a body without required fields: an empty body has none.
pub(crate) fn allow_empty_bodies(document: &mut OpenApi) {
    let OpenApi { paths, components: Some(components), .. } = document else { return };
    for item in paths.paths.values_mut() {
        for (_, operation) in operations_of(item) {
            describe(operation, components);
        }
    }
}

fn describe(operation: &mut Operation, components: &Components) {
    let Some(RefOr::T(body)) = &mut operation.request_body else { return };
    let needs_fields = body.content.values().any(|content| match content {
        RefOr::T(Content { schema: Some(RefOr::Ref(reference)), .. }) => {
            has_fields(&reference.ref_location, components)
        }
        _ => true,
    });
    if !needs_fields {
        body.required = Some(Required::False);
    }
}

fn has_fields(location: &str, components: &Components) -> bool {
    let name = location.rsplit('/').next().unwrap_or_default();
    match components.schemas.get(name) {
        Some(RefOr::T(Schema::Object(body))) => !body.required.is_empty() || body.min_properties.is_some(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::openapi::openapi_json;

    #[test]
    fn a_body_is_optional_if_its_fields_are() {
        let document: Value = serde_json::from_str(&openapi_json()).unwrap();
        let required = |path: &str, method: &str| document["paths"][path][method]["requestBody"]["required"].as_bool();
        let subscription = "/api/webhooks/subscriptions/{id}";
        assert_ne!(required(subscription, "patch"), Some(true));
        assert_ne!(required("/api/api-keys/{keyId}/rotate", "post"), Some(true));
        assert_eq!(required("/api/api-keys", "post"), Some(true));
        assert_eq!(required("/api/operator/portal-links", "post"), Some(true));
    }
}
