use std::fmt;

use serde_json::{Map, Value};

/// The claim of an ID token that makes its user an operator: `groups=gatepost-operators`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorClaim {
    name: String,
    value: String,
}

impl OperatorClaim {
    /// The values that [`OperatorClaim::parse`] accepts.
    pub const ALLOWED: &str = "a claim and its value, such as groups=gatepost-operators";

    /// Parses `name=value`.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, value) = text.split_once('=')?;
        let is_there = |part: &str| !part.is_empty() && !part.chars().any(char::is_control);
        (is_there(name) && is_there(value)).then(|| Self { name: name.to_owned(), value: value.to_owned() })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether the claim has the value, or is a list with the value.
    pub(crate) fn is_in(&self, claims: &Map<String, Value>) -> bool {
        match claims.get(&self.name) {
            Some(Value::String(only)) => *only == self.value,
            Some(Value::Array(several)) => several.iter().any(|one| one.as_str() == Some(&self.value)),
            _ => false,
        }
    }
}

impl fmt::Display for OperatorClaim {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}={}", self.name, self.value)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_claim_has_the_value_or_lists_it() {
        let claim = OperatorClaim::parse("groups=ops=1").unwrap();
        assert_eq!(claim.to_string(), "groups=ops=1");
        for (groups, is_in) in [
            (json!("ops=1"), true),
            (json!(["staff", "ops=1"]), true),
            (json!("ops=1,staff"), false),
            (json!("staff ops=1"), false),
            (json!([["ops=1"]]), false),
            (json!({"ops=1": true}), false),
            (json!(null), false),
            (json!([]), false),
        ] {
            let claims = json!({ "groups": groups });
            assert_eq!(claim.is_in(claims.as_object().unwrap()), is_in, "{claims}");
        }
        assert!(!claim.is_in(&Map::new()));
        for wrong in ["", "groups", "groups=", "=ops", "="] {
            assert_eq!(OperatorClaim::parse(wrong), None, "{wrong}");
        }
    }
}
