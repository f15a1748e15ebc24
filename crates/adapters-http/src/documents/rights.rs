use std::mem;

use actix_web::http::Method;
use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::{OpenApi, RefOr, SecurityRequirement};

use crate::callers::calls::{ByOperators, OwnCall, Right};
use crate::credentials::operator_scope::OperatorScope;
use crate::documents::calls_for_owners::operations_of;
use crate::documents::responses::{add_response, error_responses};
use crate::errors::error_code::ErrorCode;

/// The security scheme of sessions.
pub(crate) const SESSION_SCHEME: &str = "session";
/// The security scheme of the operator API.
const OPERATOR_SCHEME: &str = "operatorToken";
const ID_TOKEN_SCHEMES: [&str; 2] = ["idToken", "idTokenHeader"];
const API_KEY_SCHEMES: [&str; 2] = ["apiKey", "apiKeyHeader"];

/// The calls that end all keys or sessions of an owner: they read the body to refuse members.
const REFUSE_MEMBERS: [&str; 3] = ["endSessions", "endUserSessions", "revokeUserApiKeys"];

/// The errors of a JSON body.
const BODY_ERRORS: [ErrorCode; 7] = [
    ErrorCode::BadRequest,
    ErrorCode::InvalidJson,
    ErrorCode::InvalidField,
    ErrorCode::UnknownField,
    ErrorCode::RequestTimeout,
    ErrorCode::PayloadTooLarge,
    ErrorCode::UnsupportedMediaType,
];

/// Adds the accepted credentials to each call of an owner and of the operator API, and the errors that all these calls
/// share.
pub(crate) fn add_rights(document: &mut OpenApi) {
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in operations_of(item) {
            let changes = (method != Method::GET).then_some(ErrorCode::CrossSiteRequest);
            if let Some(right) = Right::of_call(&method, path) {
                require_right(operation, right, changes);
            } else if path.starts_with("/api/operator/") {
                let names_owner = path.contains("{userId}") || path.contains("{organizationId}");
                let of_path = names_owner.then_some(ErrorCode::InvalidField);
                let for_owner = OwnCall::by_operators_at(&method, path).map(|call| call.by_operators);
                let of_change = matches!(for_owner, Some(ByOperators::Change)).then_some(ErrorCode::OwnerErasing);
                let others = changes.into_iter().chain(of_path).chain(of_change);
                require_scope(operation, OperatorScope::of_call(&method, path), others);
            } else if operation.request_body.is_some() {
                share_errors(operation, Vec::new());
            }
        }
    }
}

/// `changes` is the error of a session that another site causes to make a change.
fn require_right(operation: &mut Operation, right: Right, changes: Option<ErrorCode>) {
    let api_keys = API_KEY_SCHEMES.into_iter().filter(|_| right.is_for_api_keys());
    let schemes = api_keys.chain(ID_TOKEN_SCHEMES).chain([SESSION_SCHEME]);
    operation.security = Some(schemes.map(|scheme| requirement(scheme, None)).collect());
    add_sentence(operation, sentence_of(right));
    let mut errors = vec![ErrorCode::CredentialMissing, ErrorCode::CredentialInvalid, ErrorCode::SeveralCredentials];
    errors.extend(right.webhooks().map(|_| ErrorCode::InsufficientScope));
    errors.extend((right != Right::AnyCaller).then_some(ErrorCode::CapabilityMissing));
    errors.extend([ErrorCode::OrganizationUnreadable, ErrorCode::OtherOwner, ErrorCode::OrganizationNotFound]);
    errors.extend([ErrorCode::OrganizationRoleExpired, ErrorCode::OwnerSuspended]);
    errors.extend(changes);
    errors.extend([ErrorCode::TooManyCredentialFailures, ErrorCode::RateLimited]);
    share_errors(operation, errors);
}

fn sentence_of(right: Right) -> &'static str {
    match right {
        Right::AnyCaller => "Accepts an API key, an ID token or a session.",
        Right::SeeKeys => "Requires an ID token or a session. An API key is refused.",
        Right::ChangeKeys => "Requires an ID token, in a header or in the body, or a session. An API key is refused.",
        Right::SeeWebhooks => {
            "Accepts an API key, an ID token or a session. A key that has scopes needs `webhooks:read`, \
             `webhooks:consume` or `webhooks:write`."
        }
        Right::ConsumeEvents => {
            "Accepts an API key, an ID token or a session. A key that has scopes needs `webhooks:consume` or `webhooks:write`."
        }
        Right::ChangeWebhooks => {
            "Accepts an API key, an ID token or a session. A key that has scopes needs `webhooks:write`."
        }
        Right::Account => {
            "Requires an ID token or a session. An API key is refused, and so is a visitor. A member of an organization needs \
             the capabilities `keys` and `webhooks`."
        }
    }
}

