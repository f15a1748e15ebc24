//! SCIM 2.0 for users (RFC 7643 and 7644), by which an identity provider says who may act. The endpoints have
//! their own schema, and are not in the OpenAPI document. See decision 137.

mod attributes;
mod discovery;
mod user;
mod users;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{ServiceConfig, resource};
use serde_json::{Value, json};

use crate::ScimSubject;
use crate::callers::operator::OperatorCall;
use crate::errors::scim_fault::MEDIA_TYPE;

const CONFIGURATION: &str = "/scim/v2/ServiceProviderConfig";
const RESOURCE_TYPES: &str = "/scim/v2/ResourceTypes";
const SCHEMAS: &str = "/scim/v2/Schemas";
const USERS: &str = "/scim/v2/Users";

/// Registers the endpoints. `subject` is the attribute that is the subject of ID tokens.
pub(super) fn register(config: &mut ServiceConfig, subject: ScimSubject) {
    let users = resource(USERS)
        .get(move |call| users::list_users(call, subject))
        .post(move |call| users::create_user(call, subject));
    let user = resource(format!("{USERS}/{{userId}}"))
        .get(move |call| users::find_user(call, subject))
        .put(move |call| users::replace_user(call, subject))
        .patch(move |call| users::change_user(call, subject))
        .delete(users::delete_user);
    config
        .service(users)
        .service(user)
        .service(resource(CONFIGURATION).get(discovery::show_configuration))
        .service(resource(RESOURCE_TYPES).get(discovery::list_resource_types))
        .service(resource(format!("{RESOURCE_TYPES}/{{name}}")).get(discovery::find_resource_type))
        .service(
            resource(SCHEMAS).get(move |call: OperatorCall| async move { discovery::list_schemas(&call, subject) }),
        )
        .service(
            resource(format!("{SCHEMAS}/{{name}}"))
                .get(move |call: OperatorCall| async move { discovery::find_schema(&call, subject) }),
        );
}

fn answer(status: StatusCode, body: &Value) -> HttpResponse {
    HttpResponse::build(status).content_type(MEDIA_TYPE).body(body.to_string())
}

/// A page of a list (RFC 7644, section 3.4.2), whose first resource has the place `start` among `total`.
fn listed(resources: &[Value], start: usize, total: usize) -> HttpResponse {
    let body = json!({
        "schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"], "totalResults": total, "startIndex": start,
        "itemsPerPage": resources.len(), "Resources": resources,
    });
    answer(StatusCode::OK, &body)
}

/// The metadata of a resource (RFC 7643, section 3.1).
fn meta(call: &OperatorCall, kind: &str, path: &str) -> Value {
    json!({"resourceType": kind, "location": format!("{}{path}", call.state().settings.public_url)})
}
