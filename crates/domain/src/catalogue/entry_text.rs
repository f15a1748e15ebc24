/// A title of an event type: up to 200 characters on one line, without control characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryTitle(String);

/// A description of an event type: up to 4,096 characters of Markdown without HTML. Line breaks and tabs are the only
/// control characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryDescription(String);

/// Why a string is not a valid [`EntryTitle`] or [`EntryDescription`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidEntryText {
    /// The string has more characters than this.
    #[error("must have at most {0} characters")]
    TooLong(usize),
    /// The string has a control character that is not allowed.
    #[error("must not contain control characters; a description may have line breaks and tabs")]
    ControlCharacter,
    /// The string has `<` before a letter, `/`, `!` or `?`.
    #[error("must not contain HTML: `<` before a letter, `/`, `!` or `?`")]
    Html,
}

impl EntryTitle {
    /// The longest title, in characters.
    pub const LENGTH_MAX: usize = 200;
    /// The strings that [`EntryTitle::parse`] accepts, apart from their length.
    pub const PATTERN: &str = r"^[^\u0000-\u001f\u007f-\u009f]*$";

    /// Checks the string and keeps it unchanged.
    ///
    /// # Errors
    ///
    /// The rule that `text` breaks.
    pub fn parse(text: &str) -> Result<Self, InvalidEntryText> {
        check(text, Self::LENGTH_MAX, |_| false)?;
        Ok(Self(text.to_owned()))
    }

    /// The title as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl EntryDescription {
    /// The longest description, in characters.
    pub const LENGTH_MAX: usize = 4_096;
    /// The strings that [`EntryDescription::parse`] accepts, apart from their length.
    pub const PATTERN: &str = r"^([^<\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|<(?![A-Za-z/!?]))*$";

    /// Checks the string and keeps it unchanged.
    ///
    /// # Errors
    ///
    /// The rule that `text` breaks.
    pub fn parse(text: &str) -> Result<Self, InvalidEntryText> {
        check(text, Self::LENGTH_MAX, |character| matches!(character, '\n' | '\r' | '\t'))?;
        let begins_html =
            |rest: &str| rest.starts_with(|next: char| next.is_ascii_alphabetic() || "/!?".contains(next));
        if text.split('<').skip(1).any(begins_html) {
            return Err(InvalidEntryText::Html);
        }
        Ok(Self(text.to_owned()))
    }

    /// The description as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn check(text: &str, max: usize, is_allowed: impl Fn(char) -> bool) -> Result<(), InvalidEntryText> {
    if text.chars().nth(max).is_some() {
        return Err(InvalidEntryText::TooLong(max));
    }
    if text.chars().any(|character| character.is_control() && !is_allowed(character)) {
        return Err(InvalidEntryText::ControlCharacter);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_line() {
        for title in ["", "Invoice paid", "é – \"x\" <b>", &"é".repeat(200)] {
            assert_eq!(EntryTitle::parse(title).unwrap().as_str(), title);
        }
        assert_eq!(EntryTitle::parse(&"a".repeat(201)), Err(InvalidEntryText::TooLong(200)));
        for title in ["a\nb", "a\u{7f}", "\u{85}", "\0"] {
            assert_eq!(EntryTitle::parse(title), Err(InvalidEntryText::ControlCharacter), "{title:?}");
        }
    }

    #[test]
    fn a_description_is_markdown_without_html() {
        for text in ["", "# Paid\n\n* `a < b`\t1 <2 <\n", "a <", &"<".repeat(4_096)] {
            assert_eq!(EntryDescription::parse(text).unwrap().as_str(), text);
        }
        for text in ["<b>", "a<script", "</p>", "<!-- -->", "<?php", "<<a", "<https://x.example>"] {
            assert_eq!(EntryDescription::parse(text), Err(InvalidEntryText::Html), "{text:?}");
        }
        assert_eq!(EntryDescription::parse("a\u{b}"), Err(InvalidEntryText::ControlCharacter));
        assert_eq!(EntryDescription::parse(&"a".repeat(4_097)), Err(InvalidEntryText::TooLong(4_096)));
    }
}
