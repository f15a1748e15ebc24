use std::collections::BTreeMap;

use crate::patterns::NO_CONTROL;

/// Pairs that an application attaches to a key, such as its plan: the service stores and shows them, and returns them
/// with each verification. They are strings, so that they fit a header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata(BTreeMap<String, String>);

/// The pairs are more, or longer, than [`Metadata`] may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidMetadata {
    /// There are too many pairs.
    #[error("must have at most {} names", Metadata::PAIRS_MAX)]
    TooMany,
    /// A name has other characters, or too many.
    #[error("must have names of 1 to {} characters of a-z 0-9 _ . -", Metadata::NAME_LENGTH_MAX)]
    Name,
    /// A value is empty, or has too many characters, or control characters.
    #[error("must have values of 1 to {} characters, without control characters", Metadata::VALUE_LENGTH_MAX)]
    Value,
    /// All pairs together are too long.
    #[error("must have at most {} bytes in all names and values together", Metadata::BYTES_MAX)]
    TooLong,
}

impl Metadata {
    /// The most pairs.
    pub const PAIRS_MAX: usize = 16;
    /// The longest name, in characters.
    pub const NAME_LENGTH_MAX: usize = 64;
    /// The longest value, in characters.
    pub const VALUE_LENGTH_MAX: usize = 256;
    /// The most bytes of all names and values together.
    pub const BYTES_MAX: usize = 2_048;
    /// The names that are allowed, as a regular expression of JSON Schema.
    pub const NAME_PATTERN: &str = "^[a-z0-9_.-]{1,64}$";
    /// The values that are allowed, apart from their length.
    pub const VALUE_PATTERN: &str = NO_CONTROL;

    /// Checks the pairs.
    ///
    /// # Errors
    ///
    /// See [`InvalidMetadata`].
    pub fn new(pairs: BTreeMap<String, String>) -> Result<Self, InvalidMetadata> {
        if pairs.len() > Self::PAIRS_MAX {
            return Err(InvalidMetadata::TooMany);
        }
        if !pairs.keys().all(|name| is_name(name)) {
            return Err(InvalidMetadata::Name);
        }
        if !pairs.values().all(|value| is_value(value)) {
            return Err(InvalidMetadata::Value);
        }
        let bytes = pairs.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>();
        if bytes > Self::BYTES_MAX { Err(InvalidMetadata::TooLong) } else { Ok(Self(pairs)) }
    }

    /// The pairs, sorted by name.
    pub const fn pairs(&self) -> &BTreeMap<String, String> {
        &self.0
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A change of [`Metadata`], like a merge patch (RFC 7396): other names stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetadataPatch {
    /// Whether all old pairs are removed first.
    pub replaces_all: bool,
    /// The new values; `None` removes the name.
    pub pairs: BTreeMap<String, Option<String>>,
}

impl MetadataPatch {
    /// The pairs after the change.
    ///
    /// # Errors
    ///
    /// See [`InvalidMetadata`].
    pub fn apply_to(&self, before: &Metadata) -> Result<Metadata, InvalidMetadata> {
        let mut pairs = if self.replaces_all { BTreeMap::new() } else { before.0.clone() };
        for (name, value) in &self.pairs {
            match value {
                Some(value) => pairs.insert(name.clone(), value.clone()),
                None => pairs.remove(name),
            };
        }
        Metadata::new(pairs)
    }
}

fn is_name(name: &str) -> bool {
    let is_allowed =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'.' | b'-');
    (1..=Metadata::NAME_LENGTH_MAX).contains(&name.len()) && name.bytes().all(is_allowed)
}

fn is_value(value: &str) -> bool {
    (1..=Metadata::VALUE_LENGTH_MAX).contains(&value.chars().count()) && !value.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(pairs: impl IntoIterator<Item = (String, String)>) -> Result<Metadata, InvalidMetadata> {
        Metadata::new(pairs.into_iter().collect())
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn takes_the_limits_and_refuses_what_is_past_them() {
        let many = |count: usize| metadata((0..count).map(|number| (number.to_string(), "v".to_owned())));
        assert_eq!((many(16).is_ok(), many(17)), (true, Err(InvalidMetadata::TooMany)));
        let named = |name: &str| metadata([pair(name, "v")]);
        assert!(named("plan_2.b-c").is_ok() && named(&"n".repeat(64)).is_ok());
        for wrong in ["", "Plan", "a b", "ä", &"n".repeat(65)] {
            assert_eq!(named(wrong), Err(InvalidMetadata::Name), "{wrong:?}");
        }
        let valued = |value: &str| metadata([pair("n", value)]);
        assert!(valued(&"ä".repeat(256)).is_ok());
        assert_eq!(valued(&"v".repeat(257)), Err(InvalidMetadata::Value));
        assert_eq!([valued("a\nb"), valued("")], [Err(InvalidMetadata::Value), Err(InvalidMetadata::Value)]);
        let long = |last: usize| {
            let full = (0..7).map(|number| (format!("{number}"), "v".repeat(256)));
            metadata(full.chain([("last".to_owned(), "v".repeat(last))]))
        };
        assert_eq!((long(245).is_ok(), long(246)), (true, Err(InvalidMetadata::TooLong)));
    }

    #[test]
    fn a_patch_changes_the_names_that_it_has() {
        let before = metadata([pair("plan", "free"), pair("region", "eu")]).unwrap();
        let pairs: BTreeMap<_, _> =
            [("plan".to_owned(), Some("pro".to_owned())), ("region".to_owned(), None), ("absent".to_owned(), None)]
                .into();
        let patch = MetadataPatch { replaces_all: false, pairs };
        assert_eq!(patch.apply_to(&before), metadata([pair("plan", "pro")]));
        assert_eq!(MetadataPatch::default().apply_to(&before), Ok(before.clone()));
        let only = MetadataPatch { replaces_all: true, pairs: [("a".to_owned(), Some("b".to_owned()))].into() };
        assert_eq!(only.apply_to(&before), metadata([pair("a", "b")]));
    }
}
