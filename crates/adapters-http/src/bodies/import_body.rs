//! The body that brings the catalogue of event types several types.

use std::borrow::Cow;
use std::collections::HashSet;

use domain::catalogue::{
    EXAMPLES_MAX, EntryDescription, EntryTitle, EventTypeEntry, ImportEventTypes, JsonText, WantedEventType,
    WantedSettings,
};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::bodies::event_type_body::{parse_flag, parse_settings};
use crate::bodies::fields::Fields;
use crate::bodies::openapi_webhooks::{DescribedWebhook, webhooks_of};
use crate::bodies::unknown_members::unless_unknown;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::errors::field_fault::{FieldFault, Together};

const TYPES: &str = "types";
const OPENAPI: &str = "openapi";
/// The members of a type in `types`.
pub(crate) const TYPE_FIELDS: [&str; 8] =
    ["name", "title", "description", "schema", "examples", "validation", "visibility", "deprecated"];

/// An import, and the place in the body of each of its types.
pub(crate) struct Import {
    pub(crate) import: ImportEventTypes,
    places: Vec<String>,
}

impl Import {
    /// The same fault in the type at this index.
    pub(crate) fn at(&self, index: usize, fault: FieldFault) -> FieldFault {
        self.places.get(index).map_or(fault.clone(), |place| fault.inside(place))
    }
}

/// Reads the body. `known` are the names of its members.
///
/// # Errors
///
/// All faults of the body, or those of the first type that has any.
pub(crate) fn parse_import(body: &[u8], known: &[String]) -> Result<Import, ApiError> {
    let mut fields = Fields::parse(body)?;
    let unknown = fields.take_unknown(known).faults(known);
    unless_unknown(unknown, read(&fields))
}

fn read(fields: &Fields) -> Result<Import, ApiError> {
    let flags = (parse_flag(fields, "prune"), parse_flag(fields, "force"), parse_flag(fields, "dryRun")).together();
    let (prune, force, dry_run) = flags.map_err(ApiError::invalid_fields)?;
    let wanted = match (fields.raw(TYPES), fields.raw(OPENAPI)) {
        (Some(types), None) => of_list(types)?,
        (None, Some(document)) => of_document(document)?,
        (None, None) => return Err(FieldFault::new(TYPES, "is required, or openapi in its place").into()),
        (Some(_), Some(_)) => return Err(FieldFault::new(OPENAPI, "must not be beside types").into()),
    };
    let mut seen = HashSet::new();
    for (place, one) in &wanted {
        if !seen.insert(&one.name) {
            let fault = FieldFault::new("name", format!("must not be twice in the body: {}", one.name));
            return Err(fault.inside(place).into());
        }
    }
    let (places, types) = wanted.into_iter().unzip();
    Ok(Import { import: ImportEventTypes { types, prune, force, dry_run }, places })
}

type Wanted = Vec<(String, WantedEventType)>;

fn of_list(json: &str) -> Result<Wanted, ApiError> {
    let types: Result<Vec<&RawValue>, _> = serde_json::from_str(json);
    let types = types.map_err(|_| FieldFault::new(TYPES, "must be a list of event types"))?;
    let read = |(index, json): (usize, &&RawValue)| {
        let place = format!("{TYPES}[{index}]");
        let name = |fields: &Fields| {
            let name = fields.required_text("name").map(EventTypeEntry::parse_name);
            name.and_then(|name| name.map_err(|error| FieldFault::of("name", error)))
        };
        let fields =
            Fields::parse(json.get().as_bytes()).map_err(|_| FieldFault::new(place.clone(), "must be an object"))?;
        let named = name(&fields).map_err(|fault| vec![fault.inside(&place)])?;
        let settings = parse_settings(fields, &TYPE_FIELDS).map_err(|error| inside(error, &place))?;
        Ok((place, WantedEventType { name: named, settings: WantedSettings::All(settings) }))
    };
    types.iter().enumerate().map(read).collect()
}

/// The same faults in a member of this place.
fn inside(error: ApiError, place: &str) -> ApiError {
    match error {
        ApiError::AtFault(code, faults) => {
            ApiError::AtFault(code, faults.into_iter().map(|fault| fault.inside(place)).collect())
        }
        other => other,
    }
}

fn of_document(json: &str) -> Result<Wanted, ApiError> {
    let document: Value = serde_json::from_str(json).map_err(|_| ErrorCode::BadRequest)?;
    let webhooks = webhooks_of(&document).map_err(|reason| FieldFault::new(OPENAPI, reason))?;
    let read = |(name, described): (&str, Result<DescribedWebhook, String>)| {
        let place = format!("{OPENAPI}.webhooks.{}", name.chars().take(64).collect::<String>());
        let fault = |reason: Cow<'static, str>| ApiError::from(FieldFault::new(place.clone(), reason));
        let event_type = EventTypeEntry::parse_name(name).map_err(|error| fault(error.to_string().into()))?;
        let settings = settings_of(described.map_err(|reason| fault(reason.into()))?);
        let settings = settings.map_err(|error| inside(error.into(), &place))?;
        Ok((place, WantedEventType { name: event_type, settings }))
    };
    webhooks.into_iter().map(read).collect()
}

/// The first examples, if the document has more than an event type takes.
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
