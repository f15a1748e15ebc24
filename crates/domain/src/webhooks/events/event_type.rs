use std::fmt;

use crate::audit::AuditAction;

/// Types with this start are the service's own.
const RESERVED: &str = "gatepost.";

/// Why a string is not a valid [`EventType`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidEventType {
    /// The string is empty, or has more than [`EventType::LENGTH_MAX`] characters.
    #[error("must have 1 to {} characters", EventType::LENGTH_MAX)]
    Length,
    /// The string has a character other than `A-Z a-z 0-9 _ . : / -`.
    #[error("must consist of A-Z a-z 0-9 _ . : / -")]
    Character,
    /// The first or the last character is neither a letter nor a digit.
    #[error("must start and end with a letter or digit")]
    Ends,
    /// A publisher's type begins with `gatepost.`.
    #[error("must not begin with `{RESERVED}`: only Gatepost itself publishes such events")]
    Reserved,
}

/// The type of an event, such as `invoice.paid`: 1 to 128 of `A-Z a-z 0-9 _ . : / -`, with a letter or digit at each
/// end. Case matters. None of these characters needs an escape in JSON.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventType(String);

impl EventType {
    /// The longest event type, in characters.
    pub const LENGTH_MAX: usize = 128;
    /// The strings that [`EventType::parse`] accepts, apart from their length.
    pub const PATTERN: &str = "^[A-Za-z0-9]([A-Za-z0-9_.:/-]*[A-Za-z0-9])?$";
    /// The strings that [`EventType::parse_published`] accepts, apart from their length.
    pub const PUBLISHED_PATTERN: &str = r"^(?!gatepost\.)[A-Za-z0-9]([A-Za-z0-9_.:/-]*[A-Za-z0-9])?$";

    /// Parses an event type.
    ///
    /// # Errors
    ///
    /// The rule that `text` breaks.
    pub fn parse(text: &str) -> Result<Self, InvalidEventType> {
        if !(1..=Self::LENGTH_MAX).contains(&text.chars().count()) {
            return Err(InvalidEventType::Length);
        }
        if !text.bytes().all(is_allowed) {
            return Err(InvalidEventType::Character);
        }
        let is_letter_or_digit = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
        if !is_letter_or_digit(text.bytes().next()) || !is_letter_or_digit(text.bytes().next_back()) {
            return Err(InvalidEventType::Ends);
        }
        Ok(Self(text.to_owned()))
    }

    /// `webhook.test`, the type of the events that test a subscription.
    pub(in crate::webhooks) fn of_tests() -> Self {
        Self("webhook.test".to_owned())
    }

    /// The type of the event that announces this action: `gatepost.` and the name of the action.
    pub fn announcing(action: AuditAction) -> Self {
        Self(format!("{RESERVED}{}", action.as_str()))
    }

    /// `gatepost.events.omitted`, the type of the event that tells the operator of events that are left out.
    pub(crate) fn of_omissions() -> Self {
        Self(format!("{RESERVED}events.omitted"))
    }

    /// Parses the type of an event that a publisher reports.
    ///
    /// # Errors
    ///
    /// The rule that `text` breaks: a rule of [`EventType::parse`], or that the type must not be reserved.
    pub fn parse_published(text: &str) -> Result<Self, InvalidEventType> {
        let parsed = Self::parse(text)?;
        if parsed.is_reserved() { Err(InvalidEventType::Reserved) } else { Ok(parsed) }
    }

    /// Whether only Gatepost publishes events of this type. The pattern `*` does not match it.
    pub fn is_reserved(&self) -> bool {
        self.0.starts_with(RESERVED)
    }

    /// The type as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EventType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Whether an event type, or a pattern before its `*`, may contain this byte.
pub(super) fn is_allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'/' | b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_alphabet_between_letters_and_digits() {
        let longest = "a".repeat(128);
        for text in ["a", "7", "invoice.paid", "Invoice.Paid", "a_b.c:d/e-f", "a..b", "v1/orders:shipped", &longest] {
            assert_eq!(EventType::parse(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn a_publisher_may_not_use_the_types_of_the_service() {
        for text in ["gatepost.key.created", "gatepost.x"] {
            assert_eq!(EventType::parse_published(text), Err(InvalidEventType::Reserved), "{text:?}");
            assert!(EventType::parse(text).unwrap().is_reserved());
        }
        for text in ["gatepost", "gatepost/x", "Gatepost.x", "my.gatepost.x"] {
            assert!(EventType::parse_published(text).is_ok(), "{text:?}");
        }
        assert_eq!(EventType::parse_published("gatepost."), Err(InvalidEventType::Ends));
    }

    #[test]
    fn refuses_by_the_rule_that_is_broken() {
        let too_long = "a".repeat(129);
        for (text, error) in [
            ("", InvalidEventType::Length),
            (&too_long, InvalidEventType::Length),
            ("a b", InvalidEventType::Character),
            (" a", InvalidEventType::Character),
            ("a\n", InvalidEventType::Character),
            ("a\"b", InvalidEventType::Character),
            ("a\\b", InvalidEventType::Character),
            ("invoice.*", InvalidEventType::Character),
            ("é", InvalidEventType::Character),
            (".a", InvalidEventType::Ends),
            ("a.", InvalidEventType::Ends),
            ("-", InvalidEventType::Ends),
            ("_a_", InvalidEventType::Ends),
        ] {
            assert_eq!(EventType::parse(text), Err(error), "{text:?}");
        }
    }
}
