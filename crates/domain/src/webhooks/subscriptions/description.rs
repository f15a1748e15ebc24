use std::fmt;

/// What a subscription's owner calls it: up to 1,000 characters without control characters other than line breaks and
/// tabs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description(String);

/// Why a text is no [`Description`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDescription {
    /// More than [`Description::LENGTH_MAX`] characters.
    #[error("must have at most {} characters", Description::LENGTH_MAX)]
    TooLong,
    /// A control character.
    #[error("must not contain control characters other than line breaks and tabs")]
    ControlCharacter,
}

impl Description {
    /// The longest description, in characters.
    pub const LENGTH_MAX: usize = 1_000;

    /// Takes a text as it is.
    ///
    /// # Errors
    ///
    /// Says which rule the text breaks.
    pub fn parse(text: &str) -> Result<Self, InvalidDescription> {
        if text.chars().nth(Self::LENGTH_MAX).is_some() {
            return Err(InvalidDescription::TooLong);
        }
        if text.chars().any(|character| character.is_control() && !matches!(character, '\n' | '\r' | '\t')) {
            return Err(InvalidDescription::ControlCharacter);
        }
        Ok(Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Description {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
