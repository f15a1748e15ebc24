/// Names one rotation of a signing secret, so that the rotation can be repeated when its answer was lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey(String);

/// Why a string is not a valid [`IdempotencyKey`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must have 1 to {} visible ASCII characters", IdempotencyKey::LENGTH_MAX)]
pub struct InvalidIdempotencyKey;

impl IdempotencyKey {
    /// The longest key, in characters.
    pub const LENGTH_MAX: usize = 255;

    /// Parses a key that a client has chosen.
    ///
    /// # Errors
    ///
    /// If the string is empty, too long, or has a character that is not visible ASCII.
    pub fn parse(text: &str) -> Result<Self, InvalidIdempotencyKey> {
        let is_valid = (1..=Self::LENGTH_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_valid { Ok(Self(text.to_owned())) } else { Err(InvalidIdempotencyKey) }
    }

    /// The key as the client sent it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_visible_characters() {
        for good in ["1", "8e03978e-40d5-43dd-bc93-6894a57f9324", "\"quoted\"", &"~".repeat(255)] {
            assert_eq!(IdempotencyKey::parse(good).unwrap().as_str(), good);
        }
        for wrong in ["", "two words", "é", "\t", &"a".repeat(256)] {
            assert_eq!(IdempotencyKey::parse(wrong), Err(InvalidIdempotencyKey), "{wrong:?}");
        }
    }
}
