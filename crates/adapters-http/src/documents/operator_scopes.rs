use actix_web::http::Method;
use utoipa::Modify;
use utoipa::openapi::path::Operation;
use utoipa::openapi::{OpenApi, SecurityRequirement};

use crate::credentials::operator_scope::OperatorScope;

/// The security scheme of the operator API.
const SCHEME: &str = "operatorToken";

/// Adds to each call of the operator API the scope that its token needs.
pub(crate) struct OperatorScopes;

impl Modify for OperatorScopes {
    fn modify(&self, document: &mut OpenApi) {
        for (path, item) in &mut document.paths.paths {
            let operations =
                [(Method::GET, &mut item.get), (Method::POST, &mut item.post), (Method::DELETE, &mut item.delete)];
            for (method, operation) in operations {
                let scope = OperatorScope::of_call(&method, path);
                if let Some(operation) = operation.as_mut().filter(|_| path.starts_with("/api/operator/")) {
                    require(operation, scope);
                }
            }
        }
    }
}

fn require(operation: &mut Operation, scope: OperatorScope) {
    operation.security = Some(vec![SecurityRequirement::new(SCHEME, [scope.as_str()])]);
    let or_admin = if scope == OperatorScope::Admin { "" } else { " or `admin`" };
    let sentence = format!("Requires an operator token with the scope `{scope}`{or_admin}.");
    let description = operation.description.take().map(|text| format!("{text}\n\n{sentence}"));
    operation.description = Some(description.unwrap_or(sentence));
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::openapi::openapi_json;

    /// No call of the operator API falls back to `admin`, which means that somebody has forgotten it.
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
                    let named = OperatorScope::named_for(&named, path).expect("the table has the call").as_str();
                    assert_eq!(operation["security"][0], json!({ "operatorToken": [named] }), "{method} {path}");
                    assert!(operation["description"].as_str().unwrap().contains("Requires an operator token"));
                    calls += 1;
                }
            }
        }
        assert!(calls >= 7, "{calls}");
    }
}
