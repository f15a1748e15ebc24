//! The body of an import of event types.

use std::borrow::Cow;
use std::collections::HashSet;

use domain::catalogue::{
    EXAMPLES_MAX, EntryDescription, EntryTitle, EventTypeEntry, ImportEventTypes, JsonText, WantedEventType,
    WantedSettings,
};
use domain::webhooks::EventType;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::bodies::event_type_body::{parse_event_type, parse_flag};
use crate::bodies::fields::Fields;
use crate::bodies::openapi_webhooks::{DescribedWebhook, webhooks_of};
use crate::bodies::unknown_members::{shown, unless_unknown};
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::errors::field_fault::{FieldFault, Together};

const TYPES: &str = "types";
const OPENAPI: &str = "openapi";
/// The names of the members of an event type in `types`.
pub(crate) const TYPE_FIELDS: [&str; 8] =
    ["name", "title", "description", "schema", "examples", "validation", "visibility", "deprecated"];

/// Reads the body: the import, and the places of its event types in the body. `known` are the names of the members.
///
/// # Errors
///
/// All faults of the members, or else the faults of the first event type that is not valid.
pub(crate) fn parse_import(body: &[u8], known: &[String]) -> Result<(ImportEventTypes, Vec<String>), ApiError> {
    let mut fields = Fields::parse(body)?;
    let unknown = fields.take_unknown(known).faults(known);
    unless_unknown(unknown, read(&fields))
}

fn read(fields: &Fields) -> Result<(ImportEventTypes, Vec<String>), ApiError> {
    let flags = (parse_flag(fields, "prune"), parse_flag(fields, "force"), parse_flag(fields, "dryRun")).together();
    let (prune, force, dry_run) = flags.map_err(ApiError::invalid_fields)?;
    let wanted = match (fields.raw(TYPES), fields.raw(OPENAPI)) {
        (Some(types), None) => of_list(types)?,
        (None, Some(document)) => of_document(document)?,
        (None, None) => return Err(FieldFault::new(TYPES, "is required, or openapi in its place").into()),
        (Some(_), Some(_)) => return Err(FieldFault::new(OPENAPI, "must not be beside types").into()),
    };
    let (places, types) = wanted.into_iter().unzip();
    Ok((ImportEventTypes { types, prune, force, dry_run }, places))
}

/// Event types, each with its place in the body.
type Wanted = Vec<(String, WantedEventType)>;

fn of_list(json: &str) -> Result<Wanted, ApiError> {
    let types: Result<Vec<&RawValue>, _> = serde_json::from_str(json);
    let types = types.map_err(|_| FieldFault::new(TYPES, "must be a list of event types"))?;
    let mut names = HashSet::new();
    let mut read = |(index, json): (usize, &&RawValue)| {
        let place = format!("{TYPES}[{index}]");
        let fields = Fields::parse(json.get().as_bytes());
        let fields = fields.map_err(|_| FieldFault::new(place.clone(), "must be an object"))?;
        let read = parse_event_type(fields, &TYPE_FIELDS, name);
        let (settings, name) = read.map_err(|error| error.in_field(&place))?;
        if !names.insert(name.clone()) {
            return Err(FieldFault::new("name", format!("is in the body twice: {name}")).inside(&place).into());
        }
        Ok((place, WantedEventType { name, settings: WantedSettings::All(settings) }))
    };
    types.iter().enumerate().map(&mut read).collect()
}

fn name(fields: &Fields) -> Result<EventType, FieldFault> {
    EventTypeEntry::parse_name(fields.required_text("name")?).map_err(|error| FieldFault::of("name", error))
}

fn of_document(json: &str) -> Result<Wanted, ApiError> {
    let document: Value = serde_json::from_str(json).map_err(|_| ErrorCode::BadRequest)?;
    let webhooks = webhooks_of(&document).map_err(|reason| FieldFault::new(OPENAPI, reason))?;
    let read = |(name, described): (&str, Result<DescribedWebhook, String>)| {
        let place = format!("{OPENAPI}.webhooks.{}", shown(name));
        let fault = |reason: Cow<'static, str>| ApiError::from(FieldFault::new(place.clone(), reason));
        let event_type = EventTypeEntry::parse_name(name).map_err(|error| fault(error.to_string().into()))?;
        let settings = settings_of(described.map_err(|reason| fault(reason.into()))?);
        let settings = settings.map_err(|fault| fault.inside(&place))?;
        Ok((place, WantedEventType { name: event_type, settings }))
    };
    webhooks.into_iter().map(read).collect()
}

/// The settings from a document, with the first examples only if there are too many.
fn settings_of(described: DescribedWebhook) -> Result<WantedSettings, FieldFault> {
    let DescribedWebhook { title, description, schema, examples, is_deprecated } = described;
    let schema = schema.map(|schema| JsonText::of_schema(&schema.to_string())).transpose();
    let examples = examples.iter().take(EXAMPLES_MAX).map(|example| JsonText::of_example(&example.to_string()));
    Ok(WantedSettings::Described {
        title: EntryTitle::parse(&title).map_err(|error| FieldFault::of("summary", error))?,
        description: EntryDescription::parse(&description).map_err(|error| FieldFault::of("description", error))?,
        schema: schema.map_err(|error| FieldFault::of("schema", error))?,
        examples: examples.collect::<Result<_, _>>().map_err(|error| FieldFault::of("examples", error))?,
        is_deprecated,
    })
}
