use std::sync::Arc;

use async_trait::async_trait;
use domain::ports::{InvalidPayloadSchema, PayloadSchema, PayloadSchemas, SCHEMA_FAULTS_MAX, SchemaBreak, SchemaFault};
use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::Value;
use serde_json::error::Category;
use tokio::task::spawn_blocking;

use crate::{breaking_changes, schema_limits};

/// The longest pointer of a fault, in bytes.
const POINTER_BYTES_MAX: usize = 256;
/// The longest value of a keyword that a message repeats, in bytes.
const SHOWN_BYTES_MAX: usize = 100;
/// The most memory for a compiled regular expression, in bytes.
const PATTERN_BYTES_MAX: usize = 256 * 1024;

/// Schemas that the crate `jsonschema` compiles, on threads that may block.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonSchemas;

#[async_trait]
impl PayloadSchemas for JsonSchemas {
    async fn compile(&self, schema: &str) -> Result<Arc<dyn PayloadSchema>, InvalidPayloadSchema> {
        let schema = schema.to_owned();
        let compiled = spawn_blocking(move || CompiledSchema::compile(&schema)).await;
        let compiled = compiled.unwrap_or_else(|_| Err(InvalidPayloadSchema("cannot be compiled".to_owned())));
        compiled.map(|compiled| Arc::new(compiled) as _)
    }

    fn first_break(&self, before: &str, after: &str) -> Option<SchemaBreak> {
        let parse = |schema| serde_json::from_str::<Value>(schema).unwrap_or(Value::Bool(true));
        breaking_changes::first_break(&parse(before), &parse(after))
    }

    fn are_same(&self, one: &str, other: &str) -> bool {
        let parse = serde_json::from_str::<Value>;
        one == other || parse(one).is_ok_and(|one| parse(other).is_ok_and(|other| one == other))
    }
}

/// A schema that is ready to validate.
pub(crate) struct CompiledSchema {
    schema: Value,
    validator: Validator,
}

impl CompiledSchema {
    pub(crate) fn compile(text: &str) -> Result<Self, InvalidPayloadSchema> {
        let schema: Value = serde_json::from_str(text).map_err(|error| InvalidPayloadSchema(unreadable(&error)))?;
        schema_limits::check(&schema).map_err(InvalidPayloadSchema)?;
        let patterns = PatternOptions::regex().size_limit(PATTERN_BYTES_MAX).dfa_size_limit(PATTERN_BYTES_MAX);
        let options = jsonschema::options().with_draft(Draft::Draft202012).with_pattern_options(patterns).offline();
        let validator = options.build(&schema).map_err(|error| not_a_schema(&error))?;
        Ok(Self { schema, validator })
    }

    fn fault(&self, error: &ValidationError<'_>) -> SchemaFault {
        let keyword = error.kind().keyword().to_owned();
        let message = match error.kind() {
            ValidationErrorKind::Required { property } => format!("must have the property {property}"),
            ValidationErrorKind::FalseSchema => "must be absent".to_owned(),
            ValidationErrorKind::PropertyNames { error } => {
                format!("has a property whose name {}", self.fault(error).message)
            }
            _ => self.rule_at(error.schema_path().as_str(), &keyword),
        };
        SchemaFault { pointer: cut(error.instance_path().as_str()), keyword, message }
    }

    /// The keyword with its value in the schema.
    fn rule_at(&self, pointer: &str, keyword: &str) -> String {
        let value = self.schema.pointer(pointer).map(Value::to_string);
        match value.filter(|value| value.len() <= SHOWN_BYTES_MAX) {
            Some(value) => format!("must follow \"{keyword}\": {value}"),
            None => format!("must follow \"{keyword}\" at #{}", cut(pointer)),
        }
    }
}

impl PayloadSchema for CompiledSchema {
    fn faults(&self, json: &str) -> Vec<SchemaFault> {
        let data: Value = match serde_json::from_str(json) {
            Ok(data) => data,
            Err(error) => {
                let message = unreadable(&error);
                return vec![SchemaFault { pointer: String::new(), keyword: "data".to_owned(), message }];
            }
        };
        if self.validator.is_valid(&data) {
            return Vec::new();
        }
        self.validator.iter_errors(&data).take(SCHEMA_FAULTS_MAX).map(|error| self.fault(&error)).collect()
    }
}

/// Why JSON that has the right form cannot be read: it is nested too deeply, or a number is out of range.
fn unreadable(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    match error.classify() {
        Category::Syntax | Category::Data => {
            format!("is nested deeper than 127, or has a number out of range, at line {line}, column {column}")
        }
        Category::Eof | Category::Io => format!("ends at line {line}, column {column}"),
    }
}

fn not_a_schema(error: &ValidationError<'_>) -> InvalidPayloadSchema {
    let place = cut(error.instance_path().as_str());
    InvalidPayloadSchema(format!("is not a JSON Schema 2020-12 with linear patterns: #{place}: {}", error.masked()))
}

