use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Parses a JSON object from untrusted bytes; `None` if they are anything else.
///
/// A name that occurs twice in one object, at any depth, makes the whole document invalid. `serde_json` alone keeps the
/// last value and other parsers keep the first, which attacks can use (RFC 8725 section 2.5 and RFC 7519 section 4
/// allow to refuse). `serde_json` limits the depth to 128.
pub(crate) fn read_object(bytes: &[u8]) -> Option<Map<String, Value>> {
    match serde_json::from_slice(bytes) {
        Ok(Strict(Value::Object(object))) => Some(object),
        _ => None,
    }
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON without repeated names")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            array.push(item);
        }
        Ok(array.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((name, Strict(value))) = members.next_entry::<String, Strict>()? {
            if object.insert(name, value).is_some() {
                return Err(A::Error::custom("a name stands twice"));
            }
        }
        Ok(object.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_serde_json_reads() {
        let text = r#"{"a":[1,-2,3.5,true,null,"x\u00e9"],"b":{"c":{}},"d":18446744073709551615}"#;
        assert_eq!(Value::from(read_object(text.as_bytes()).unwrap()), serde_json::from_str::<Value>(text).unwrap());
    }

    #[test]
    fn refuses_repeated_names_and_what_is_no_object() {
        for wrong in [
            r#"{"a":1,"a":1}"#,
            r#"{"a":1,"\u0061":2}"#,
            r#"{"x":{"a":1,"a":2}}"#,
            r#"{"x":[{"a":1,"a":2}]}"#,
            r"[]",
            r#""text""#,
            r#"{"a":1} "#.trim_end_matches("} "),
            r#"{"a":1}{}"#,
            r#"{"a":1e999}"#,
            r#"{"a":NaN}"#,
            "",
        ] {
            assert_eq!(read_object(wrong.as_bytes()), None, "{wrong}");
        }
        assert_eq!(read_object(b"{\"a\":\"\xff\"}"), None, "not UTF-8");
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(200), "]".repeat(200));
        assert_eq!(read_object(deep.as_bytes()), None, "too deep");
    }
}
