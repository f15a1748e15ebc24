/// The name that a browser gives itself in the header `User-Agent`. Lists of sessions show it, so that users recognise
/// their browsers. It may be false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserAgent(String);

impl UserAgent {
    /// The longest text, in characters. The rest is cut off.
    pub const LENGTH_MAX: usize = 256;

    /// Keeps the visible characters of `text` and the spaces between them, at most [`Self::LENGTH_MAX`]. `None` if no
    /// character is left.
    pub fn new(text: &str) -> Option<Self> {
        let shown: String = text.trim().chars().filter(|character| !character.is_control()).collect();
        let cut: String = shown.chars().take(Self::LENGTH_MAX).collect();
        let text = cut.trim().to_owned();
        (!text.is_empty()).then_some(Self(text))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_cut_and_has_no_control_characters() {
        let shown = |text: &str| UserAgent::new(text).map(|agent| agent.0);
        assert_eq!(shown(" Mozilla/5.0 (X11) \n").as_deref(), Some("Mozilla/5.0 (X11)"));
        assert_eq!(shown("a\u{1b}[31m\0b").as_deref(), Some("a[31mb"));
        assert_eq!(shown(&"é".repeat(300)).map(|text| text.chars().count()), Some(256));
        let cut_at_a_space = format!("{} b", "a".repeat(255));
        assert_eq!(shown(&cut_at_a_space).map(|text| text.len()), Some(255));
        for nothing in ["", " ", "\0", "\u{85} "] {
            assert_eq!(shown(nothing), None, "{nothing:?}");
        }
        let once = UserAgent::new(&cut_at_a_space).unwrap();
        assert_eq!(UserAgent::new(once.as_str()), Some(once), "what is stored comes back");
    }
}
