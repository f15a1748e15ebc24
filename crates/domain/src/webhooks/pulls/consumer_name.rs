use std::fmt;

/// The string is not a valid [`ConsumerName`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must have 1 to {} letters, digits, dots, hyphens or underscores, the first not a dot",
    ConsumerName::LENGTH_MAX
)]
pub struct InvalidConsumerName;

/// The name of a consumer. It is unique within its subscription.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConsumerName(String);

impl ConsumerName {
    /// The longest name, in characters.
    pub const LENGTH_MAX: usize = 64;
    /// The names that [`ConsumerName::parse`] accepts.
    pub const PATTERN: &'static str = r"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$";

    /// Checks `text`, and keeps it unchanged. No name begins with a dot, because programs remove `.` and `..` from paths.
    ///
    /// # Errors
    ///
    /// If it is empty, too long, has other characters than `A-Z a-z 0-9 . _ -`, or begins with a dot.
    pub fn parse(text: &str) -> Result<Self, InvalidConsumerName> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let fits =
            (1..=Self::LENGTH_MAX).contains(&text.len()) && text.bytes().all(is_allowed) && !text.starts_with('.');
        if fits { Ok(Self(text.to_owned())) } else { Err(InvalidConsumerName) }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ConsumerName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_into_paths() {
        for good in ["a", "Billing-2.eu_west", "-", &"x".repeat(64)] {
            assert_eq!(ConsumerName::parse(good).unwrap().as_str(), good);
        }
        for wrong in ["", ".", "..", ".a", "a b", "a/b", "\u{e9}", &"x".repeat(65)] {
            assert!(ConsumerName::parse(wrong).is_err(), "{wrong}");
        }
    }
}
