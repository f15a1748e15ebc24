use pages::File;
use utoipa::OpenApi;
use utoipa::openapi;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};

use crate::bodies::option_fields::{BasicAuth, BearerAuth, ClientCertificatePem, HeaderAuth, OAuth2Auth};
use crate::documents::error_examples::{add_error_examples, add_error_pages};
use crate::documents::events::with_operational_events;
use crate::documents::known_names::close_bodies;
use crate::documents::parameters::add_parameters;
use crate::documents::request_bodies::{add_imported_types, add_operator_bodies, allow_empty_bodies};
use crate::documents::rights::{SESSION_SCHEME, add_rights};
use crate::documents::values::add_field_values;
use crate::endpoints::operations;
use crate::errors::problem::Problem;

/// The OpenAPI document of the API, generated from the code: JSON, indented, with a line break at its end.
/// See decision 11.
///
/// # Panics
///
/// Never, because the document consists of strings, numbers and maps.
pub fn openapi_json() -> String {
    let json = document().to_pretty_json().expect("strings and maps serialize to JSON");
    let mut json = with_operational_events(&json);
    json.push('\n');
    json
}

/// The document without the operational events.
pub(crate) fn document() -> openapi::OpenApi {
    let mut document = Document::openapi();
    add_security_schemes(&mut document);
    document.merge(operations());
    add_rights(&mut document);
    close_bodies(&mut document);
    add_field_values(&mut document);
    // With the values of the fields.
    add_imported_types(&mut document);
    add_operator_bodies(&mut document);
    add_parameters(&mut document);
    allow_empty_bodies(&mut document);
    add_error_pages(&mut document);
    add_error_examples(&mut document);
    document
}

/// The document as clients read it.
///
/// # Panics
///
/// Never, because memory takes every byte.
pub(crate) fn openapi_file() -> File {
    let document = openapi_json().into();
    File::made("openapi.json", "application/json", &document).expect("memory takes every byte")
}

/// The description of the API as a whole.
const DESCRIPTION: &str = "API keys in, webhooks out.

## Errors

Every error is a problem document (RFC 9457). Its `code` is stable. Its `type` is a page that explains the \
cause and the cure. All faults of a body are in one answer. A field that the call does not know is one of them.

## Lists

Lists of subscriptions, deliveries and audit events have pages, newest first. `limit` is 1 to 200; the default is 50. If an \
answer has a `nextCursor`, there are more items: repeat the call with it as `cursor` to get the next page. A cursor is \
an opaque string, belongs to one list, and does not expire. Later pages do not show items that were created after the \
first page.

## Repeating calls

`GET`, `PUT`, `PATCH` and `DELETE` are safe to repeat, and so are revoking, cancelling and recovering. \
Publishing is safe to repeat if each event has an `id`. Creating and rotating are not: if the answer gets \
lost, list first.";

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Gatepost",
        version = "1.0.0",
        description = DESCRIPTION,
    ),
    components(schemas(Problem, BearerAuth, BasicAuth, HeaderAuth, OAuth2Auth, ClientCertificatePem)),
    tags(
        (name = "API keys", description = "Create, list and revoke API keys, with an ID token"),
        (name = "Sessions", description = "Sign in, and see and end the sessions of browsers"),
        (name = "Audit log", description = "Who changed what"),
        (name = "Webhook subscriptions", description = "Send a user's events to URLs"),
        (name = "Event types", description = "What the types of events mean"),
        (name = "Deliveries", description = "The delivery of each event to each subscription"),
        (name = "Credentials", description = "Show what a credential is"),
        (name = "Gateways", description = "Check requests for a reverse proxy"),
        (name = "Operator", description = "For the host application, with an operator token"),
        (name = "Health", description = "Check whether the service works"),
        (name = "Documentation", description = "This document and its pages"),
    ),
)]
struct Document;

