use std::collections::BTreeMap;
use std::fmt;

use domain::{Patch, Scope, Scopes, Timestamp};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::bodies::unknown_members::UnknownMembers;
use crate::credentials::presented::{Presented, of_text};
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::errors::field_fault::FieldFault;
use crate::parameters::query::{pairs_of, parse_time};

/// Below this, a number with a fraction is exact: two to the 53rd (RFC 8259, section 6).
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// The fields whose text is kept, because their numbers keep their digits. Objects, lists and numbers in them are read from
/// their text only.
const KEPT_AS_TEXT: [&str; 7] = ["filter", "event", "data", "schema", "examples", "types", "openapi"];

/// The fields of a JSON body. A body that contains a field twice is refused, because another parser on the way may read
/// the other value.
#[derive(Default)]
pub(crate) struct Fields {
    values: BTreeMap<String, Value>,
    /// The texts of the fields [`KEPT_AS_TEXT`].
    texts: BTreeMap<String, Box<RawValue>>,
}

impl Fields {
    /// Reads a body that is one JSON object. An empty body has no fields.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, ApiError> {
        if body.is_empty() {
            return Ok(Self::default());
        }
        serde_json::from_slice(body).map_err(|error| unreadable(&error))
    }

    /// Reads a body that is a form (`application/x-www-form-urlencoded`). Every value is a string.
    pub(crate) fn parse_form(body: &[u8]) -> Result<Self, ApiError> {
        let text = std::str::from_utf8(body).map_err(|_| ErrorCode::BadRequest)?;
        let mut fields = Self::default();
        for (name, value) in pairs_of(text).map_err(|_| ErrorCode::BadRequest)? {
            if fields.values.insert(name, Value::String(value)).is_some() {
                return Err(ErrorCode::BadRequest.into());
            }
        }
        Ok(fields)
    }

    /// The ID token in the field `idToken`; `null` counts as absent.
    pub(crate) fn id_token(&self) -> Presented<&str> {
        match self.values.get("idToken") {
            None | Some(Value::Null) => Presented::Nothing,
            Some(Value::String(token)) => of_text(token),
            Some(_) => Presented::Unusable("an idToken that is not a string"),
        }
    }

    /// The string in a required field.
    pub(crate) fn required_text(&self, name: &'static str) -> Result<&str, FieldFault> {
        self.optional_text(name)?.ok_or(FieldFault::new(name, "is required"))
    }

    /// The value of a field that may be absent or `null`. `rule` says what the value must be.
    fn optional<'a, Read>(
        &'a self,
        name: &'static str,
        read: impl FnOnce(&'a Value) -> Option<Read>,
        rule: &'static str,
    ) -> Result<Option<Read>, FieldFault> {
        let value = self.values.get(name).filter(|value| !value.is_null());
        value.map(|value| read(value).ok_or_else(|| FieldFault::new(name, rule))).transpose()
    }

    /// The string in a field that may be absent or `null`.
    pub(crate) fn optional_text(&self, name: &'static str) -> Result<Option<&str>, FieldFault> {
        self.optional(name, Value::as_str, "must be a string")
    }

    /// The value that `parse` makes of the string in a field that may be absent or `null`.
    pub(crate) fn parsed<Read, Broken: fmt::Display>(
        &self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<Read, Broken>,
    ) -> Result<Option<Read>, FieldFault> {
        self.optional_text(name)?.map(parse).transpose().map_err(|broken| FieldFault::of(name, broken))
    }

    /// The strings in a list that may be absent or `null`.
    pub(crate) fn optional_texts(&self, name: &'static str) -> Result<Option<Vec<&str>>, FieldFault> {
        self.optional(name, |value| value.as_array()?.iter().map(Value::as_str).collect(), "must be a list of strings")
    }

    /// The strings in a required list.
    pub(crate) fn required_texts(&self, name: &'static str) -> Result<Vec<&str>, FieldFault> {
        self.optional_texts(name)?.ok_or(FieldFault::new(name, "is required"))
    }

    /// The boolean in a field that may be absent or `null`.
    pub(crate) fn optional_flag(&self, name: &'static str) -> Result<Option<bool>, FieldFault> {
        self.optional(name, Value::as_bool, "must be true or false")
    }

    /// The time in a field that may be absent or `null`.
    pub(crate) fn optional_time(&self, name: &'static str) -> Result<Option<Timestamp>, FieldFault> {
        self.optional_text(name)?.map(|text| parse_time(name, text)).transpose()
    }

    /// The object in a field that may be absent or `null`.
    pub(crate) fn optional_object(&self, name: &'static str) -> Result<Option<&Map<String, Value>>, FieldFault> {
        self.optional(name, Value::as_object, "must be an object")
    }

    /// The text of a field of [`KEPT_AS_TEXT`], which may be `null`; `None` if the field is absent.
    pub(crate) fn raw(&self, name: &'static str) -> Option<&str> {
        self.texts.get(name).map(|text| text.get())
    }

    /// The text of an object in a field of [`KEPT_AS_TEXT`] that may be absent or `null`.
    pub(crate) fn text_of_object(&self, name: &'static str) -> Result<Option<&str>, FieldFault> {
        match self.raw(name).filter(|text| *text != "null") {
            Some(text) if !text.starts_with('{') => Err(FieldFault::new(name, "must be an object")),
            text => Ok(text),
        }
    }

    /// The change of a field that has this value: `null` stands for its default.
    pub(crate) fn patch<Read>(&self, name: &'static str, value: Option<Read>) -> Patch<Read> {
        let without = if self.is_null(name) { Patch::Reset } else { Patch::Keep };
        value.map_or(without, Patch::Set)
    }

    /// Whether the field is `null`.
    pub(crate) fn is_null(&self, name: &'static str) -> bool {
        self.values.get(name).is_some_and(Value::is_null)
    }

    /// The faults of fields that are `null`, in a body in which only `allowed` may be.
    pub(crate) fn nulls_except(&self, allowed: &[&str]) -> Result<(), Vec<FieldFault>> {
        let nulls = self.values.iter().filter(|(name, value)| value.is_null() && !allowed.contains(&name.as_str()));
        let faults: Vec<_> = nulls.map(|(name, _)| FieldFault::new(name.clone(), "must not be null")).collect();
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    /// Whether the field has a value other than `null`.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.values.get(name).is_some_and(|value| !value.is_null())
    }

    /// Takes out the members that are not known.
    pub(crate) fn take_unknown<Known: AsRef<str>>(&mut self, known: &[Known]) -> UnknownMembers {
        let mut unknown = UnknownMembers::default();
        for (name, _) in self.values.extract_if(.., |name, _| known.iter().all(|one| one.as_ref() != name)) {
            unknown.add(&name);
        }
        unknown
    }

    /// The number in a field that may be absent or `null`.
    pub(crate) fn optional_float(&self, name: &'static str) -> Result<Option<f64>, FieldFault> {
        self.optional(name, Value::as_f64, "must be a number")
    }

    /// The scopes in a list that may be absent or `null`.
    pub(crate) fn scopes(&self, name: &'static str) -> Result<Scopes, FieldFault> {
        let scopes: Result<Vec<Scope>, _> =
            self.optional_texts(name)?.into_iter().flatten().map(Scope::parse).collect();
        let scopes = scopes.and_then(Scopes::new);
        scopes.map_err(|error| FieldFault::of(name, error))
    }

    /// The whole number in a field that may be absent or `null`.
    pub(crate) fn optional_number(&self, name: &'static str) -> Result<Option<u64>, FieldFault> {
        let read = |value: &Value| value.as_u64().or_else(|| whole(value.as_f64()?));
        self.optional(name, read, "must be a whole number of at least 0")
    }
}

