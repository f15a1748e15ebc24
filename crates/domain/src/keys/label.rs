use std::fmt;

/// Why a string is not a valid [`Label`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidLabel {
    /// The string is empty after trimming.
    #[error("must not be empty")]
    Empty,
    /// The string has more than [`Label::LENGTH_MAX`] characters.
    #[error("must have at most {} characters", Label::LENGTH_MAX)]
    TooLong,
    /// The string contains a control character, such as a line break or a zero byte.
    #[error("must not contain control characters")]
    ControlCharacter,
}

/// The name that a user gives an API key: 1 to 100 characters without control characters, and without spaces at the
/// ends. See decision 5.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Label(String);

impl Label {
    /// The longest label, in Unicode characters.
    pub const LENGTH_MAX: usize = 100;

    /// Trims `text` and checks it.
    ///
    /// # Errors
    ///
    /// The rule that `text` breaks.
    pub fn parse(text: &str) -> Result<Self, InvalidLabel> {
        let text = text.trim();
        if text.is_empty() {
            return Err(InvalidLabel::Empty);
        }
        if text.chars().nth(Self::LENGTH_MAX).is_some() {
            return Err(InvalidLabel::TooLong);
        }
        if text.chars().any(char::is_control) {
            return Err(InvalidLabel::ControlCharacter);
        }
        Ok(Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Label {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trims_and_counts_characters_not_bytes() {
        assert_eq!(Label::parse("  CI deploy \n").unwrap().as_str(), "CI deploy");
        assert!(Label::parse(&"é".repeat(100)).is_ok());
        assert_eq!(Label::parse(&"é".repeat(101)), Err(InvalidLabel::TooLong));
    }

    #[test]
    fn refuses_nothing_and_control_characters() {
        for blank in ["", " ", "\t\n", "\u{2003}"] {
            assert_eq!(Label::parse(blank), Err(InvalidLabel::Empty), "{blank:?}");
        }
        for wrong in ["a\nb", "a\0b", "a\u{7f}b", "a\u{85}b"] {
            assert_eq!(Label::parse(wrong), Err(InvalidLabel::ControlCharacter), "{wrong:?}");
        }
    }
}
