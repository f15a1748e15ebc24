//! Reads event types from the `webhooks` of an OpenAPI 3.1 document, such as the document of a catalogue.

use serde_json::{Map, Value, json};

/// The keywords whose values are data, and so is a `$ref` in them.
pub(crate) const DATA: [&str; 4] = ["const", "enum", "default", "examples"];
const SCHEMAS: &str = "#/components/schemas/";
/// The maximum number of references in a chain. A longer chain counts as a circle.
const HOPS_MAX: usize = 16;

/// A webhook of an OpenAPI document.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct DescribedWebhook {
    pub(crate) title: String,
    pub(crate) description: String,
    /// The JSON Schema of `data`, which needs no other document; `None` if there is none.
    pub(crate) schema: Option<Value>,
    /// Examples of `data`.
    pub(crate) examples: Vec<Value>,
    pub(crate) is_deprecated: bool,
}

/// The name of a webhook, and the webhook or the reason why it cannot be read.
type NamedWebhook<'a> = (&'a str, Result<DescribedWebhook, String>);

/// The webhooks of a document, by their names.
///
/// # Errors
///
/// If the document has no webhooks.
pub(crate) fn webhooks_of(document: &Value) -> Result<Vec<NamedWebhook<'_>>, &'static str> {
    let webhooks = document["webhooks"].as_object().filter(|webhooks| !webhooks.is_empty());
    let webhooks = webhooks.ok_or("must be an OpenAPI 3.1 document with webhooks")?;
    Ok(webhooks.iter().map(|(name, item)| (name.as_str(), described(document, name, item))).collect())
}

fn described(document: &Value, name: &str, item: &Value) -> Result<DescribedWebhook, String> {
    let operation = &resolved(document, item)?["post"];
    if !operation.is_object() {
        return Err("must have the operation `post`".to_owned());
    }
    let body = resolved(document, &operation["requestBody"])?;
    let content = json_content(body)?;
    let payload = resolved(document, &content["schema"])?;
    let has_data = !payload["properties"]["data"].is_null();
    let schema = if has_data { &payload["properties"]["data"] } else { &content["schema"] };
    let schema = if schema.is_null() { None } else { Some(alone(document, schema)?) };
    let named = content["examples"].as_object().into_iter().flat_map(Map::values);
    let named = named.map(|example| resolved(document, example).map(|example| &example["value"]));
    let named = named.collect::<Result<Vec<&Value>, String>>()?;
    let examples = named.into_iter().chain([&content["example"]]).filter(|example| !example.is_null());
    let data = |example: &Value| if has_data { example["data"].clone() } else { example.clone() };
    let text = |member: &str| operation[member].as_str().unwrap_or_default().to_owned();
    let title = text("summary");
    Ok(DescribedWebhook {
        // The exported summary of a type without a title is its name.
        title: if title == name { String::new() } else { title },
        description: text("description"),
        // An empty schema accepts any data.
        schema: schema.filter(|schema| *schema != json!({})),
        examples: examples.map(data).collect(),
        is_deprecated: operation["deprecated"] == true,
    })
}

/// The content of a body that is JSON; null without a body.
fn json_content(body: &Value) -> Result<&Value, String> {
    let is_json = |media_type: &str| {
        let media_type = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        media_type == "application/json" || media_type.ends_with("+json")
    };
    let mut contents = body["content"].as_object().into_iter().flatten().peekable();
    if contents.peek().is_none() {
        return Ok(&Value::Null);
    }
    let found = contents.find(|(media_type, _)| is_json(media_type));
    found.map(|(_, content)| content).ok_or_else(|| "must have a body of the type application/json".to_owned())
}

/// The object, or the object to which its `$ref` leads in the document.
fn resolved<'a>(document: &'a Value, object: &'a Value) -> Result<&'a Value, String> {
    let mut found = object;
    for _ in 0..HOPS_MAX {
        let Some(target) = found["$ref"].as_str() else { return Ok(found) };
        let pointer = target.strip_prefix('#').ok_or_else(|| elsewhere(target))?;
        found = document.pointer(pointer).ok_or_else(|| format!("has a reference to nothing: {target}"))?;
    }
    Err("has references in a circle".to_owned())
}

fn elsewhere(target: &str) -> String {
    format!("has a reference to another document: {target}")
}

/// A copy of the schema, with the components that it refers to in `$defs`.
fn alone(document: &Value, schema: &Value) -> Result<Value, String> {
    let root = whole_of(schema);
    let (mut wanted, mut parts) = (Vec::new(), Map::new());
    let whole = root.map_or(Ok(schema), |key| component(document, key))?;
    let mut schema = moved(whole, root, &mut wanted)?;
    while let Some(key) = wanted.pop() {
        if !parts.contains_key(&key) {
            let part = moved(component(document, &key)?, root, &mut wanted)?;
            parts.insert(key, part);
        }
    }
    if let (false, Some(members)) = (parts.is_empty(), schema.as_object_mut()) {
        let known = members.entry("$defs").or_insert_with(|| json!({}));
        known.as_object_mut().ok_or("has `$defs`, which must be an object")?.extend(parts);
    }
    Ok(schema)
}

/// The key of a component, if the schema is nothing but a reference to it.
fn whole_of(schema: &Value) -> Option<&str> {
    let members = schema.as_object().filter(|members| members.len() == 1)?;
    members.get("$ref")?.as_str()?.strip_prefix(SCHEMAS).filter(|key| !key.contains('/'))
}

fn component<'a>(document: &'a Value, key: &str) -> Result<&'a Value, String> {
    let target = format!("{SCHEMAS}{key}");
    document.pointer(&target[1..]).ok_or_else(|| format!("has a reference to nothing: {target}"))
}

