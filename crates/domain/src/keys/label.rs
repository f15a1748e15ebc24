use std::fmt;

use crate::patterns::CONTROL;

/// Why a string is not a valid [`Label`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidLabel {
    /// The string has no visible character.
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

    /// The strings that [`Label::parse`] accepts, as a regular expression of JSON Schema: between white space, one
    /// character, or up to [`Label::LENGTH_MAX`], of which the first and the last are not white space, and one is visible.
    pub fn pattern() -> String {
        let invisible: String = INVISIBLE.iter().flat_map(|(first, last)| [*first, '-', *last]).collect();
        let (any, end) = (format!("[^{CONTROL}]"), format!("[^{CONTROL}{WHITE_SPACE}]"));
        let visible = format!("[^{CONTROL}{WHITE_SPACE}{invisible}]");
        let between = Self::LENGTH_MAX - 2;
        format!("^[{WHITE_SPACE}]*(?={any}*{visible})({end}|{end}{any}{{0,{between}}}{end})[{WHITE_SPACE}]*$")
    }

    /// Trims `text` and checks it.
    ///
    /// # Errors
    ///
    /// The rule that `text` breaks.
    pub fn parse(text: &str) -> Result<Self, InvalidLabel> {
        let text = text.trim();
        if text.chars().all(is_invisible) {
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

/// The members of `White_Space`, in a class of a regular expression.
const WHITE_SPACE: &str = r"\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000";

/// The ranges of Unicode's `Default_Ignorable_Code_Point`, and blanks that common fonts leave empty.
const INVISIBLE: [(char, char); 18] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fff8}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// Whether a character is invisible.
fn is_invisible(character: char) -> bool {
    let is_in = |(first, last): &(char, char)| (*first..=*last).contains(&character);
    character.is_whitespace() || INVISIBLE.iter().any(is_in)
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
        for blank in ["", " ", "\t\n", "\u{2003}", "\u{200b}", "\u{feff}\u{2060} \u{3164}", "\u{2800}", "\u{e0020}"] {
            assert_eq!(Label::parse(blank), Err(InvalidLabel::Empty), "{blank:?}");
        }
        for wrong in ["a\nb", "a\0b", "a\u{7f}b", "a\u{85}b"] {
            assert_eq!(Label::parse(wrong), Err(InvalidLabel::ControlCharacter), "{wrong:?}");
        }
    }
}