/// The error of a body that is not the JSON that is required. It never quotes the body, because the body may hold a
/// token.
pub(super) fn unreadable(error: &serde_json::Error) -> ApiError {
    match error.classify() {
        // The only error of a reader of any JSON, and never of a reader of certain fields.
        Category::Data if error.to_string().starts_with(TWICE) => named_twice(),
        Category::Data => not_an_object(),
        Category::Syntax | Category::Eof | Category::Io => {
            let (line, column) = (error.line(), error.column());
            ApiError::invalid_json(format!("the body is not valid JSON at line {line}, column {column}"))
        }
    }
}

/// Two fields with the same name are refused, because another parser on the way may read the other value.
pub(super) fn named_twice() -> ApiError {
    ApiError::invalid_json("the body contains a field twice")
}

/// The whole number that JSON writes with a fraction of zero, such as `500.0`: an integer for JSON Schema.
fn whole(number: f64) -> Option<u64> {
    let is_exact = number.fract() == 0.0 && (0.0..EXACT_MAX).contains(&number);
    is_exact.then(|| format!("{number:.0}").parse().ok()).flatten()
}

fn not_an_object() -> ApiError {
    ApiError::invalid_json("the body must be a JSON object")
}

/// A string, `true`, `false` or `null`. Of other values, the text has more than a [`Value`] could hold: an empty object stands
/// for them.
fn scalar(text: &RawValue) -> serde_json::Result<Value> {
    match text.get().as_bytes() {
        [b'"' | b't' | b'f' | b'n', ..] => serde_json::from_str(text.get()),
        _ => Ok(Value::Object(Map::new())),
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Fields, A::Error> {
        let mut fields = Fields::default();
        while let Some(name) = members.next_key::<String>()? {
            let value = if KEPT_AS_TEXT.contains(&&*name) {
                let text: Box<RawValue> = members.next_value()?;
                let value = scalar(&text).map_err(A::Error::custom)?;
                fields.texts.insert(name.clone(), text);
                value
            } else {
                members.next_value::<Unique>()?.0
            };
            if fields.values.insert(name, value).is_some() {
                return Err(A::Error::custom(TWICE));
            }
        }
        Ok(fields)
    }
}

/// The JSON of a body in which no object has a name twice.
pub(crate) fn unique(body: &[u8]) -> Result<Value, ApiError> {
    serde_json::from_slice::<Unique>(body).map(|unique| unique.0).map_err(|error| unreadable(&error))
}

/// How the error of a name that occurs twice begins.
const TWICE: &str = "a name occurs twice";

/// Any JSON in which no object has a name twice: a map would hide that.
struct Unique(Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueVisitor)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Unique;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Unique, E> {
        Ok(Unique(Value::Null))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Unique, E> {
        Ok(Unique(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Unique, E> {
        Ok(Unique(value.into()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Unique, E> {
        Ok(Unique(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Unique, E> {
        Ok(Unique(value.into()))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Unique, E> {
        Ok(Unique(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Unique, A::Error> {
        let mut list = Vec::new();
        while let Some(Unique(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Unique(list.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Unique, A::Error> {
        let mut object = Map::new();
        while let Some((name, Unique(value))) = members.next_entry()? {
            if object.insert(name, value).is_some() {
                return Err(A::Error::custom(TWICE));
            }
        }
        Ok(Unique(object.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_occurs_once_in_each_object() {
        let twice = |json: &str| Fields::parse(json.as_bytes()).err().map(|error| error.to_string());
        assert_eq!(twice(r#"{"a":{"b":1},"c":{"b":[{"b":1.5},-1,null,true,"b"]}}"#), None);
        let refusal = named_twice().to_string();
        for json in [r#"{"a":1,"a":2}"#, r#"{"a":{"b":1,"b":1}}"#, r#"{"a":[{"b":1,"b":2}]}"#] {
            assert_eq!(twice(json), Some(refusal.clone()), "{json}");
        }
        assert_eq!(twice("[]"), Some(not_an_object().to_string()));
    }

    #[test]
    fn a_whole_number_may_have_a_fraction_of_zero() {
        let read =
            |json: &str| Fields::parse(format!("{{\"n\":{json}}}").as_bytes()).unwrap().optional_number("n").ok();
        for (good, number) in [("500", 500), ("500.0", 500), ("5e2", 500), ("0.0", 0)] {
            assert_eq!(read(good), Some(Some(number)), "{good}");
        }
        for wrong in ["500.5", "-1.0", "-1", "1e300", "18446744073709551616", "\"500\""] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
