//! Turns of phrase that this repository does not use, with the plain form of each.

use regex_lite::Regex;

/// Turns that a reader has to read twice: a pattern, the contexts in which it is good English, and the plain form. A
/// blank in a pattern matches any white space, so a phrase is found across the end of a line.
const TURNS: &[(&str, &str, &str)] = &[
    (
        r"\b(there )?(is|are|was|were) no \w+",
        r"^there|no (longer|more|less|later|fewer|larger|older|need|way)$",
        "is not",
    ),
    (r"\bof (ours|its own|their own|his own|your own)\b", "", "its own X, or leave the words out"),
    (r"\b(stands?|stood) (so|in|at|there|beside)\b", "", "is"),
    (r"\b(is|are|was|were|be|been) told( \w+)?", r"told apart$", "receives, is notified"),
    (r"\btells? (of|whether|that|how|what)\b", "", "says, reports, shows"),
    (r"\bwhat(ever)? (has |had |would )?(came|comes?|became|becomes?) of\b", "", "the result of"),
    (r"\b(cannot|can|could|to|must) be had\b", "", "is (not) available"),
    (r"\bwho(so)?m?ever\b", "", "the caller that, anyone who"),
    (r"\bfor ever\b", "", "forever, without end"),
    (r"\bin vain\b", "", "without success"),
    (r"\bperhaps\b", "", "may"),
    (r"\banew\b", "", "again"),
    (r"\bfares?\b", "", "its state, its health"),
    (r"\bas (it|they) (is|are|was|were) then\b", "", "the state at that time"),
    (r"\bin the place of\b", "", "instead of"),
    (r"\bat (the|a|its|each) stop\b", "", "on shutdown"),
    (r"\ba text( \w+)?", r"text (file|editor|field|format|message|column|value|type|line|frame)s?$", "a string"),
    (r"\bfaults? of (ours|its|theirs)\b", "", "an error in the service"),
    (r"\bwants\b", "", "needs, requires"),
    (r"\b(is|are|was|were|be|been) asked\b", "", "the caller calls, requests"),
    (r"\blooked at\b", "", "is checked, is read"),
    (r"\bkn(ows?|ew|own) of\b", "", "has, sees, records"),
    (r"\bbef(a|e)ll?(s|en)?\b", "", "happens to"),
    (r"\bsays (no|yes)\b", "", "fails, succeeds"),
    (r"\b(lest|thereof|upon|whence)\b", "", "so that … not, of it, on, from which"),
];

/// A turn to look for.
pub(super) struct Turn {
    pattern: Regex,
    unless: Option<Regex>,
    /// The plain form.
    pub(super) plain: &'static str,
}

impl Turn {
    /// All turns.
    ///
    /// # Errors
    ///
    /// When a pattern is not a regular expression.
    pub(super) fn all() -> anyhow::Result<Vec<Self>> {
        TURNS.iter().map(|(pattern, unless, plain)| Self::new(pattern, unless, plain)).collect()
    }

    fn new(pattern: &str, unless: &str, plain: &'static str) -> anyhow::Result<Self> {
        let pattern = Regex::new(&pattern.replace(' ', r"\s+"))?;
        let unless = if unless.is_empty() { None } else { Some(Regex::new(unless)?) };
        Ok(Self { pattern, unless, plain })
    }

    /// Where the turn is in a text of lower case, as byte offsets, with its words.
    pub(super) fn find_in<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
        let hits = self.pattern.find_iter(text).map(|hit| (hit.start(), hit.as_str()));
        hits.filter(|(_, words)| self.unless.as_ref().is_none_or(|unless| !unless.is_match(words)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns_in(text: &str) -> usize {
        let text = text.to_ascii_lowercase();
        Turn::all().unwrap().iter().map(|turn| turn.find_in(&text).count()).sum()
    }

    #[test]
    fn each_turn_is_found_and_plain_english_is_not() {
        for bad in [
            "LISTEN is no setting",
            "an adapter of its own",
            "deliveries that stand so",
            "the feed is told first",
            "it tells whether a key is good",
            "reports what came of it",
            "where none can be had",
            "whoever holds a key",
            "asked again for ever",
            "a claim in\n vain",
            "Perhaps later",
            "drawn anew",
            "how it fares",
            "the key as it is then",
            "in the place of the old key",
            "lost at the stop",
            "why a text is refused",
            "a fault of ours",
            "the events that it wants",
            "no database is asked",
            "rows that are looked at",
            "it knows of the change",
            "what befell them",
            "/readyz says no",
            "brings none upon you",
        ] {
            assert_eq!(turns_in(bad).min(1), 1, "{bad}");
        }
        for good in [
            "there is no key",
            "the key is no longer valid",
            "two keys are told apart",
            "reads a text file",
            "the text of an error",
            "nothing else knows the time",
            "no store is told apart",
            "runs forever",
            "in place of",
            "a stop signal",
        ] {
            assert_eq!(turns_in(good), 0, "{good}");
        }
    }
}
