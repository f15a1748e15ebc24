use std::collections::BTreeMap;
use std::fmt;

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
