//! The body that describes an event type. Its schema and its examples are read as raw JSON, so that they are stored byte
//! for byte.

use std::fmt;

use domain::catalogue::{
    Deprecation, EXAMPLES_MAX, EntryDescription, EntryTitle, EventTypeSettings, JsonText, PayloadValidation, Visibility,
};
use domain::webhooks::EventType;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::bodies::fields::{named_twice, unreadable};
use crate::bodies::unknown_members::{UnknownMembers, unless_unknown};
use crate::errors::api_error::ApiError;
use crate::errors::field_fault::FieldFault;
use crate::parameters::query::parse_time;

/// The members of `deprecated`.
const DEPRECATION_FIELDS: [&str; 2] = ["since", "replacement"];

/// The members of an object as raw JSON, in their order.
struct RawMembers<'a>(Vec<(String, &'a RawValue)>);

/// The settings of an event type, and whether its schema may break what was good before. `known` are the names of the
/// members.
///
/// # Errors
///
/// All faults of the body.
pub(crate) fn parse_event_type(body: &[u8], known: &[String]) -> Result<(EventTypeSettings, bool), ApiError> {
    let members: RawMembers<'_> = serde_json::from_slice(body).map_err(|error| unreadable(&error))?;
    members.check_names()?;
    let mut unknown = members.unknown(known);
    if let Some(deprecated) = members.get("deprecated").and_then(RawMembers::of) {
        deprecated.check_names()?;
        unknown.extend(deprecated.unknown(&DEPRECATION_FIELDS).into_iter().map(|fault| fault.inside("deprecated")));
    }
    unless_unknown(unknown, members.read().map_err(ApiError::invalid_fields))
}

impl<'a> RawMembers<'a> {
    /// `None` if the JSON is not an object.
    fn of(json: &'a RawValue) -> Option<Self> {
        serde_json::from_str(json.get()).ok()
    }

    fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, json)| *json)
    }

    fn check_names(&self) -> Result<(), ApiError> {
        let mut names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        if names.windows(2).any(|pair| pair[0] == pair[1]) { Err(named_twice()) } else { Ok(()) }
    }

    fn unknown<Known: AsRef<str>>(&self, known: &[Known]) -> Vec<FieldFault> {
        let mut unknown = UnknownMembers::default();
        for (name, _) in self.0.iter().filter(|(name, _)| !known.iter().any(|known| known.as_ref() == name)) {
            unknown.add(name);
        }
        unknown.faults(known)
    }

    fn read(&self) -> Result<(EventTypeSettings, bool), Vec<FieldFault>> {
        let title = self.parsed("title", |text| EntryTitle::parse(text).map_err(|error| error.to_string()));
        let description =
            self.parsed("description", |text| EntryDescription::parse(text).map_err(|error| error.to_string()));
        let validation = self.parsed("validation", |text| {
            PayloadValidation::parse(text).ok_or_else(|| "must be off, warn or enforce".to_owned())
        });
        let visibility = self
            .parsed("visibility", |text| Visibility::parse(text).ok_or_else(|| "must be public or hidden".to_owned()));
        match (
            title,
            description,
            self.schema(),
            self.examples(),
            validation,
            visibility,
            self.deprecated(),
            self.force(),
        ) {
            (
                Ok(title),
                Ok(description),
                Ok(schema),
                Ok(examples),
                Ok(validation),
                Ok(visibility),
                Ok(deprecated),
                Ok(force),
            ) => {
                let (title, description) = (title.unwrap_or_default(), description.unwrap_or_default());
                let (validation, visibility) = (validation.unwrap_or_default(), visibility.unwrap_or_default());
                Ok((
                    EventTypeSettings { title, description, schema, examples, validation, visibility, deprecated },
                    force,
                ))
            }
            (title, description, schema, examples, validation, visibility, deprecated, force) => {
                let faults = [
                    title.err(),
                    description.err(),
                    schema.err(),
                    examples.err(),
                    validation.err(),
                    visibility.err(),
                    deprecated.err(),
                    force.err(),
                ];
                Err(faults.into_iter().flatten().collect())
            }
        }
    }

    /// The string in a field that may be absent.
    fn parsed<T>(
        &self,
        field: &'static str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, FieldFault> {
        let Some(json) = self.get(field) else { return Ok(None) };
        let text: String = serde_json::from_str(json.get()).map_err(|_| FieldFault::new(field, "must be a string"))?;
        parse(&text).map(Some).map_err(|detail| FieldFault::new(field, detail))
    }

    fn schema(&self) -> Result<Option<JsonText>, FieldFault> {
        let Some(json) = self.get("schema") else { return Ok(None) };
        if !json.get().starts_with('{') {
            return Err(FieldFault::new("schema", "must be an object"));
        }
        JsonText::of_schema(json.get()).map(Some).map_err(|error| FieldFault::of("schema", error))
    }

    fn examples(&self) -> Result<Vec<JsonText>, FieldFault> {
        let Some(json) = self.get("examples") else { return Ok(Vec::new()) };
        let fault = || FieldFault::new("examples", format!("must be a list of at most {EXAMPLES_MAX} JSON values"));
        let examples: Vec<&RawValue> = serde_json::from_str(json.get()).map_err(|_| fault())?;
        if examples.len() > EXAMPLES_MAX {
            return Err(fault());
        }
        let texts = examples.into_iter().map(|example| JsonText::of_example(example.get()));
        texts.collect::<Result<_, _>>().map_err(|error| FieldFault::of("examples", error))
    }

    fn deprecated(&self) -> Result<Option<Deprecation>, FieldFault> {
        let Some(json) = self.get("deprecated") else { return Ok(None) };
        let members = Self::of(json).ok_or_else(|| FieldFault::new("deprecated", "must be an object"))?;
        let parsed = || {
            let since = members.parsed("since", |text| {
                parse_time("since", text).map_err(|_| "must be a time with an offset (RFC 3339)".to_owned())
            })?;
            let since = since.ok_or_else(|| FieldFault::new("since", "is required"))?;
            let parse = |text: &str| EventType::parse_published(text).map_err(|error| error.to_string());
            Ok(Deprecation { since, replacement: members.parsed("replacement", parse)? })
        };
        parsed().map(Some).map_err(|fault: FieldFault| fault.inside("deprecated"))
    }

    fn force(&self) -> Result<bool, FieldFault> {
        let Some(json) = self.get("force") else { return Ok(false) };
        serde_json::from_str(json.get()).map_err(|_| FieldFault::new("force", "must be true or false"))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawMembers<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = RawMembers<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<RawMembers<'de>, A::Error> {
        let mut found = Vec::new();
        while let Some(member) = members.next_entry()? {
            found.push(member);
        }
        Ok(RawMembers(found))
    }
}
