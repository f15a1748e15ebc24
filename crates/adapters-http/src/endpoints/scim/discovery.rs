use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde_json::{Value, json};

use super::attributes::SCHEMA;
use super::{CONFIGURATION, RESOURCE_TYPES, SCHEMAS, answer, listed, meta};
use crate::ScimSubject;
use crate::callers::operator::OperatorCall;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::parameters::path::PathParameters;
use crate::parameters::query::PAGE_SIZE_MAX;

/// `GET /ServiceProviderConfig` (RFC 7643, section 5)
pub(super) async fn show_configuration(call: OperatorCall) -> HttpResponse {
    let no = json!({"supported": false});
    let body = json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
        "patch": {"supported": true},
        "bulk": {"supported": false, "maxOperations": 0, "maxPayloadSize": 0},
        "filter": {"supported": true, "maxResults": PAGE_SIZE_MAX},
        "changePassword": no, "sort": no, "etag": no,
        "authenticationSchemes": [{
            "type": "oauthbearertoken", "name": "Operator token", "primary": true,
            "description": "An operator token with the scope scim",
        }],
        "meta": meta(&call, "ServiceProviderConfig", CONFIGURATION),
    });
    answer(StatusCode::OK, &body)
}

/// `GET /ResourceTypes`
pub(super) async fn list_resource_types(call: OperatorCall) -> HttpResponse {
    listed(&[resource_type(&call)], 1, 1)
}

/// `GET /ResourceTypes/User`
pub(super) async fn find_resource_type(call: OperatorCall) -> Result<HttpResponse, ApiError> {
    found(&call, &resource_type(&call))
}

/// `GET /Schemas`
pub(super) fn list_schemas(call: &OperatorCall, by: ScimSubject) -> HttpResponse {
    listed(&[schema(call, by)], 1, 1)
}

/// `GET /Schemas/{id}`
pub(super) fn find_schema(call: &OperatorCall, by: ScimSubject) -> Result<HttpResponse, ApiError> {
    found(call, &schema(call, by))
}

/// The only one there is, if the path names it.
fn found(call: &OperatorCall, only: &Value) -> Result<HttpResponse, ApiError> {
    let is_it = PathParameters::of(&call.request).name() == only["id"].as_str();
    if is_it { Ok(answer(StatusCode::OK, only)) } else { Err(ErrorCode::NotFound.into()) }
}

fn resource_type(call: &OperatorCall) -> Value {
    json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
        "id": "User", "name": "User", "endpoint": "/Users", "description": "A user", "schema": SCHEMA,
        "meta": meta(call, "ResourceType", &format!("{RESOURCE_TYPES}/User")),
    })
}

/// The attributes that are kept. The case matters in a subject, and not in an address.
fn schema(call: &OperatorCall, by: ScimSubject) -> Value {
    let attribute = |name: &str, kind: &str| {
        json!({
            "name": name, "type": kind, "multiValued": false, "required": false, "caseExact": false,
            "mutability": "readWrite", "returned": "default", "uniqueness": "none", "description": name,
        })
    };
    let with = |mut attribute: Value, name: &str, value: Value| {
        attribute[name] = value;
        attribute
    };
    let user_name = with(attribute("userName", "string"), "required", json!(true));
    let user_name = with(user_name, "caseExact", json!(by == ScimSubject::UserName));
    let parts = json!([attribute("value", "string"), attribute("type", "string"), attribute("primary", "boolean")]);
    let emails = with(attribute("emails", "complex"), "multiValued", json!(true));
    json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
        "id": SCHEMA, "name": "User", "description": "A user",
        "attributes": [
            with(user_name, "uniqueness", json!("server")),
            with(attribute("name", "complex"), "subAttributes", json!([attribute("formatted", "string")])),
            attribute("displayName", "string"),
            with(emails, "subAttributes", parts),
            attribute("active", "boolean"),
        ],
        "meta": meta(call, "Schema", &format!("{SCHEMAS}/{SCHEMA}")),
    })
}