fn add_security_schemes(document: &mut openapi::OpenApi) {
    let bearer =
        |description: &str| HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(description)).build();
    let header = |name: &str, description: &str| {
        SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(name, description)))
    };
    let schemes = [
        ("idToken", SecurityScheme::Http(bearer("An ID token of the identity provider"))),
        ("idTokenHeader", header("x-id-token", "An ID token of the identity provider")),
        (
            "operatorToken",
            SecurityScheme::Http(bearer(
                "An operator token: OPERATOR_TOKEN, or one of OPERATOR_TOKENS with the scope of the call",
            )),
        ),
        ("apiKey", SecurityScheme::Http(bearer("An API key"))),
        ("apiKeyHeader", header("x-api-key", "An API key")),
        (
            SESSION_SCHEME,
            SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::with_description(
                "__Host-gatepost-session",
                "The session of a browser that has signed in. Where PUBLIC_URL is http, the cookie is \
                 gatepost-session. Calls that change something must come from a page of the service",
            ))),
        ),
    ];
    document
        .components
        .get_or_insert_default()
        .security_schemes
        .extend(schemes.map(|(name, scheme)| (name.to_owned(), scheme.into())));
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_document_does_not_change_between_calls() {
        assert_eq!(openapi_json(), openapi_json());
    }

    /// The page prefills bodies with their examples. A token in the body would contradict the one that the user entered,
    /// and an expiry time would be the present.
    #[test]
    fn examples_of_bodies_can_be_sent_as_they_are() {
        let document: Value = serde_json::from_str(&openapi_json()).unwrap();
        for (schema, body) in document["components"]["schemas"].as_object().unwrap() {
            let properties = &body["properties"];
            if !properties["idToken"].is_null() {
                let example = body["example"].as_object().unwrap_or_else(|| panic!("{schema} has no example"));
                assert!(!example.contains_key("idToken") && !example.contains_key("expiresAt"), "{schema}");
                assert!(example.keys().all(|field| !properties[field].is_null()), "{schema}");
            }
        }
    }

    #[test]
    fn operations_and_responses_have_descriptions() {
        let document: Value = serde_json::from_str(&openapi_json()).unwrap();
        assert_eq!(document["openapi"], "3.1.0");
        assert_eq!(document["info"]["version"], "1.0.0");
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                assert!(has_text(&operation["summary"]), "{method} {path}");
                assert!(has_text(&operation["operationId"]), "{method} {path}");
                for (status, response) in operation["responses"].as_object().unwrap() {
                    assert!(has_text(&response["description"]), "{method} {path} {status}");
                }
            }
        }
    }

    /// A dangling reference makes the document invalid.
    #[test]
    fn every_reference_leads_somewhere() {
        let text = openapi_json();
        let document: Value = serde_json::from_str(&text).unwrap();
        for part in text.split("\"$ref\": \"#").skip(1) {
            let pointer = part.split('"').next().unwrap();
            assert!(document.pointer(pointer).is_some(), "{pointer}");
        }
    }

    /// The generator knows most of serde's renamings, not all.
    #[test]
    fn documented_fields_are_in_camel_case() {
        let document: Value = serde_json::from_str(&openapi_json()).unwrap();
        let mut names = Vec::new();
        collect_properties(&document, &mut names);
        assert!(names.contains(&"keyId"));
        // RFC 7662 has its own.
        names.retain(|name| !["client_id", "token_type", "org_id", "created_by"].contains(name));
        assert!(names.iter().all(|name| !name.contains('_')), "{names:?}");
    }

    fn collect_properties<'a>(value: &'a Value, names: &mut Vec<&'a str>) {
        if let Some(properties) = value.get("properties").and_then(Value::as_object) {
            names.extend(properties.keys().map(String::as_str));
        }
        let members = value.as_object().into_iter().flat_map(serde_json::Map::values);
        for inner in members.chain(value.as_array().into_iter().flatten()) {
            collect_properties(inner, names);
        }
    }

    fn has_text(value: &Value) -> bool {
        value.as_str().is_some_and(|text| !text.is_empty())
    }
}
