use std::collections::btree_map::Entry;

use utoipa::Modify;
use utoipa::openapi::path::Operation;
use utoipa::openapi::{OpenApi, RefOr, Response, SecurityRequirement};

use crate::documents::responses::error_responses;
use crate::errors::error_code::{ErrorCode, error_reference};
use crate::errors::problem::MEDIA_TYPE;

/// The security scheme of sessions.
pub(crate) const SCHEME: &str = "session";
/// A session never verifies keys, and the calls that open one or report how to sign in need none.
const NOT_FOR_SESSIONS: [&str; 3] = ["introspect", "beginVisit", "findCommandLineClient"];

/// Adds to each call of the API that browsers make with a session how they do it, and the errors that only they get.
pub(crate) struct SessionCalls;

impl Modify for SessionCalls {
    fn modify(&self, document: &mut OpenApi) {
        for (path, item) in &mut document.paths.paths {
            if !path.starts_with("/api/") {
                continue;
            }
            let reading = item.get.iter_mut().map(|operation| (operation, false));
            let changing = [&mut item.post, &mut item.patch, &mut item.delete].into_iter().flatten();
            for (operation, changes) in reading.chain(changing.map(|operation| (operation, true))) {
                let id = operation.operation_id.as_deref().unwrap_or_default();
                if !NOT_FOR_SESSIONS.contains(&id) {
                    add_security(operation);
                    add_errors(operation, &errors_of(path, changes));
                }
            }
        }
    }
}

fn add_security(operation: &mut Operation) {
    let security = operation.security.get_or_insert_default();
    let session = SecurityRequirement::new::<_, [&str; 0], &str>(SCHEME, []);
    if !security.contains(&session) {
        security.push(session);
    }
}

fn errors_of(path: &str, changes: bool) -> Vec<ErrorCode> {
    let forbidden = if path.starts_with("/api/operator/") {
        Some(ErrorCode::OperatorRoleMissing)
    } else {
        (path != "/api/session" && path != "/api/whoami").then_some(ErrorCode::CapabilityMissing)
    };
    let cross_site = changes.then_some(ErrorCode::CrossSiteRequest);
    [ErrorCode::SeveralCredentials].into_iter().chain(forbidden).chain(cross_site).collect()
}

fn add_errors(operation: &mut Operation, codes: &[ErrorCode]) {
    for (status, added) in error_responses(codes) {
        match (operation.responses.responses.get_mut(&status), added) {
            (Some(RefOr::T(known)), RefOr::T(added)) => merge(known, added),
            (Some(_), _) => {}
            (None, added) => drop(operation.responses.responses.insert(status, added)),
        }
    }
}

/// Adds the errors that are new. [`error_responses`] adds some to all operations.
fn merge(known: &mut Response, added: Response) {
    let Some(RefOr::T(examples)) = known.content.get_mut(MEDIA_TYPE) else { return };
    for content in added.content.into_values() {
        let RefOr::T(content) = content else { continue };
        for (code, example) in content.examples {
            if let Entry::Vacant(place) = examples.examples.entry(code) {
                known.description = format!("{}. `{}`: {}", known.description, place.key(), title_of(place.key()));
                place.insert(example);
            }
        }
    }
}

fn title_of(code: &str) -> &'static str {
    error_reference().iter().find(|entry| entry.code == code).map_or("", |entry| entry.title)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::NOT_FOR_SESSIONS;
    use crate::openapi::openapi_json;

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
