use crate::patterns::NO_CONTROL_OR_DIRECTION;

/// A string about an owner, for people to read: 1 to `LENGTH_MAX` characters, without control characters, and without the
/// marks that change the direction of writing, which could make a page say something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerText<const LENGTH_MAX: usize>(String);

/// The name of an owner.
pub type OwnerName = OwnerText<200>;
/// The e-mail address of an owner. It is not checked, and identifies nothing.
pub type OwnerEmail = OwnerText<254>;
/// Why an owner is suspended.
pub type SuspensionReason = OwnerText<500>;

/// The string is not an [`OwnerText`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must have 1 to {length_max} characters, without control characters and marks of direction")]
pub struct InvalidOwnerText {
    length_max: usize,
}

impl<const LENGTH_MAX: usize> OwnerText<LENGTH_MAX> {
    /// The longest text, in Unicode characters.
    pub const LENGTH_MAX: usize = LENGTH_MAX;
    /// The texts that are accepted, apart from their length, as a regular expression of JSON Schema.
    pub const PATTERN: &str = NO_CONTROL_OR_DIRECTION;

    /// Checks `text`, and keeps it as it is.
    ///
    /// # Errors
    ///
    /// See [`InvalidOwnerText`].
    pub fn parse(text: &str) -> Result<Self, InvalidOwnerText> {
        let fits = (1..=LENGTH_MAX).contains(&text.chars().count());
        let is_plain = !text.chars().any(|character| character.is_control() || is_direction(character));
        (fits && is_plain).then(|| Self(text.to_owned())).ok_or(InvalidOwnerText { length_max: LENGTH_MAX })
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_direction(character: char) -> bool {
    let is_mark = matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}');
    is_mark || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_limits_and_refuses_what_is_past_them() {
        for right in ["a", " ", "Zoë \u{10348}", &"ä".repeat(200)] {
            assert_eq!(OwnerName::parse(right).as_ref().map(OwnerText::as_str), Ok(right));
        }
        let marks = ["\u{61c}", "\u{200e}", "\u{200f}", "\u{202a}", "\u{202e}", "\u{2066}", "\u{2069}"];
        let controls = ["\0", "\n", "\u{7f}", "\u{80}", "\u{9f}"];
        for wrong in marks.into_iter().chain(controls) {
            assert!(OwnerName::parse(&format!("a{wrong}b")).is_err(), "{wrong:?}");
        }
        assert!(OwnerName::parse("").is_err() && OwnerName::parse(&"a".repeat(201)).is_err());
        let error = SuspensionReason::parse("").unwrap_err().to_string();
        assert_eq!(error, "must have 1 to 500 characters, without control characters and marks of direction");
    }
}
