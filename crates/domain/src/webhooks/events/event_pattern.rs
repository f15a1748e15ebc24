use std::fmt;

use super::event_type::{EventType, InvalidEventType, is_allowed};

/// The characters that end a level of an event type. One of them may be before the `*` of a pattern.
const SEPARATORS: [char; 3] = ['.', ':', '/'];

/// Why a string is not a valid [`EventPattern`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidEventPattern {
    /// The pattern has no `*`, and is not a valid event type.
    #[error(transparent)]
    EventType(#[from] InvalidEventType),
    /// The `*` is neither the whole pattern nor at its end after a `.`, `:` or `/`.
    #[error("a pattern must be `*`, or the start of an event type up to a `.`, `:` or `/` and then `*`")]
    Wildcard,
}

/// The event types that a subscription receives: one type, all types below a level (`invoice.*`), or all types (`*`)
/// except the [reserved](EventType::is_reserved) ones.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventPattern(String);

impl EventPattern {
    /// The strings that [`EventPattern::parse`] accepts, apart from their length.
    pub const PATTERN: &str = r"^(\*|[A-Za-z0-9]([A-Za-z0-9_.:/-]*([A-Za-z0-9]|[.:/]\*))?)$";

    /// Parses a pattern. With its `*`, it is not longer than an event type.
    ///
    /// # Errors
    ///
    /// The rule that `text` breaks.
    pub fn parse(text: &str) -> Result<Self, InvalidEventPattern> {
        if !text.contains('*') {
            EventType::parse(text)?;
            return Ok(Self(text.to_owned()));
        }
        if text.chars().nth(EventType::LENGTH_MAX).is_some() {
            return Err(InvalidEventType::Length.into());
        }
        let start = text.strip_suffix('*').ok_or(InvalidEventPattern::Wildcard)?;
        let is_level = start.ends_with(SEPARATORS)
            && start.starts_with(|first: char| first.is_ascii_alphanumeric())
            && start.bytes().all(is_allowed);
        let is_pattern = start.is_empty() || is_level;
        is_pattern.then(|| Self(text.to_owned())).ok_or(InvalidEventPattern::Wildcard)
    }

    /// Whether the pattern matches this type. `invoice.*` matches `invoice.paid` and `invoice.line.added`, but not
    /// `invoice`.
    pub fn matches(&self, event_type: &EventType) -> bool {
        match self.0.strip_suffix('*') {
            Some("") => !event_type.is_reserved(),
            Some(start) => event_type.as_str().starts_with(start),
            None => event_type.as_str() == self.0,
        }
    }

    /// Every pattern that matches this type: `*` unless the type is reserved, one pattern for each separator in the type,
    /// and the type itself. With them, a store finds subscriptions by equality.
    pub fn all_matching(event_type: &EventType) -> impl Iterator<Item = Self> {
        let text = event_type.as_str();
        let below = text.match_indices(SEPARATORS).map(|(index, _)| format!("{}*", &text[..=index]));
        let all = (!event_type.is_reserved()).then(|| "*".to_owned());
        all.into_iter().chain(below).chain([text.to_owned()]).map(Self)
    }

    /// The pattern as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EventPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn matching_goes_by_whole_levels() {
        for (pattern, event_type, matches) in [
            ("*", "invoice.paid", true),
            ("*", "a", true),
            ("invoice.*", "invoice.paid", true),
            ("invoice.*", "invoice.line.added", true),
            ("invoice.*", "invoice", false),
            ("invoice.*", "invoices.paid", false),
            ("invoice.*", "Invoice.paid", false),
            ("invoice.line.*", "invoice.paid", false),
            ("invoice.paid", "invoice.paid", true),
            ("invoice.paid", "invoice.paid.late", false),
            ("invoice", "invoice.paid", false),
            ("v1/orders:*", "v1/orders:shipped", true),
            ("v1/*", "v1/orders:shipped", true),
            ("v1/*", "v1:orders", false),
            ("*", "gatepost.key.created", false),
            ("gatepost.*", "gatepost.key.created", true),
            ("gatepost.key.*", "gatepost.key.created", true),
            ("gatepost.key.created", "gatepost.key.created", true),
        ] {
            let parsed = EventPattern::parse(pattern).unwrap();
            assert_eq!(parsed.matches(&EventType::parse(event_type).unwrap()), matches, "{pattern} {event_type}");
        }
    }

    #[test]
    fn refuses_what_is_neither_type_nor_pattern() {
        let wildcard = InvalidEventPattern::Wildcard;
        let too_long = format!("{}.*", "a".repeat(127));
        for (text, error) in [
            ("", InvalidEventType::Length.into()),
            ("invoice.", InvalidEventType::Ends.into()),
            ("in voice", InvalidEventType::Character.into()),
            (too_long.as_str(), InvalidEventType::Length.into()),
            ("invoice*", wildcard),
            ("invoice-*", wildcard),
            ("*.paid", wildcard),
            ("invoice.*.paid", wildcard),
            ("**", wildcard),
            (".*", wildcard),
            ("in voice.*", wildcard),
            ("* ", wildcard),
        ] {
            assert_eq!(EventPattern::parse(text), Err(error), "{text:?}");
        }
        assert!(EventPattern::parse(&format!("{}.*", "a".repeat(126))).is_ok());
    }

    proptest! {
        #[test]
        fn a_store_may_match_by_equality(
            event_type in "(gatepost\\.)?[ab]([ab.:/_-]{0,6}[ab])?",
            pattern in "\\*|gatepost\\.\\*|[ab][ab.:/_-]{0,5}[.:/]\\*|[ab]([ab.:/_-]{0,6}[ab])?",
        ) {
            let event_type = EventType::parse(&event_type).unwrap();
            let pattern = EventPattern::parse(&pattern).unwrap();
            let listed = EventPattern::all_matching(&event_type).any(|one| one == pattern);
            prop_assert_eq!(pattern.matches(&event_type), listed);
        }
    }
}