/// A copy of the schema with new references: to the copy itself instead of the component `root`, and to `$defs` instead of other
/// components. Adds the keys of these components to `wanted`.
fn moved(schema: &Value, root: Option<&str>, wanted: &mut Vec<String>) -> Result<Value, String> {
    match schema {
        Value::Object(members) => {
            let mut found = Map::new();
            for (name, value) in members {
                let value = match value {
                    Value::String(target) if name == "$ref" => place_of(target, root, wanted)?.into(),
                    value if DATA.contains(&name.as_str()) => value.clone(),
                    value => moved(value, root, wanted)?,
                };
                found.insert(name.clone(), value);
            }
            Ok(Value::Object(found))
        }
        Value::Array(items) => items.iter().map(|item| moved(item, root, wanted)).collect(),
        other => Ok(other.clone()),
    }
}

fn place_of(target: &str, root: Option<&str>, wanted: &mut Vec<String>) -> Result<String, String> {
    let place = target.strip_prefix(SCHEMAS).ok_or_else(|| elsewhere(target))?;
    let (key, rest) = place.find('/').map_or((place, ""), |end| place.split_at(end));
    if Some(key) == root {
        return Ok(format!("#{rest}"));
    }
    wanted.push(key.to_owned());
    Ok(format!("#/$defs/{key}{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(webhook: &Value, schemas: &Value) -> Value {
        json!({ "openapi": "3.1.0", "webhooks": { "a.b": webhook }, "components": { "schemas": schemas } })
    }

    fn read(document: &Value) -> Result<DescribedWebhook, String> {
        webhooks_of(document).unwrap().remove(0).1
    }

    fn post(schema: &Value) -> Value {
        json!({ "post": { "requestBody": { "content": { "application/json": { "schema": schema } } } } })
    }

    #[test]
    fn a_schema_takes_what_it_refers_to_along() {
        let schemas = json!({
            "Line": { "properties": { "next": { "$ref": "#/components/schemas/Line" }, "in": { "$ref": "#/components/schemas/Money/$defs/x" } } },
            "Money": { "$defs": { "x": { "type": "number" } }, "default": { "$ref": "data" } },
            "Unused": {},
        });
        let payload = json!({ "properties": { "data": { "items": { "$ref": "#/components/schemas/Line" } } } });
        let expected = json!({
            "items": { "$ref": "#/$defs/Line" },
            "$defs": {
                "Line": { "properties": { "next": { "$ref": "#/$defs/Line" }, "in": { "$ref": "#/$defs/Money/$defs/x" } } },
                "Money": { "$defs": { "x": { "type": "number" } }, "default": { "$ref": "data" } },
            },
        });
        assert_eq!(read(&document(&post(&payload), &schemas)).unwrap().schema, Some(expected));
        let whole = json!({ "properties": { "data": { "$ref": "#/components/schemas/Line" } } });
        let expected = json!({
            "properties": { "next": { "$ref": "#" }, "in": { "$ref": "#/$defs/Money/$defs/x" } },
            "$defs": { "Money": { "$defs": { "x": { "type": "number" } }, "default": { "$ref": "data" } } },
        });
        assert_eq!(read(&document(&post(&whole), &schemas)).unwrap().schema, Some(expected));
    }

    #[test]
    fn a_body_without_data_is_the_data() {
        let mut webhook = post(&json!({ "$ref": "#/components/schemas/Paid" }));
        webhook["post"]["summary"] = "Paid".into();
        webhook["post"]["deprecated"] = true.into();
        webhook["post"]["requestBody"]["content"]["application/json"]["example"] = json!({ "id": 1 });
        let found = read(&document(&webhook, &json!({ "Paid": { "type": "object" } }))).unwrap();
        let expected = DescribedWebhook {
            title: "Paid".to_owned(),
            schema: Some(json!({ "type": "object" })),
            examples: vec![json!({ "id": 1 })],
            is_deprecated: true,
            ..DescribedWebhook::default()
        };
        assert_eq!(found, expected);
        assert_eq!(read(&document(&json!({ "post": {} }), &json!({}))).unwrap(), DescribedWebhook::default());
        for media_type in ["application/json; charset=utf-8", "Application/JSON", "application/cloudevents+json"] {
            let webhook =
                json!({ "post": { "requestBody": { "content": { media_type: { "schema": { "type": "null" } } } } } });
            let found = read(&document(&webhook, &json!({}))).unwrap();
            assert_eq!(found.schema, Some(json!({ "type": "null" })), "{media_type}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let circle = json!({ "A": { "$ref": "#/components/schemas/B" }, "B": { "$ref": "#/components/schemas/A" } });
        for (schema, schemas, expected) in [
            (json!({ "$ref": "x.json" }), json!({}), "has a reference to another document: x.json"),
            (json!({ "items": { "$ref": "#/paths/x" } }), json!({}), "has a reference to another document: #/paths/x"),
            (
                json!({ "$ref": "#/components/schemas/X" }),
                json!({}),
                "has a reference to nothing: #/components/schemas/X",
            ),
            (json!({ "$ref": "#/components/schemas/A" }), circle, "has references in a circle"),
        ] {
            assert_eq!(read(&document(&post(&schema), &schemas)).unwrap_err(), expected);
        }
        assert_eq!(read(&document(&json!({ "get": {} }), &json!({}))).unwrap_err(), "must have the operation `post`");
        let form = json!({ "post": { "requestBody": { "content": { "text/plain": {} } } } });
        let refusal = read(&document(&form, &json!({}))).unwrap_err();
        assert_eq!(refusal, "must have a body of the type application/json");
        for other in [json!({}), json!({ "webhooks": {} }), json!([])] {
            assert!(webhooks_of(&other).is_err());
        }
    }
}
