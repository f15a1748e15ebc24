use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A filter of events by their content, as JSON: `{"path": "/data/amount", "op": "gte", "value": 100}`. Numbers keep their
/// digits. The service says whether it is valid.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(transparent)]
pub struct PayloadFilter(Box<RawValue>);

impl PayloadFilter {
    /// The filter with this JSON.
    ///
    /// # Errors
    ///
    /// If `json` is not JSON.
    pub fn from_json(json: String) -> Result<Self, serde_json::Error> {
        RawValue::from_string(json).map(Self)
    }

    /// The JSON.
    pub fn as_json(&self) -> &str {
        self.0.get()
    }
}

/// Two filters are equal if their JSON is the same text.
impl PartialEq for PayloadFilter {
    fn eq(&self, other: &Self) -> bool {
        self.as_json() == other.as_json()
    }
}

impl Eq for PayloadFilter {}
