//! The OpenAPI document of a catalogue.

use std::collections::BTreeSet;

use domain::catalogue::{EventTypeEntry, JsonText};
use serde_json::{Map, Value, json};

use crate::bodies::openapi_webhooks::DATA;

/// The document of these entries.
pub(super) fn document_of<'a>(entries: impl Iterator<Item = &'a EventTypeEntry>) -> Value {
    let (mut webhooks, mut schemas, mut keys) = (Map::new(), Map::new(), BTreeSet::new());
    for entry in entries {
        let key = component_key(entry.name.as_str(), &mut keys);
        let data = entry.settings.schema.as_ref().map_or_else(|| json!({}), parsed);
        schemas.insert(key.clone(), moved(data, &format!("#/components/schemas/{key}")));
        webhooks.insert(entry.name.to_string(), webhook(entry, &key));
    }
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Webhooks", "version": "1.0.0" },
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "webhooks": webhooks,
        "components": { "schemas": schemas },
    })
}

fn webhook(entry: &EventTypeEntry, key: &str) -> Value {
    let settings = &entry.settings;
    let title = if settings.title.as_str().is_empty() { entry.name.as_str() } else { settings.title.as_str() };
    let payload = json!({
        "type": "object",
        "required": ["type", "timestamp", "data"],
        "properties": {
            "type": { "const": entry.name.as_str() },
            "timestamp": { "type": "string", "format": "date-time" },
            "data": { "$ref": format!("#/components/schemas/{key}") },
        },
    });
    let time = entry.updated_at.to_string();
    let example = |data| json!({ "value": { "type": entry.name.as_str(), "timestamp": time, "data": parsed(data) } });
    let examples = settings.examples.iter().enumerate();
    let examples: Map<String, Value> =
        examples.map(|(index, data)| (format!("example{}", index + 1), example(data))).collect();
    let mut content = json!({ "schema": payload });
    if !examples.is_empty() {
        content["examples"] = Value::Object(examples);
    }
    let mut operation = json!({
        "summary": title,
        "description": settings.description.as_str(),
        "operationId": key,
        "requestBody": { "required": true, "content": { "application/json": content } },
        "responses": { "2XX": { "description": "The event was received" } },
    });
    if settings.deprecated.is_some() {
        operation["deprecated"] = true.into();
    }
    json!({ "post": operation })
}

/// A key of `components`, which has fewer characters than the name of a type: no other type has the same.
fn component_key(name: &str, taken: &mut BTreeSet<String>) -> String {
    let plain = name.replace([':', '/'], "_");
    let mut numbers = 2..;
    let mut key = plain.clone();
    while !taken.insert(key.clone()) {
        key = format!("{plain}-{}", numbers.next().unwrap_or(0));
    }
    key
}

/// JSON that was read before.
fn parsed(json: &JsonText) -> Value {
    serde_json::from_str(json.as_str()).unwrap_or_else(|_| json!({}))
}

/// The schema with references from its new place in a larger document.
fn moved(schema: Value, place: &str) -> Value {
    match schema {
        Value::Object(members) => {
            let members = members.into_iter().filter(|(name, _)| name != "$schema" && name != "$id");
            let moved = members.map(|(name, value)| match value {
                Value::String(target) if name == "$ref" && target.starts_with('#') => {
                    (name, format!("{place}{}", &target[1..]).into())
                }
                value if DATA.contains(&&*name) => (name, value),
                value => (name, moved(value, place)),
            });
            Value::Object(moved.collect())
        }
        Value::Array(items) => items.into_iter().map(|item| moved(item, place)).collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_lead_to_the_new_place() {
        let schema = json!({
            "$id": "https://x.example/a",
            "$ref": "#",
            "const": { "$ref": "#/data" },
            "properties": { "a": { "items": [{ "$ref": "#/$defs/b" }] } },
        });
        let expected = json!({
            "$ref": "#/components/schemas/x",
            "const": { "$ref": "#/data" },
            "properties": { "a": { "items": [{ "$ref": "#/components/schemas/x/$defs/b" }] } },
        });
        assert_eq!(moved(schema, "#/components/schemas/x"), expected);
    }

    #[test]
    fn keys_are_unique() {
        let mut taken = BTreeSet::new();
        let keys = ["a/b", "a:b", "a_b", "a.b"].map(|name| component_key(name, &mut taken));
        assert_eq!(keys, ["a_b", "a_b-2", "a_b-3", "a.b"]);
    }
}
