//! Which changes of a schema break what was good before. The rule compares two schemas place by place: at their root, in
//! `properties`, `additionalProperties`, `items` and `prefixItems`, and in `$defs` of the same name. It sees, at each
//! place: a new `required`, a removed property, a narrowed `type`, a new or narrowed `enum` or `const`,
//! `additionalProperties` that becomes `false`, and a schema that becomes `false`. It does not follow `$ref`, and does not
//! compare other keywords.

use std::collections::BTreeSet;

use domain::ports::SchemaBreak;
use serde_json::{Map, Value};

use crate::schema_limits::escaped;

const TYPES: [&str; 7] = ["null", "boolean", "object", "array", "number", "string", "integer"];

/// The first change that breaks, in the order of the text above; `None` if the rule finds none.
pub(crate) fn first_break(before: &Value, after: &Value) -> Option<SchemaBreak> {
    compare(before, after, "#")
}

fn compare(before: &Value, after: &Value, pointer: &str) -> Option<SchemaBreak> {
    let found = |end: &str, change: String| Some(SchemaBreak { pointer: format!("{pointer}{end}"), change });
    if before == &Value::Bool(false) {
        return None;
    }
    if after == &Value::Bool(false) {
        return found("", "no value is allowed any more".to_owned());
    }
    let empty = Map::new();
    let [before, after] = [before, after].map(|schema| schema.as_object().unwrap_or(&empty));
    if let Some(name) = names(after, "required").difference(&names(before, "required")).next() {
        return found("/required", format!("the property {name:?} is required now"));
    }
    let [properties_before, properties_after] =
        [before, after].map(|schema| schema.get("properties").and_then(Value::as_object).unwrap_or(&empty));
    if let Some(name) = properties_before.keys().find(|name| !properties_after.contains_key(*name)) {
        return found("/properties", format!("the property {name:?} is removed"));
    }
    if let Some(name) = types(before).difference(&types(after)).next() {
        return found("/type", format!("the type {name} is not allowed any more"));
    }
    if let Some(change) = narrowed_values(before, after) {
        return found(if after.contains_key("const") { "/const" } else { "/enum" }, change.to_owned());
    }
    let closes = |schema: &Map<String, Value>| schema.get("additionalProperties") == Some(&Value::Bool(false));
    if closes(after) && !closes(before) {
        return found("/additionalProperties", "other properties are not allowed any more".to_owned());
    }
    pairs(before, after)
        .into_iter()
        .find_map(|(end, before, after)| compare(before, after, &format!("{pointer}/{end}")))
}

/// The places that both schemas have.
fn pairs<'a>(before: &'a Map<String, Value>, after: &'a Map<String, Value>) -> Vec<(String, &'a Value, &'a Value)> {
    let mut found = Vec::new();
    for keyword in ["properties", "$defs"] {
        let maps = [before, after].map(|schema| schema.get(keyword).and_then(Value::as_object));
        if let [Some(before), Some(after)] = maps {
            let both = before.iter().filter_map(|(name, before)| Some((name, before, after.get(name)?)));
            found.extend(both.map(|(name, before, after)| (format!("{keyword}/{}", escaped(name)), before, after)));
        }
    }
    for keyword in ["additionalProperties", "items"] {
        if let (Some(before), Some(after)) = (before.get(keyword), after.get(keyword)) {
            found.push((keyword.to_owned(), before, after));
        }
    }
    let lists = [before, after].map(|schema| schema.get("prefixItems").and_then(Value::as_array));
    if let [Some(before), Some(after)] = lists {
        let both = before.iter().zip(after).enumerate();
        found.extend(both.map(|(index, (before, after))| (format!("prefixItems/{index}"), before, after)));
    }
    found
}

fn names<'a>(schema: &'a Map<String, Value>, keyword: &str) -> BTreeSet<&'a str> {
    schema.get(keyword).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The types that a schema allows. `number` includes `integer`.
fn types(schema: &Map<String, Value>) -> BTreeSet<&str> {
    let mut allowed: BTreeSet<&str> = match schema.get("type") {
        Some(Value::String(name)) => [name.as_str()].into(),
        Some(Value::Array(_)) => names(schema, "type"),
        _ => TYPES.into(),
    };
    if allowed.contains("number") {
        allowed.insert("integer");
    }
    allowed
}