/// `others` are the errors of this call.
fn require_scope(operation: &mut Operation, scopes: &[OperatorScope], others: impl Iterator<Item = ErrorCode>) {
    let requirements = scopes.iter().map(|scope| requirement(OPERATOR_SCHEME, Some(scope.as_str())));
    operation.security = Some(requirements.collect());
    let admin = [OperatorScope::Admin];
    let sufficient = scopes.iter().chain(admin.iter().filter(|_| scopes != admin));
    let sufficient: Vec<String> = sufficient.map(|scope| format!("`{scope}`")).collect();
    add_sentence(operation, &format!("Requires an operator token with the scope {}.", sufficient.join(" or ")));
    let mut errors = vec![ErrorCode::CredentialMissing, ErrorCode::CredentialInvalid, ErrorCode::OperatorScopeMissing];
    errors.push(ErrorCode::RateLimited);
    // Only host applications verify keys, never browsers. The failures of the verified clients are not limited.
    if scopes != [OperatorScope::Verify] {
        operation.security.get_or_insert_default().push(requirement(SESSION_SCHEME, None));
        errors.extend([ErrorCode::SeveralCredentials, ErrorCode::OperatorRoleMissing]);
        errors.push(ErrorCode::TooManyCredentialFailures);
        errors.extend(others);
    }
    share_errors(operation, errors);
}

fn requirement(scheme: &str, scope: Option<&str>) -> SecurityRequirement {
    SecurityRequirement::new(scheme, scope)
}

fn add_sentence(operation: &mut Operation, sentence: &str) {
    let description = operation.description.take().filter(|text| !text.is_empty());
    let description = description.map(|text| format!("{text}\n\n{sentence}"));
    operation.description = Some(description.unwrap_or_else(|| sentence.to_owned()));
}

/// Adds these errors, and the errors of its body and query, before the call's own errors.
fn share_errors(operation: &mut Operation, mut errors: Vec<ErrorCode>) {
    let refuses_members = operation
        .operation_id
        .as_deref()
        .is_some_and(|id| REFUSE_MEMBERS.contains(&&*id.replace("Organization", "User")));
    let reads_body = operation.request_body.is_some() || refuses_members;
    errors.extend(BODY_ERRORS.into_iter().filter(|_| reads_body));
    errors.extend(has_query(operation).then_some(ErrorCode::InvalidField));
    let own = mem::replace(&mut operation.responses.responses, error_responses(&errors));
    for (status, response) in own {
        add_response(operation, status, response);
    }
}

fn has_query(operation: &Operation) -> bool {
    operation.parameters.iter().flatten().any(|parameter| match parameter {
        RefOr::T(parameter) => parameter.parameter_in == ParameterIn::Query,
        RefOr::Ref(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::openapi::openapi_json;

    /// A session never verifies keys, and the calls that open one or report how to sign in need none.
    const NOT_FOR_SESSIONS: [&str; 3] = ["introspect", "beginVisit", "findCommandLineClient"];

    /// No call of the operator API falls back to `admin`, which would mean that its scope was forgotten.
    #[test]
    fn every_call_of_the_operator_names_its_scope() {
        let document: Value = serde_json::from_str(&openapi_json()).unwrap();
        let mut calls = 0;
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let of_operator = path.starts_with("/api/operator/");
                let security = operation["security"].to_string();
                assert_eq!(security.contains("operatorToken"), of_operator, "{method} {path}");
                if of_operator {
                    let named = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
                    let named = OperatorScope::named_for(&named, path).expect("the table has the call");
                    for (security, scope) in operation["security"].as_array().unwrap().iter().zip(named) {
                        assert_eq!(*security, json!({ "operatorToken": [scope.as_str()] }), "{method} {path}");
                    }
                    assert!(operation["description"].as_str().unwrap().contains("Requires an operator token"));
                    calls += 1;
                }
            }
        }
        assert!(calls >= 7, "{calls}");
    }

    /// Calls that only a page of this service may make, with a session or without.
    fn has_own_check(operation_id: &Value) -> bool {
        ["signOut", "beginVisit"].iter().any(|id| operation_id == id)
    }

    #[test]
    fn calls_of_the_api_take_a_session() {
        let document: Value = serde_json::from_str(&openapi_json()).unwrap();
        let mut calls = 0;
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let is_exempt = NOT_FOR_SESSIONS.map(Value::from).contains(&operation["operationId"]);
                let is_for_sessions = path.starts_with("/api/") && !is_exempt;
                let security = operation["security"].as_array().cloned().unwrap_or_default();
                assert_eq!(security.contains(&json!({ "session": [] })), is_for_sessions, "{method} {path}");
                let forbidden = operation["responses"]["403"]["description"].as_str().unwrap_or_default();
                let changes = (is_for_sessions && method != "get") || has_own_check(&operation["operationId"]);
                assert_eq!(forbidden.contains("cross_site_request"), changes, "{method} {path}");
                calls += usize::from(is_for_sessions);
            }
        }
        assert!(calls > 25, "{calls}");
    }
}