/// The pointer without the last names if it is too long.
fn cut(pointer: &str) -> String {
    if pointer.len() <= POINTER_BYTES_MAX {
        return pointer.to_owned();
    }
    let start = &pointer[..pointer.floor_char_boundary(POINTER_BYTES_MAX)];
    start[..start.rfind('/').unwrap_or(0)].to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn compiled(schema: &Value) -> CompiledSchema {
        CompiledSchema::compile(&schema.to_string()).unwrap()
    }

    fn faults(schema: &Value, data: &str) -> Vec<(String, String, String)> {
        let faults = compiled(schema).faults(data).into_iter();
        faults.map(|fault| (fault.pointer, fault.keyword, fault.message)).collect()
    }

    fn fault(pointer: &str, keyword: &str, message: &str) -> (String, String, String) {
        (pointer.to_owned(), keyword.to_owned(), message.to_owned())
    }

    #[test]
    fn faults_name_the_place_and_the_rule() {
        let schema = json!({
            "type": "object",
            "required": ["id"],
            "properties": { "id": { "type": "string" }, "a/b": { "$ref": "#/$defs/positive" }, "no": false },
            "additionalProperties": false,
            "$defs": { "positive": { "minimum": 1 } },
        });
        assert_eq!(faults(&schema, r#"{"id":"x","a/b":1.00}"#), []);
        assert_eq!(faults(&schema, "[]"), [fault("", "type", r#"must follow "type": "object""#)]);
        assert_eq!(faults(&schema, "{}"), [fault("", "required", r#"must have the property "id""#)]);
        let short = json!({ "propertyNames": { "maxLength": 5 } });
        let named = r#"has a property whose name must follow "maxLength": 5"#;
        assert_eq!(faults(&short, r#"{"secret":1}"#), [fault("", "propertyNames", named)]);
        let all = faults(&schema, r#"{"id":1,"a/b":0.5,"no":1,"secret":2}"#);
        for expected in [
            fault("/id", "type", r#"must follow "type": "string""#),
            fault("/a~1b", "minimum", r#"must follow "minimum": 1"#),
            fault("/no", "falseSchema", "must be absent"),
            fault("", "additionalProperties", r#"must follow "additionalProperties": false"#),
        ] {
            assert!(all.contains(&expected), "{expected:?}: {all:?}");
        }
    }

    #[test]
    fn no_fault_contains_a_value_of_the_payload() {
        let schema = json!({
            "properties": {
                "a": { "enum": ["x"] }, "b": { "pattern": "^y$" }, "c": { "oneOf": [{ "const": 1 }, { "maximum": 0 }] },
                "d": { "not": {} }, "e": { "uniqueItems": true }, "f": { "format": "email" }, "g": { "multipleOf": 7 },
            },
            "propertyNames": { "maxLength": 1 },
            "unevaluatedProperties": { "type": "string" },
        });
        let data = r#"{"a":"leak1","b":"leak2","c":99991,"d":"leak3","e":["leak4","leak4"],"g":99992,"leak5":99993}"#;
        let found = faults(&schema, data);
        assert!(found.len() >= 6, "{found:?}");
        for (_, _, message) in found {
            assert!(!message.contains("leak") && !message.contains("9999"), "{message}");
        }
    }

    #[test]
    fn faults_are_few_and_short() {
        let many = json!({ "items": { "type": "string" } });
        assert_eq!(faults(&many, &format!("[{}1]", "1,".repeat(1_000))).len(), SCHEMA_FAULTS_MAX);
        let deep = json!({ "additionalProperties": { "additionalProperties": { "type": "string" } } });
        let found = faults(&deep, &json!({ "a".repeat(200): { "é".repeat(200): 1 } }).to_string());
        assert_eq!(found[0].0, format!("/{}", "a".repeat(200)));
        let long = json!({ "const": "x".repeat(1_000) });
        assert_eq!(faults(&long, "1"), [fault("", "const", r#"must follow "const" at #/const"#)]);
    }

    #[test]
    fn data_that_no_number_or_stack_holds_is_a_fault() {
        let any = json!(true);
        for data in ["1e400", &format!("{}1{}", "[".repeat(200), "]".repeat(200))] {
            let found = faults(&any, data);
            assert_eq!((found.len(), found[0].1.as_str()), (1, "data"), "{found:?}");
        }
    }

    #[test]
    fn what_is_not_a_schema_is_refused_without_a_fetch() {
        for (schema, part) in [
            (r#"{"type":"text"}"#, "#/type"),
            (r#"{"minimum":"1"}"#, "#/minimum"),
            (r#"{"pattern":"("}"#, "pattern"),
            // A look-ahead is not linear.
            (r#"{"pattern":"(?=a)b"}"#, "pattern"),
            (r#"{"pattern":"(a{1000}){1000}"}"#, "pattern"),
            (r#"{"$ref":"http://127.0.0.1:1/a"}"#, "only references within the document"),
            (r#"{"$ref":"file:///etc/passwd"}"#, "only references within the document"),
            ("1", "must be an object"),
        ] {
            let refusal = CompiledSchema::compile(schema).err().map(|error| error.0).unwrap_or_default();
            assert!(refusal.contains(part), "{schema}: {refusal:?}");
        }
    }

    /// The deepest payload with the longest path of a schema that refers to itself, in a small stack.
    #[test]
    fn the_deepest_payload_fits_on_the_stack() {
        let mut part = json!({ "$ref": "#" });
        for _ in 0..6 {
            part = json!({ "allOf": [part] });
        }
        let schema = json!({ "items": part, "type": "array" }).to_string();
        let data = format!("{}{}", "[".repeat(127), "]".repeat(127));
        let small = std::thread::Builder::new().stack_size(1_500_000);
        let checked = small.spawn(move || CompiledSchema::compile(&schema).unwrap().faults(&data).len()).unwrap();
        assert_eq!(checked.join().unwrap(), 0);
    }
}