fn narrowed_values(before: &Map<String, Value>, after: &Map<String, Value>) -> Option<&'static str> {
    match (values(before), values(after)) {
        (_, None) => None,
        (None, Some(_)) => Some("only listed values are allowed now"),
        (Some(before), Some(after)) => {
            (!before.iter().all(|value| after.contains(value))).then_some("a listed value is removed")
        }
    }
}

/// The values that `const` or `enum` lists.
fn values(schema: &Map<String, Value>) -> Option<Vec<&Value>> {
    let constant = schema.get("const").map(|value| vec![value]);
    constant.or_else(|| schema.get("enum").and_then(Value::as_array).map(|values| values.iter().collect()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn broken(before: &Value, after: &Value) -> Option<String> {
        first_break(before, after).map(|found| found.to_string())
    }

    #[test]
    fn changes_that_break_are_seen_at_their_place() {
        let object = json!({ "type": "object", "properties": { "a": { "type": ["string", "null"] } } });
        for (before, after, found) in [
            (json!({}), json!({ "required": ["a"] }), "#/required: the property \"a\" is required now"),
            (
                json!({ "required": ["a"] }),
                json!({ "required": ["a", "b"] }),
                "#/required: the property \"b\" is required now",
            ),
            (object.clone(), json!({ "type": "object" }), "#/properties: the property \"a\" is removed"),
            (json!({}), json!({ "type": "string" }), "#/type: the type array is not allowed any more"),
            (
                json!({ "type": "number" }),
                json!({ "type": "integer" }),
                "#/type: the type number is not allowed any more",
            ),
            (
                object,
                json!({ "type": "object", "properties": { "a": { "type": "string" } } }),
                "#/properties/a/type: the type null is not allowed any more",
            ),
            (json!({ "enum": [1, 2] }), json!({ "enum": [1] }), "#/enum: a listed value is removed"),
            (
                json!({ "type": "string" }),
                json!({ "type": "string", "enum": ["a"] }),
                "#/enum: only listed values are allowed now",
            ),
            (json!({ "enum": ["a", "b"] }), json!({ "const": "a" }), "#/const: a listed value is removed"),
            (
                json!({}),
                json!({ "additionalProperties": false }),
                "#/additionalProperties: other properties are not allowed any more",
            ),
            (json!(true), json!(false), "#: no value is allowed any more"),
            (
                json!({ "properties": { "a": {} } }),
                json!({ "properties": { "a": false } }),
                "#/properties/a: no value is allowed any more",
            ),
            (
                json!({ "items": { "properties": { "a/b": {} } } }),
                json!({ "items": { "properties": { "a/b": { "type": "null" } } } }),
                "#/items/properties/a~1b/type: the type array is not allowed any more",
            ),
            (
                json!({ "prefixItems": [{}, {}] }),
                json!({ "prefixItems": [{}, { "required": ["x"] }] }),
                "#/prefixItems/1/required: the property \"x\" is required now",
            ),
            (
                json!({ "$defs": { "a": {} } }),
                json!({ "$defs": { "a": { "const": 1 } } }),
                "#/$defs/a/const: only listed values are allowed now",
            ),
            (
                json!({ "additionalProperties": {} }),
                json!({ "additionalProperties": { "required": ["x"] } }),
                "#/additionalProperties/required: the property \"x\" is required now",
            ),
        ] {
            assert_eq!(broken(&before, &after).as_deref(), Some(found), "{before} -> {after}");
        }
    }

    #[test]
    fn other_changes_pass() {
        for (before, after) in [
            (json!({}), json!({})),
            (json!({ "type": "integer" }), json!({ "type": "number" })),
            (json!({ "type": "string" }), json!({ "type": ["string", "null"] })),
            (json!({ "enum": [1] }), json!({ "enum": [2, 1] })),
            (json!({ "const": 1 }), json!({ "enum": [1, 2] })),
            (json!({ "required": ["b", "a"] }), json!({ "required": ["a"] })),
            (json!({ "properties": { "a": {} } }), json!({ "properties": { "a": {}, "b": { "type": "string" } } })),
            (json!({ "additionalProperties": false }), json!({ "additionalProperties": true })),
            (json!(false), json!({ "type": "string" })),
            (json!({ "title": "a" }), json!({ "title": "b" })),
        ] {
            assert_eq!(broken(&before, &after), None, "{before} -> {after}");
        }
    }
}
