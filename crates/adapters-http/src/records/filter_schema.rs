//! The schema of filters. It is recursive, and its limits are constants of the domain, so that no attribute can state it.

use std::borrow::Cow;
use std::sync::LazyLock;

use domain::webhooks::PayloadFilter;
use serde_json::{Value, from_value, json};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};

const NAME: &str = "PayloadFilter";

const DESCRIPTION: &str = "Which events a subscription receives, by their content: a condition about the body that \
                           receivers get. `all`, `any` and `not` combine conditions. A leaf has a `path` (a JSON \
                           pointer into the body, in which `*` is any element of an array), an `op` and a `value`. A \
                           path that leads nowhere, or to a value of another type, is false, for `ne` too. Numbers \
                           compare by their value, whatever their size and digits. At most 20 leaves, 6 conditions \
                           inside each other and 8 KiB.";

/// The schema of a [`PayloadFilter`].
pub(crate) struct FilterSchema;

impl ToSchema for FilterSchema {
    fn name() -> Cow<'static, str> {
        NAME.into()
    }
}

impl PartialSchema for FilterSchema {
    fn schema() -> RefOr<Schema> {
        // Each field with a filter asks. Reading the JSON took a seventh of the instructions of a start.
        static SCHEMA: LazyLock<RefOr<Schema>> = LazyLock::new(|| from_value(schema()).expect("the JSON is a schema"));
        SCHEMA.clone()
    }
}

fn schema() -> Value {
    let scalar = |types: &[&str]| json!({"type": types, "maxLength": PayloadFilter::VALUE_LENGTH_MAX});
    let any = scalar(&["string", "number", "boolean", "null"]);
    let values = json!({"type": "array", "items": any, "minItems": 1, "maxItems": PayloadFilter::VALUES_MAX});
    let conditions = json!({
        "type": "array", "items": reference(), "minItems": 1, "maxItems": PayloadFilter::LEAVES_MAX,
    });
    json!({
        "description": DESCRIPTION,
        "example": {"path": "/data/amount", "op": "gte", "value": 100},
        "oneOf": [
            condition("Each of the conditions holds.", "all", &conditions),
            condition("At least one of the conditions holds.", "any", &conditions),
            condition("The condition does not hold.", "not", &reference()),
            leaf("The value is equal.", &["eq"], Some(any)),
            leaf("The value has the same type, and is not equal.", &["ne"], Some(scalar(&["string", "number", "boolean"]))),
            leaf("The value is equal to one of these.", &["in"], Some(values)),
            leaf(
                "The number is smaller or larger, or the string comes before or behind, by its code points.",
                &["lt", "lte", "gt", "gte"],
                Some(scalar(&["string", "number"])),
            ),
            leaf("The string begins, ends or is there.", &["prefix", "suffix", "contains"], Some(scalar(&["string"]))),
            leaf("The path leads to a value, which may be null.", &["exists"], None),
        ],
    })
}

fn reference() -> Value {
    json!({"$ref": format!("#/components/schemas/{NAME}")})
}

fn condition(description: &str, name: &str, of: &Value) -> Value {
    object(description, &json!({name: of}))
}

fn leaf(description: &str, operations: &[&str], value: Option<Value>) -> Value {
    let path = json!({
        "type": "string", "pattern": PayloadFilter::PATH_PATTERN, "maxLength": PayloadFilter::PATH_LENGTH_MAX,
    });
    let mut members = json!({"path": path, "op": {"type": "string", "enum": operations}});
    if let Some(value) = value {
        members["value"] = value;
    }
    object(description, &members)
}

/// An object that has these members and no others.
fn object(description: &str, members: &Value) -> Value {
    let required: Vec<String> = members.as_object().into_iter().flat_map(|members| members.keys().cloned()).collect();
    json!({
        "type": "object", "description": description, "required": required, "additionalProperties": false,
        "properties": members,
    })
}
