use std::cmp::Ordering;

use super::decimal::Decimal;
use super::filter_path::{FilterPath, InvalidFilterPath};
use super::json_document::{JsonDocument, JsonValue, Kind};
use super::payload_filter::{Condition, Leaf, PayloadFilter, Scalar, Test};
use crate::closest_name::closest_name;

/// How much of a name an error repeats, in characters.
const SHOWN_NAME_LENGTH_MAX: usize = 64;
const MEMBERS: [&str; 6] = ["all", "any", "not", "path", "op", "value"];
const OPERATIONS: [&str; 11] = ["eq", "ne", "in", "lt", "lte", "gt", "gte", "prefix", "suffix", "contains", "exists"];

/// Why a string is not a valid [`PayloadFilter`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place} {rule}")]
pub struct InvalidFilter {
    /// The part that is wrong: `filter.all[1].op`.
    pub place: String,
    /// The rule that it breaks.
    pub rule: FilterRule,
}

/// A rule of filters, as the message that says what the part must be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterRule {
    /// The text is not JSON.
    #[error("must be JSON")]
    Json,
    /// The text is too long.
    #[error("must have at most {} bytes", PayloadFilter::SIZE_BYTES_MAX)]
    Size,
    /// Too many conditions are inside each other.
    #[error("must have at most {} conditions inside each other", PayloadFilter::DEPTH_MAX)]
    Depth,
    /// There are too many leaves.
    #[error("must have at most {} leaves", PayloadFilter::LEAVES_MAX)]
    Leaves,
    /// A condition is not an object.
    #[error("must be an object")]
    Object,
    /// An object is not a condition.
    #[error("must have all, any, not, or path and op")]
    Kind,
    /// A list of conditions is not one, or is empty.
    #[error("must be a list of at least one condition")]
    List,
    /// The member has no meaning.
    #[error("is unknown; {0}")]
    Unknown(String),
    /// The object has two members with this name.
    #[error("is there twice")]
    Twice,
    /// The member contradicts another member.
    #[error("must be absent beside {0}")]
    Beside(&'static str),
    /// The member is missing.
    #[error("is required")]
    Required,
    /// The path is not valid.
    #[error("{InvalidFilterPath}")]
    Path,
    /// There is no such operation.
    #[error("must be one of {}", OPERATIONS.join(", "))]
    Operation,
    /// The value does not fit the operation.
    #[error("must be {0}")]
    Value(&'static str),
    /// The string is too long, or not Unicode.
    #[error("must be a string of at most {} characters", PayloadFilter::VALUE_LENGTH_MAX)]
    Text,
    /// The exponent is too long.
    #[error("must have an exponent of at most {} digits", Decimal::EXPONENT_DIGITS_MAX)]
    Exponent,
    /// `in` has no values, or too many.
    #[error("must be a list of 1 to {} strings, numbers, true, false or null", PayloadFilter::VALUES_MAX)]
    Values,
}

impl PayloadFilter {
    /// Reads a filter.
    ///
    /// # Errors
    ///
    /// The first rule that `text` breaks, and where.
    pub fn parse(text: &str) -> Result<Self, InvalidFilter> {
        let at_root = |rule| fault(Self::PLACE, rule);
        if text.len() > Self::SIZE_BYTES_MAX {
            return Err(at_root(FilterRule::Size));
        }
        let document = JsonDocument::parse(text).map_err(|_| at_root(FilterRule::Json))?;
        let mut reader = FilterReader { leaves: 0 };
        let root = reader.condition(document.root(), Self::PLACE, 1)?;
        Ok(Self { text: without_spaces(text), root })
    }
}

fn fault(place: impl Into<String>, rule: FilterRule) -> InvalidFilter {
    InvalidFilter { place: place.into(), rule }
}

/// The JSON without the spaces between its parts.
fn without_spaces(text: &str) -> String {
    let (mut is_inside, mut is_escaped) = (false, false);
    let kept = text.chars().filter(|character| {
        let ends = *character == '"' && !is_escaped;
        is_escaped = is_inside && *character == '\\' && !is_escaped;
        is_inside ^= ends;
        is_inside || !matches!(character, ' ' | '\t' | '\n' | '\r')
    });
    kept.collect()
}

/// Counts the leaves while it reads conditions.
struct FilterReader {
    leaves: usize,
}

/// The members of a condition.
#[derive(Clone, Copy, Default)]
struct Members<'d>([Option<JsonValue<'d>>; MEMBERS.len()]);

