use url::Url;

/// Any origin serves to parse a path.
const ORIGIN: &str = "https://gatepost.invalid";

/// The page of the console that a browser shows after it has signed in.
///
/// A link of anybody can put it into the address bar, so it must not lead to another site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturnPath(String);

impl ReturnPath {
    /// The start of each path.
    pub const START: &str = "/console/";
    /// The longest path with its query, in bytes. A longer one would not fit into the cookie of a sign-in.
    pub const LENGTH_MAX: usize = 1_024;

    /// The path, if it leads to a page of the console and cannot be read in another way: no part of it is another path
    /// to a browser, or to a proxy that decodes it.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > Self::LENGTH_MAX || !text.starts_with(Self::START) {
            return None;
        }
        let url = Url::parse(&format!("{ORIGIN}{text}")).ok()?;
        // The parser follows `..`, turns `\` into `/`, and drops tabs and line breaks.
        let is_plain = url.as_str().strip_prefix(ORIGIN) == Some(text) && url.fragment().is_none();
        let path = url.path().to_ascii_lowercase();
        let is_hidden = ["//", "%2f", "%5c", "%0", "%1", "%7f"].iter().any(|part| path.contains(part));
        (is_plain && !is_hidden).then(|| Self(text.to_owned()))
    }

    /// The path and its query.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The home page of the console.
impl Default for ReturnPath {
    fn default() -> Self {
        Self(Self::START.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_to_the_console_alone() {
        for good in [
            "/console/",
            "/console/keys",
            "/console/deliveries?state=failed&since=2026-11-21T00:00:00Z&url=https%3A%2F%2Fa.example",
            "/console/operator/users/auth0%7Calice",
        ] {
            assert_eq!(ReturnPath::parse(good).map(|path| path.0), Some(good.to_owned()));
        }
        for wrong in [
            "",
            "/",
            "/console",
            "/consoles/",
            "/api/session",
            "console/",
            "//evil.example",
            "//evil.example/console/",
            "///evil.example",
            r"/\evil.example",
            r"\\evil.example",
            "https://evil.example/console/",
            "https:evil.example",
            "javascript:alert(1)",
            "data:text/html,x",
            "%2F%2Fevil.example",
            "%2Fconsole/",
            "/console//evil.example",
            "/console/..//evil.example",
            "/console/../api/session",
            "/console/./keys",
            "/console/%2e%2e/api",
            "/console/.%2E/api",
            "/console/%2F%2Fevil.example",
            "/console/%5Cevil.example",
            "/console/%5cevil.example",
            r"/console/\evil.example",
            "/console/\r\nset-cookie: a=b",
            "/console/%0d%0aset-cookie:%20a=b",
            "/console/%00",
            "/console/\t",
            " /console/",
            "/console/ ",
            "/console/keys#fragment",
            "/console/<script>",
            "/console/\"onload=\"",
            "/console/é",
        ] {
            assert_eq!(ReturnPath::parse(wrong), None, "{wrong:?}");
        }
        let longest = format!("/console/{}", "a".repeat(ReturnPath::LENGTH_MAX - 9));
        assert!(ReturnPath::parse(&longest).is_some());
        assert!(ReturnPath::parse(&format!("{longest}a")).is_none());
        assert_eq!(ReturnPath::parse(ReturnPath::default().as_str()), Some(ReturnPath::default()));
    }
}
