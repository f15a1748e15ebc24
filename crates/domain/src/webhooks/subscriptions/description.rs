use std::fmt;

/// The name that its owner gives a subscription: up to 1,000 characters. Line breaks and tabs are the only control
/// characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description(String);

/// Why a string is not a valid [`Description`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDescription {
    /// The string has more than [`Description::LENGTH_MAX`] characters.
    #[error("must have at most {} characters", Description::LENGTH_MAX)]
    TooLong,
    /// The string contains a control character other than line breaks and tabs.
    #[error("must not contain control characters other than line breaks and tabs")]
    ControlCharacter,
}

impl Description {
    /// The longest description, in characters.
    pub const LENGTH_MAX: usize = 1_000;
    /// The strings that [`Description::parse`] accepts, apart from their length.
    pub const PATTERN: &str = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$";

    /// Checks the string and keeps it unchanged.
    ///
    /// # Errors
    ///
    /// The rule that `text` breaks.
    pub fn parse(text: &str) -> Result<Self, InvalidDescription> {
        if text.chars().nth(Self::LENGTH_MAX).is_some() {
            return Err(InvalidDescription::TooLong);
        }
        if text.chars().any(|character| character.is_control() && !matches!(character, '\n' | '\r' | '\t')) {
            return Err(InvalidDescription::ControlCharacter);
        }
        Ok(Self(text.to_owned()))
    }

    /// The description as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Description {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