impl FilterReader {
    /// The condition at `place`, inside of `depth` - 1 others.
    fn condition(&mut self, value: JsonValue<'_>, place: &str, depth: usize) -> Result<Condition, InvalidFilter> {
        if depth > PayloadFilter::DEPTH_MAX {
            return Err(fault(place, FilterRule::Depth));
        }
        let members = Members::of(value, place)?;
        match members.0 {
            [Some(list), ..] => {
                members.alone(0, place).and(self.list(list, &format!("{place}.all"), depth)).map(Condition::All)
            }
            [_, Some(list), ..] => {
                members.alone(1, place).and(self.list(list, &format!("{place}.any"), depth)).map(Condition::Any)
            }
            [_, _, Some(inner), ..] => {
                members.alone(2, place)?;
                let inner = self.condition(inner, &format!("{place}.not"), depth + 1)?;
                Ok(Condition::Not(Box::new(inner)))
            }
            [_, _, _, None, None, None] => Err(fault(place, FilterRule::Kind)),
            [_, _, _, path, operation, value] => self.leaf(path, operation, value, place),
        }
    }

    fn list(&mut self, list: JsonValue<'_>, place: &str, depth: usize) -> Result<Vec<Condition>, InvalidFilter> {
        let inner = list.elements().enumerate();
        let inner: Result<Vec<Condition>, _> =
            inner.map(|(index, inner)| self.condition(inner, &format!("{place}[{index}]"), depth + 1)).collect();
        inner.and_then(|inner| if inner.is_empty() { Err(fault(place, FilterRule::List)) } else { Ok(inner) })
    }

    fn leaf(
        &mut self,
        path: Option<JsonValue<'_>>,
        operation: Option<JsonValue<'_>>,
        value: Option<JsonValue<'_>>,
        place: &str,
    ) -> Result<Condition, InvalidFilter> {
        self.leaves += 1;
        if self.leaves > PayloadFilter::LEAVES_MAX {
            return Err(fault(PayloadFilter::PLACE, FilterRule::Leaves));
        }
        let required =
            |name: &str, value: Option<_>| value.ok_or_else(|| fault(format!("{place}.{name}"), FilterRule::Required));
        let (path, operation) = (required("path", path)?, required("op", operation)?);
        let path = path.text().and_then(|text| FilterPath::parse(&text).ok());
        let path = path.ok_or_else(|| fault(format!("{place}.path"), FilterRule::Path))?;
        let test = test(operation, value, place)?;
        Ok(Condition::Leaf(Leaf { number: self.leaves - 1, path, test }))
    }
}

impl<'d> Members<'d> {
    fn of(value: JsonValue<'d>, place: &str) -> Result<Self, InvalidFilter> {
        if value.kind() != Kind::Object {
            return Err(fault(place, FilterRule::Object));
        }
        let mut members = Self::default();
        for (name, value) in value.members() {
            let name = name.text().unwrap_or_else(|| name.raw().into());
            let at_name = |rule| {
                let shown: String = name.chars().take(SHOWN_NAME_LENGTH_MAX).collect();
                fault(format!("{place}.{shown}"), rule)
            };
            let Some(known) = MEMBERS.iter().position(|known| *known == name) else {
                return Err(at_name(FilterRule::Unknown(advice(&name))));
            };
            if members.0[known].replace(value).is_some() {
                return Err(at_name(FilterRule::Twice));
            }
        }
        Ok(members)
    }

    /// Fails if the condition has another member than this one.
    fn alone(&self, known: usize, place: &str) -> Result<(), InvalidFilter> {
        let other = (0..MEMBERS.len()).find(|other| *other != known && self.0[*other].is_some());
        other.map_or(Ok(()), |other| {
            Err(fault(format!("{place}.{}", MEMBERS[other]), FilterRule::Beside(MEMBERS[known])))
        })
    }
}

fn advice(name: &str) -> String {
    let shown: String = name.chars().take(SHOWN_NAME_LENGTH_MAX).collect();
    match closest_name(&shown, MEMBERS) {
        Some(meant) => format!("did you mean {meant}?"),
        None => format!("known are {}", MEMBERS.join(", ")),
    }
}

