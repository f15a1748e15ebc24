/// The kept headers of a receiver's answer: whole headers in their order, up to [`AnswerHeaders::BYTES_MAX`]. See
/// decision 91.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerHeaders(String);

impl AnswerHeaders {
    /// How many bytes of an answer's headers are kept.
    pub const BYTES_MAX: usize = 2 * 1024;
    /// Sets a credential of the receiver, which readers of the log of deliveries must not see.
    const SECRET: &str = "set-cookie";

    /// Keeps these headers. Bytes of a value that are not UTF-8 are replaced by U+FFFD.
    pub fn keep<'a>(headers: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        let mut kept = String::new();
        for (name, value) in headers.into_iter().filter(|(name, _)| *name != Self::SECRET) {
            let line = format!("{name}: {}\n", String::from_utf8_lossy(value));
            if kept.len() + line.len() <= Self::BYTES_MAX {
                kept.push_str(&line);
            }
        }
        Self(kept)
    }

    /// The headers that [`AnswerHeaders::as_str`] wrote. A line that is not a header is not shown.
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// One line for each header: `name: value`, and a line feed.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Name and value of each header. A name in lower case may come more than once.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.lines().filter_map(|line| line.split_once(": "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_fits_and_no_cookies() {
        let long = [b'x'; AnswerHeaders::BYTES_MAX];
        let longest = &long[..AnswerHeaders::BYTES_MAX - "a: b\nc: caf\u{FFFD}\nd: \nlong: \n".len()];
        let headers: [(&str, &[u8]); 7] = [
            ("a", b"b"),
            ("set-cookie", b"session=secret"),
            ("c", b"caf\xe9"),
            ("d", b""),
            ("longer", &long),
            ("long", longest),
            ("last", b"no room"),
        ];
        let kept = AnswerHeaders::keep(headers);
        assert_eq!(kept.as_str().len(), AnswerHeaders::BYTES_MAX);
        let seen: Vec<_> = kept.iter().map(|(name, value)| (name, value.len())).collect();
        assert_eq!(seen, [("a", 1), ("c", 6), ("d", 0), ("long", longest.len())]);
        assert_eq!(AnswerHeaders::from_stored(kept.as_str().to_owned()), kept);
    }

    #[test]
    fn a_value_may_contain_what_separates_it() {
        let kept = AnswerHeaders::keep([("location", b"https://example.com: 80".as_slice())]);
        assert_eq!(kept.iter().collect::<Vec<_>>(), [("location", "https://example.com: 80")]);
        assert!(AnswerHeaders::default().is_empty() && AnswerHeaders::default().iter().next().is_none());
    }
}
