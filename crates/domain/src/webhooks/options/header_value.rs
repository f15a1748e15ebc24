use std::fmt;

use zeroize::Zeroizing;

/// The string is not a valid [`HeaderValue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must have values of 1 to {} visible ASCII characters, with spaces only between them", HeaderValue::LENGTH_MAX)]
pub struct InvalidHeaderValue;

/// The value of a header that a subscription sets. It is a secret: it has no `Display`, and its memory is cleared on
/// drop.
#[derive(Clone, PartialEq, Eq)]
pub struct HeaderValue(Zeroizing<String>);

impl HeaderValue {
    /// The longest value, in characters.
    pub const LENGTH_MAX: usize = 1_024;
    /// The strings that [`HeaderValue::parse`] accepts, apart from their length.
    pub const PATTERN: &str = "^[!-~]([ -~]*[!-~])?$";

    /// Parses a value that a user has chosen. HTTP removes spaces at both ends, so they are refused.
    ///
    /// # Errors
    ///
    /// If `text` is not a value.
    pub fn parse(text: &str) -> Result<Self, InvalidHeaderValue> {
        let fits = (1..=Self::LENGTH_MAX).contains(&text.len());
        let is_value = fits && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) && text.trim() == text;
        if is_value { Ok(Self::of(text)) } else { Err(InvalidHeaderValue) }
    }

    /// The value with this text, which is not checked.
    pub(super) fn of(text: &str) -> Self {
        Self(Zeroizing::new(text.to_owned()))
    }

    /// The value itself. Only sealing and the sender call this.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for HeaderValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("HeaderValue")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_visible_ascii_and_do_not_print() {
        for value in ["a", "!", "a b", "Basic dG8=", "~ \" \\ ~", &"v".repeat(1_024)] {
            let parsed = HeaderValue::parse(value).unwrap();
            assert_eq!((parsed.expose(), format!("{parsed:?}").as_str()), (value, "HeaderValue"));
        }
        for wrong in ["", " ", " a", "a ", "a\tb", "a\r\nb", "a\0", "ä", "\u{7f}", &"v".repeat(1_025)] {
            assert_eq!(HeaderValue::parse(wrong), Err(InvalidHeaderValue), "{wrong:?}");
        }
    }
}