fn test(operation: JsonValue<'_>, value: Option<JsonValue<'_>>, place: &str) -> Result<Test, InvalidFilter> {
    let at_value = |rule| fault(format!("{place}.value"), rule);
    let operation = operation.text();
    let operation = operation.as_deref().unwrap_or_default();
    if !OPERATIONS.contains(&operation) {
        return Err(fault(format!("{place}.op"), FilterRule::Operation));
    }
    if operation == "exists" {
        return value.map_or(Ok(Test::Exists), |_| Err(at_value(FilterRule::Beside("exists"))));
    }
    let value = value.ok_or_else(|| at_value(FilterRule::Required))?;
    let compared = |allowed: &'static [Ordering]| ordered(value).map(|limit| Test::Compare(allowed, limit));
    let test = match operation {
        "eq" => scalar(value).map(Test::Equal),
        "ne" if value.kind() == Kind::Null => {
            Err(FilterRule::Value("a string, a number, true or false; for other values than null, use not and eq"))
        }
        "ne" => scalar(value).map(Test::NotEqual),
        "in" => values(value).map(Test::In),
        "lt" => compared(&[Ordering::Less]),
        "lte" => compared(&[Ordering::Less, Ordering::Equal]),
        "gt" => compared(&[Ordering::Greater]),
        "gte" => compared(&[Ordering::Greater, Ordering::Equal]),
        "prefix" => text(value).map(Test::Prefix),
        "suffix" => text(value).map(Test::Suffix),
        _ => text(value).map(Test::Contains),
    };
    test.map_err(at_value)
}

fn scalar(value: JsonValue<'_>) -> Result<Scalar<'static>, FilterRule> {
    match value.kind() {
        Kind::Object | Kind::Array => Err(FilterRule::Value("a string, a number, true, false or null")),
        Kind::Number if !Decimal::is_comparable(value.raw()) => Err(FilterRule::Exponent),
        Kind::Text => text(value).map(|text| Scalar::Text(text.into())),
        _ => Scalar::of(value).map(Scalar::into_owned).ok_or(FilterRule::Text),
    }
}

fn ordered(value: JsonValue<'_>) -> Result<Scalar<'static>, FilterRule> {
    let has_order = matches!(value.kind(), Kind::Number | Kind::Text);
    if has_order { scalar(value) } else { Err(FilterRule::Value("a number or a string")) }
}

fn values(list: JsonValue<'_>) -> Result<Vec<Scalar<'static>>, FilterRule> {
    let values: Vec<Scalar<'static>> =
        list.elements().take(PayloadFilter::VALUES_MAX + 1).map(scalar).collect::<Result<_, _>>().map_err(|rule| {
            match rule {
                FilterRule::Value(_) => FilterRule::Values,
                rule => rule,
            }
        })?;
    if (1..=PayloadFilter::VALUES_MAX).contains(&values.len()) { Ok(values) } else { Err(FilterRule::Values) }
}

fn text(value: JsonValue<'_>) -> Result<String, FilterRule> {
    let text = value.text().filter(|text| text.chars().nth(PayloadFilter::VALUE_LENGTH_MAX).is_none());
    text.map(Into::into).ok_or(FilterRule::Text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_keeps_its_text_without_spaces() {
        let filter =
            PayloadFilter::parse(" { \"op\" : \"eq\",\n\t\"value\": \"a \\\" \\\\\" , \"path\":\"/data/a b\" } ");
        assert_eq!(filter.unwrap().as_str(), r#"{"op":"eq","value":"a \" \\","path":"/data/a b"}"#);
        let number = r#"{"path":"/data","op":"eq","value":1.500E+400}"#;
        assert_eq!(PayloadFilter::parse(number).unwrap().as_str(), number);
    }

    #[test]
    fn a_filter_keeps_its_limits() {
        let leaf = r#"{"path":"/data","op":"exists"}"#;
        let leaves = |count| format!(r#"{{"any":[{}]}}"#, vec![leaf; count].join(","));
        let nested = |depth: usize| format!("{}{leaf}{}", r#"{"not":"#.repeat(depth - 1), "}".repeat(depth - 1));
        let values = |count| format!(r#"{{"path":"/data","op":"in","value":[{}]}}"#, vec!["1"; count].join(","));
        let long = |length| format!(r#"{{"path":"/data","op":"eq","value":"{}"}}"#, "é".repeat(length));
        let padded = |size: usize| format!("{leaf}{}", " ".repeat(size - leaf.len()));
        for (fits, breaks, rule) in [
            (leaves(20), leaves(21), FilterRule::Leaves),
            (nested(6), nested(7), FilterRule::Depth),
            (values(100), values(101), FilterRule::Values),
            (long(1_024), long(1_025), FilterRule::Text),
            (padded(8_192), padded(8_193), FilterRule::Size),
        ] {
            assert_eq!(PayloadFilter::parse(&fits).err(), None, "{fits}");
            assert_eq!(PayloadFilter::parse(&breaks).unwrap_err().rule, rule, "{breaks}");
        }
        let deep = "[".repeat(4_000) + &"]".repeat(4_000);
        assert_eq!(PayloadFilter::parse(&deep).unwrap_err().rule, FilterRule::Object);
    }
}
