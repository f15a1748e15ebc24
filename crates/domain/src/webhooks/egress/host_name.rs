use std::fmt;

/// The string is not a valid host name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a host name of letters, digits, hyphens, underscores and dots")]
pub struct InvalidHostName;

/// A host name in lower case and ASCII (punycode), without the final dot of an absolute name.
///
/// The grammar is that of RFC 1123, and underscores are allowed because real names have them: labels of 1 to 63
/// characters, 253 characters in total. A name of one label is allowed too: the addresses that it resolves to decide.
/// Resolvers append no search domain to it, because they receive [`HostName::absolute`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HostName(String);

impl HostName {
    /// The longest name, in characters (RFC 1035).
    pub const LENGTH_MAX: usize = 253;
    /// The longest label, in characters (RFC 1035).
    pub const LABEL_LENGTH_MAX: usize = 63;

    /// Parses a host name with or without one final dot.
    ///
    /// # Errors
    ///
    /// If `text` breaks the grammar.
    pub fn parse(text: &str) -> Result<Self, InvalidHostName> {
        let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
        let is_name = name.len() <= Self::LENGTH_MAX && name.split('.').all(is_label);
        is_name.then_some(Self(name)).ok_or(InvalidHostName)
    }

    /// The name without a final dot, as certificates and logs show it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name with its final dot, so that no resolver appends a search domain.
    pub fn absolute(&self) -> String {
        format!("{}.", self.0)
    }

    /// Whether the name is `localhost` or in its zone. Such names always stand for this machine (RFC 6761).
    pub fn is_localhost(&self) -> bool {
        self.0 == "localhost" || self.0.ends_with(".localhost")
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

fn is_label(label: &str) -> bool {
    (1..=HostName::LABEL_LENGTH_MAX).contains(&label.len())
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_names_with_and_without_the_final_dot() {
        for (text, name) in [
            ("example.com", "example.com"),
            ("Example.COM.", "example.com"),
            ("receiver", "receiver"),
            ("_dmarc.example.com", "_dmarc.example.com"),
            ("xn--mnchen-3ya.example", "xn--mnchen-3ya.example"),
            ("a--b-.example", "a--b-.example"),
        ] {
            let parsed = HostName::parse(text).unwrap();
            assert_eq!(parsed.as_str(), name);
            assert_eq!(parsed.absolute(), format!("{name}."));
        }
    }

    #[test]
    fn refuses_what_is_no_name() {
        // The last two are a label and a name that are too long.
        let (label, name) = ("a".repeat(64), "a.".repeat(127) + "b");
        for text in ["", ".", "..", "a..b", ".a", "a..", "a b", "a!b", "a`b", "a{b", "é", "a\0b", "a:1", &label, &name]
        {
            assert_eq!(HostName::parse(text), Err(InvalidHostName), "{text:?}");
        }
        assert!(HostName::parse(&"a".repeat(63)).is_ok());
        assert!(HostName::parse(&("a.".repeat(126) + "b")).is_ok());
    }

    #[test]
    fn knows_this_machine_by_name() {
        for (name, is_localhost) in [
            ("localhost", true),
            ("LOCALHOST.", true),
            ("a.localhost", true),
            ("a.b.localhost.", true),
            ("localhost.example.com", false),
            ("notlocalhost", false),
            ("localhosts", false),
        ] {
            assert_eq!(HostName::parse(name).unwrap().is_localhost(), is_localhost, "{name}");
        }
    }
}
