use std::collections::BTreeMap;
use std::fmt;

use actix_web::web::Query;
use domain::{Scope, Scopes};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::error::Category;

use crate::credentials::{Presented, of_text};
use crate::error::ApiError;
use crate::problem::FieldFault;

/// The fields of a JSON body. Fields that nobody asks for are ignored; a field that stands there twice is refused,
/// because parsers on the way may read the other one.
#[derive(Default)]
pub(crate) struct Fields(BTreeMap<String, Value>);

impl Fields {
    /// Reads a body that is one JSON object. The messages hold nothing of the body: it may hold a token.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, ApiError> {
        let pairs: Pairs = serde_json::from_slice(body).map_err(|error| match error.classify() {
            Category::Data => ApiError::InvalidJson("the body must be a JSON object".into()),
            Category::Syntax | Category::Eof | Category::Io => {
                let (line, column) = (error.line(), error.column());
                ApiError::InvalidJson(format!("the body is not valid JSON at line {line}, column {column}").into())
            }
        })?;
        let mut fields = BTreeMap::new();
        for (name, value) in pairs.0 {
            if fields.insert(name, value).is_some() {
                return Err(ApiError::InvalidJson("the body names a field twice".into()));
            }
        }
        Ok(Self(fields))
    }

    /// Reads a body that is a form (`application/x-www-form-urlencoded`); every value is a text.
    pub(crate) fn parse_form(body: &[u8]) -> Result<Self, ApiError> {
        let text = std::str::from_utf8(body).map_err(|_| ApiError::BodyBroken)?;
        let pairs = Query::<Vec<(String, String)>>::from_query(text).map_err(|_| ApiError::BodyBroken)?;
        let mut fields = BTreeMap::new();
        for (name, value) in pairs.into_inner() {
            if fields.insert(name, Value::String(value)).is_some() {
                return Err(ApiError::BodyBroken);
            }
        }
        Ok(Self(fields))
    }

    /// The ID token in the field `idToken`; `null` is none.
    pub(crate) fn id_token(&self) -> Presented<&str> {
        match self.0.get("idToken") {
            None | Some(Value::Null) => Presented::Nothing,
            Some(Value::String(token)) => of_text(token),
            Some(_) => Presented::Unusable("an idToken that is no string"),
        }
    }

    /// The text of a field that must be there.
    pub(crate) fn required_text(&self, name: &'static str) -> Result<&str, FieldFault> {
        self.optional_text(name)?.ok_or(FieldFault { field: name, detail: "is required".into() })
    }

    /// The text of a field that may be absent or `null`.
    pub(crate) fn optional_text(&self, name: &'static str) -> Result<Option<&str>, FieldFault> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(FieldFault { field: name, detail: "must be a string".into() }),
        }
    }

    /// The texts of a field that is a list and may be absent or `null`.
    pub(crate) fn optional_texts(&self, name: &'static str) -> Result<Vec<&str>, FieldFault> {
        let fault = || FieldFault { field: name, detail: "must be a list of strings".into() };
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(items)) => items.iter().map(|item| item.as_str().ok_or_else(fault)).collect(),
            Some(_) => Err(fault()),
        }
    }

    /// The texts of a field that is a list and must be there.
    pub(crate) fn required_texts(&self, name: &'static str) -> Result<Vec<&str>, FieldFault> {
        match self.0.get(name) {
            None | Some(Value::Null) => Err(FieldFault { field: name, detail: "is required".into() }),
            Some(_) => self.optional_texts(name),
        }
    }

    /// The scopes in a field that is a list of them and may be absent or `null`.
    pub(crate) fn scopes(&self, name: &'static str) -> Result<Scopes, FieldFault> {
        let scopes: Result<Vec<Scope>, _> = self.optional_texts(name)?.into_iter().map(Scope::parse).collect();
        let scopes = scopes.and_then(Scopes::new);
        scopes.map_err(|error| FieldFault { field: name, detail: error.to_string().into() })
    }

    /// The whole number of a field that may be absent or `null`.
    pub(crate) fn optional_number(&self, name: &'static str) -> Result<Option<u64>, FieldFault> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                let fault = FieldFault { field: name, detail: "must be a whole number of at least 0".into() };
                value.as_u64().map(Some).ok_or(fault)
            }
        }
    }
}

/// The members of an object in their order, doubles included: what a map would hide.
struct Pairs(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PairsVisitor)
    }
}

struct PairsVisitor;

impl<'de> Visitor<'de> for PairsVisitor {
    type Value = Pairs;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Pairs, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = members.next_entry()? {
            pairs.push(pair);
        }
        Ok(Pairs(pairs))
    }
}
