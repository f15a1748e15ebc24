//! The committed OpenAPI document equals the output of the binary, and is valid.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{NO_SETTINGS, repository, run_gatepost};

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

#[test]
fn the_committed_openapi_document_is_current() {
    let committed = fs::read_to_string(repository().join("docs/openapi.json")).unwrap();
    assert!(committed == printed(&["openapi"]), "docs/openapi.json is out of date: run `cargo xtask openapi`");
}

#[test]
fn the_committed_reference_of_settings_is_current() {
    let committed = fs::read_to_string(repository().join("docs/configuration.md")).unwrap();
    let printed = printed(&["config", "--reference"]);
    assert!(committed == printed, "docs/configuration.md is out of date: run `cargo xtask openapi`");
}

/// The rules of OpenAPI 3.1 that break tools when they are violated. A validator of the whole schema would add many
/// dependencies; `cargo xtask lint` runs one where it can.
#[test]
fn the_document_is_valid_openapi_3_1() {
    let document: Value = serde_json::from_str(&printed(&["openapi"])).unwrap();
    assert!(text(&document["openapi"]).starts_with("3.1."));
    assert!(!text(&document["info"]["title"]).is_empty() && !text(&document["info"]["version"]).is_empty());
    let mut operation_ids = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        assert!(path.starts_with('/'), "{path}");
        for (method, operation) in item.as_object().unwrap().iter().filter(|(name, _)| METHODS.contains(&name.as_str()))
        {
            let place = format!("{method} {path}");
            let id = text(&operation["operationId"]);
            assert!(operation_ids.insert(id.to_owned()), "{place}: its operationId is taken");
            check_responses(&document, operation, &place);
            check_parameters(path, operation, &place);
            check_security(&document, operation, &place);
        }
    }
    check_references(&document, &document);
}

#[test]
fn the_document_covers_the_contract() {
    let document: Value = serde_json::from_str(&printed(&["openapi"])).unwrap();
    let keys = &document["paths"]["/api/api-keys"];
    for (method, statuses) in [
        ("get", ["200", "401", "500"].as_slice()),
        ("post", &["200", "400", "401", "500"]),
        ("delete", &["200", "400", "401", "403", "404", "500"]),
    ] {
        for status in statuses {
            assert!(keys[method]["responses"][status].is_object(), "{method} {status}");
        }
    }
    assert!(document["paths"]["/api/whoami"]["get"].is_object());
}

fn check_responses(document: &Value, operation: &Value, place: &str) {
    let responses = operation["responses"].as_object().unwrap_or_else(|| panic!("{place}: no responses"));
    assert!(!responses.is_empty(), "{place}: no responses");
    for (status, response) in responses {
        let known = status == "default" || (status.len() == 3 && status.starts_with(['1', '2', '3', '4', '5']));
        assert!(known, "{place}: {status}");
        let response = response["$ref"].as_str().map_or(response, |pointer| resolve(document, pointer));
        assert!(!text(&response["description"]).is_empty(), "{place} {status}: no description");
    }
}

fn check_parameters(path: &str, operation: &Value, place: &str) {
    let parameters: Vec<&Value> = operation["parameters"].as_array().into_iter().flatten().collect();
    for name in path.split('{').skip(1).map(|part| part.split('}').next().unwrap()) {
        let declared = parameters.iter().any(|p| p["in"] == "path" && p["name"] == name && p["required"] == true);
        assert!(declared, "{place}: {name} is not declared");
    }
    let names: BTreeSet<_> = parameters.iter().map(|p| (text(&p["in"]), text(&p["name"]))).collect();
    assert_eq!(names.len(), parameters.len(), "{place}: a parameter is declared twice");
}

fn check_security(document: &Value, operation: &Value, place: &str) {
    for scheme in operation["security"].as_array().into_iter().flatten().flat_map(|one| one.as_object().unwrap().keys())
    {
        assert!(document["components"]["securitySchemes"][scheme].is_object(), "{place}: {scheme} is unknown");
    }
}

fn check_references(document: &Value, value: &Value) {
    match value {
        Value::Object(fields) => {
            if let Some(pointer) = fields.get("$ref").and_then(Value::as_str) {
                resolve(document, pointer);
                assert!(!pointer.starts_with("#/paths"), "many tools cannot follow {pointer}");
            }
            assert!(!fields.contains_key("nullable"), "nullable is of OpenAPI 3.0: {value}");
            fields.values().for_each(|value| check_references(document, value));
        }
        Value::Array(items) => items.iter().for_each(|value| check_references(document, value)),
        _ => {}
    }
}

fn resolve<'a>(document: &'a Value, pointer: &str) -> &'a Value {
    let path = pointer.strip_prefix('#').unwrap_or_else(|| panic!("{pointer} leads outside"));
    document.pointer(path).unwrap_or_else(|| panic!("{pointer} leads nowhere"))
}

#[track_caller]
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a string"))
}

fn printed(arguments: &[&str]) -> String {
    let output = run_gatepost(TempDir::new().unwrap().path(), arguments, &NO_SETTINGS);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
