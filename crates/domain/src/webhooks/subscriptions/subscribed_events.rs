use crate::webhooks::{EventPattern, EventType, InvalidEventPattern};

/// Why a list of names is not valid [`SubscribedEvents`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSubscribedEvents {
    /// There are no names, or more than [`SubscribedEvents::COUNT_MAX`] different ones.
    #[error("must hold 1 to {} names", SubscribedEvents::COUNT_MAX)]
    Count,
    /// A name is neither an event type nor a pattern.
    #[error("name {index}")]
    Name {
        /// The index of the name, from 0.
        index: usize,
        /// Why it is not valid.
        source: InvalidEventPattern,
    },
}

/// The event types that a subscription receives: 1 to 100 different patterns, in the order of its owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscribedEvents(Vec<EventPattern>);

impl SubscribedEvents {
    /// The most patterns.
    pub const COUNT_MAX: usize = 100;

    /// The lists of names with commas between them that [`SubscribedEvents::parse`] accepts, apart from the length of a name.
    pub fn pattern_of_lists() -> String {
        let one = EventPattern::PATTERN.trim_start_matches('^').trim_end_matches('$');
        format!("^{one}(,{one}){{0,{}}}$", Self::COUNT_MAX - 1)
    }

    /// Parses names. Repeated names count once.
    ///
    /// # Errors
    ///
    /// The first name that is not valid, or that there are none or too many.
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, InvalidSubscribedEvents> {
        let mut patterns = Vec::new();
        for (index, name) in names.into_iter().enumerate() {
            let pattern =
                EventPattern::parse(name).map_err(|source| InvalidSubscribedEvents::Name { index, source })?;
            if patterns.contains(&pattern) {
                continue;
            }
            if patterns.len() == Self::COUNT_MAX {
                return Err(InvalidSubscribedEvents::Count);
            }
            patterns.push(pattern);
        }
        if patterns.is_empty() { Err(InvalidSubscribedEvents::Count) } else { Ok(Self(patterns)) }
    }

    /// Whether one of the patterns matches this type.
    pub fn matches(&self, event_type: &EventType) -> bool {
        self.0.iter().any(|pattern| pattern.matches(event_type))
    }

    /// The patterns, as strings.
    pub fn names(&self) -> Vec<&str> {
        self.0.iter().map(EventPattern::as_str).collect()
    }

    /// The patterns.
    pub fn patterns(&self) -> &[EventPattern] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhooks::InvalidEventType;

    #[test]
    fn drops_duplicates_and_keeps_the_order() {
        let events = SubscribedEvents::parse(["b", "a.*", "b", "a", "a.*"]).unwrap();
        assert_eq!(events.names(), ["b", "a.*", "a"]);
    }

    #[test]
    fn matches_when_any_pattern_does() {
        let events = SubscribedEvents::parse(["order.created", "invoice.*"]).unwrap();
        let matches = |text| events.matches(&EventType::parse(text).unwrap());
        assert_eq!([matches("order.created"), matches("invoice.paid"), matches("order.paid")], [true, true, false]);
    }

    #[test]
    fn counts_different_names_from_1_to_100() {
        let names: Vec<String> = (0..100).map(|number| format!("event.{number}")).collect();
        let with = |more: &[&'static str]| {
            SubscribedEvents::parse(names.iter().map(String::as_str).chain(more.iter().copied()))
        };
        assert_eq!(SubscribedEvents::parse([]), Err(InvalidSubscribedEvents::Count));
        assert_eq!(with(&[]).unwrap().patterns().len(), 100);
        assert_eq!(with(&["event.0"]).unwrap().patterns().len(), 100);
        assert_eq!(with(&["event.100"]), Err(InvalidSubscribedEvents::Count));
    }

    #[test]
    fn names_the_wrong_one() {
        let source = InvalidEventPattern::EventType(InvalidEventType::Character);
        let refused = SubscribedEvents::parse(["a", "b c"]);
        assert_eq!(refused, Err(InvalidSubscribedEvents::Name { index: 1, source }));
    }
}
