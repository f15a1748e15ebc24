//! The body that describes an event type. Its schema and its examples are read as raw JSON, so that they are stored byte
//! for byte.

use std::fmt::Display;

use domain::catalogue::{
    Deprecation, EXAMPLES_MAX, EntryDescription, EntryTitle, EventTypeSettings, JsonText, PayloadValidation, Visibility,
};
use domain::webhooks::EventType;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::bodies::fields::Fields;
use crate::bodies::unknown_members::{UnknownMembers, unless_unknown};
use crate::errors::api_error::ApiError;
use crate::errors::field_fault::{FieldFault, Together};
use crate::parameters::query::parse_time;

const DEPRECATED: &str = "deprecated";
/// The members of `deprecated`.
const DEPRECATION_FIELDS: [&str; 2] = ["since", "replacement"];

/// The settings of an event type, and another member that `read_other` reads. `known` are the names of all members.
///
/// # Errors
///
/// All faults of the object.
pub(crate) fn parse_event_type<Other, Known: AsRef<str>>(
    mut fields: Fields,
    known: &[Known],
    read_other: impl FnOnce(&Fields) -> Result<Other, FieldFault>,
) -> Result<(EventTypeSettings, Other), ApiError> {
    let mut unknown = fields.take_unknown(known).faults(known);
    if let Ok(Some(deprecated)) = fields.optional_object(DEPRECATED) {
        let mut others = UnknownMembers::default();
        for name in deprecated.keys().filter(|name| !DEPRECATION_FIELDS.contains(&name.as_str())) {
            others.add(name);
        }
        unknown.extend(others.faults(&DEPRECATION_FIELDS).into_iter().map(|fault| fault.inside(DEPRECATED)));
    }
    let read = (settings(&fields), read_other(&fields)).together();
    unless_unknown(unknown, read.map_err(ApiError::invalid_fields))
}

fn settings(fields: &Fields) -> Result<EventTypeSettings, Vec<FieldFault>> {
    let validation = |text: &str| PayloadValidation::parse(text).ok_or("must be off, warn or enforce");
    let visibility = |text: &str| Visibility::parse(text).ok_or("must be public or hidden");
    let (title, description) =
        (text(fields, "title", EntryTitle::parse), text(fields, "description", EntryDescription::parse));
    let (validation, visibility) = (text(fields, "validation", validation), text(fields, "visibility", visibility));
    let (schema, examples, deprecated) = (schema(fields), examples(fields), deprecated(fields));
    let read = (title, description, schema, examples, validation, visibility, deprecated);
    let (title, description, schema, examples, validation, visibility, deprecated) = read.together()?;
    let (title, description) = (title.unwrap_or_default(), description.unwrap_or_default());
    let (validation, visibility) = (validation.unwrap_or_default(), visibility.unwrap_or_default());
    Ok(EventTypeSettings { title, description, schema, examples, validation, visibility, deprecated })
}

/// The value of a string that may be absent. No field of this body may be `null`.
fn text<Read, Broken: Display>(
    fields: &Fields,
    name: &'static str,
    parse: impl FnOnce(&str) -> Result<Read, Broken>,
) -> Result<Option<Read>, FieldFault> {
    not_null(fields, name, "must be a string")?;
    fields.parsed(name, parse)
}

fn not_null(fields: &Fields, name: &'static str, rule: &'static str) -> Result<(), FieldFault> {
    if fields.is_null(name) { Err(FieldFault::new(name, rule)) } else { Ok(()) }
}

fn schema(fields: &Fields) -> Result<Option<JsonText>, FieldFault> {
    not_null(fields, "schema", "must be an object")?;
    let schema = fields.text_of_object("schema")?.map(JsonText::of_schema);
    schema.transpose().map_err(|error| FieldFault::of("schema", error))
}

fn examples(fields: &Fields) -> Result<Vec<JsonText>, FieldFault> {
    let Some(json) = fields.raw("examples") else { return Ok(Vec::new()) };
    let fault = || FieldFault::new("examples", format!("must be a list of at most {EXAMPLES_MAX} JSON values"));
    let examples: Vec<&RawValue> = serde_json::from_str(json).map_err(|_| fault())?;
    if examples.len() > EXAMPLES_MAX {
        return Err(fault());
    }
    let texts = examples.into_iter().map(|example| JsonText::of_example(example.get()));
    texts.collect::<Result<_, _>>().map_err(|error| FieldFault::of("examples", error))
}

fn deprecated(fields: &Fields) -> Result<Option<Deprecation>, FieldFault> {
    not_null(fields, DEPRECATED, "must be an object")?;
    let read = fields.optional_object(DEPRECATED)?.map(deprecation);
    read.transpose().map_err(|fault| fault.inside(DEPRECATED))
}

fn deprecation(members: &Map<String, Value>) -> Result<Deprecation, FieldFault> {
    let text = |name: &'static str| match members.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(FieldFault::new(name, "must be a string")),
    };
    let since = text("since")?.ok_or_else(|| FieldFault::new("since", "is required"))?;
    let since = parse_time("since", since)?;
    let replacement = text("replacement")?.map(EventType::parse_published).transpose();
    Ok(Deprecation { since, replacement: replacement.map_err(|error| FieldFault::of("replacement", error))? })
}

/// The value of an optional flag.
///
/// # Errors
///
/// When it is neither `true` nor `false`.
pub(crate) fn parse_flag(fields: &Fields, name: &'static str) -> Result<bool, FieldFault> {
    not_null(fields, name, "must be true or false")?;
    Ok(fields.optional_flag(name)?.unwrap_or_default())
}
