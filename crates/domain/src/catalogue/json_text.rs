/// One JSON value as its author wrote it, byte for byte: the digits of its numbers stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonText(String);

/// The text has more than this many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must have at most {0} bytes")]
pub struct JsonTooLarge(pub usize);

impl JsonText {
    /// The longest schema, in bytes.
    pub const SCHEMA_BYTES_MAX: usize = 64 * 1024;
    /// The longest example, in bytes.
    pub const EXAMPLE_BYTES_MAX: usize = 16 * 1024;

    /// Keeps a schema, which the caller has checked to be one JSON value.
    ///
    /// # Errors
    ///
    /// When it is longer than [`JsonText::SCHEMA_BYTES_MAX`].
    pub fn of_schema(text: &str) -> Result<Self, JsonTooLarge> {
        Self::within(text, Self::SCHEMA_BYTES_MAX)
    }

    /// Keeps an example, which the caller has checked to be one JSON value.
    ///
    /// # Errors
    ///
    /// When it is longer than [`JsonText::EXAMPLE_BYTES_MAX`].
    pub fn of_example(text: &str) -> Result<Self, JsonTooLarge> {
        Self::within(text, Self::EXAMPLE_BYTES_MAX)
    }

    /// The text that a store has.
    pub fn of_stored(text: String) -> Self {
        Self(text)
    }

    /// The JSON.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn within(text: &str, max: usize) -> Result<Self, JsonTooLarge> {
        if text.len() > max { Err(JsonTooLarge(max)) } else { Ok(Self(text.to_owned())) }
    }
}
