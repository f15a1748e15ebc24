use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// The change of a field. In JSON (RFC 7396), [`Patch::Keep`] is absent, and [`Patch::Reset`] is `null`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Patch<New> {
    /// The field stays as it is.
    #[default]
    Keep,
    /// The field is removed, or has its default again.
    Reset,
    /// The field has this value from now on.
    Set(New),
}

impl<New> Patch<New> {
    pub(crate) const fn is_absent(&self) -> bool {
        matches!(self, Self::Keep)
    }
}

impl<'de, New: Deserialize<'de>> Deserialize<'de> for Patch<New> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Reset, Self::Set))
    }
}

/// The changes of several fields.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Changes(Map<String, Value>);

impl Changes {
    #[must_use]
    pub(crate) fn setting(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.0.insert(field.to_owned(), value.into());
        self
    }

    /// Sets a pair for the application, or removes the name with `None`.
    #[must_use]
    pub(crate) fn setting_metadata(mut self, name: String, value: Option<String>) -> Self {
        let pairs = self.0.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(pairs) = pairs {
            pairs.insert(name, value.into());
        }
        self
    }
}
