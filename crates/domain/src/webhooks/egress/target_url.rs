use std::fmt;

use url::Url;

use super::egress_policy::{EgressPolicy, UrlRefused};

/// Why a string is not a valid [`TargetUrl`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTargetUrl {
    /// The string, or its normal form, has more than [`TargetUrl::LENGTH_MAX`] characters.
    #[error("must have at most {} characters", TargetUrl::LENGTH_MAX)]
    TooLong,
    /// The string is not a URL, or is a relative one.
    #[error("must be an absolute URL")]
    NotAbsolute,
    /// The egress policy refuses the URL.
    #[error(transparent)]
    Refused(#[from] UrlRefused),
}

/// The URL that a subscription's webhooks are sent to: absolute, without user info or fragment, and in the normal form
/// of the WHATWG URL standard. In that form, every spelling of an address is the same address. See decision 12.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct TargetUrl(Url);

impl TargetUrl {
    const PULL: &str = "pull:";

    /// The longest URL, in characters.
    pub const LENGTH_MAX: usize = 2_048;

    /// Parses a target without its fragment, and checks scheme, port and host against the policy.
    ///
    /// # Errors
    ///
    /// The rule that `text` breaks.
    pub fn parse(text: &str, policy: &EgressPolicy) -> Result<Self, InvalidTargetUrl> {
        if text.chars().nth(Self::LENGTH_MAX).is_some() {
            return Err(InvalidTargetUrl::TooLong);
        }
        let target = Self::from_stored(text).ok_or(InvalidTargetUrl::NotAbsolute)?;
        policy.judge_url(&target.0)?;
        // Percent encoding and punycode are longer than the characters that they encode.
        if target.as_str().len() > Self::LENGTH_MAX {
            return Err(InvalidTargetUrl::TooLong);
        }
        Ok(target)
    }

    /// The target from a string that [`TargetUrl::parse`] has returned before; `None` if it is not a URL. The policy is
    /// not checked here. It may have changed since, and the sender checks it at every attempt.
    pub fn from_stored(text: &str) -> Option<Self> {
        let mut url = Url::parse(text).ok()?;
        url.set_fragment(None);
        Some(Self(url))
    }

    /// The target of a subscription whose events are pulled: no URL that [`TargetUrl::parse`] accepts.
    ///
    /// # Panics
    ///
    /// Never: the text is a URL.
    pub fn pull() -> Self {
        Self::from_stored(Self::PULL).expect("the text is a URL")
    }

    /// Whether readers pull the events, so that the service sends no requests.
    pub fn is_pull(&self) -> bool {
        self.as_str() == Self::PULL
    }

    /// The URL in its normal form.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The scheme, the host and the port, which may be shown: receivers put secrets into paths and queries.
    pub fn shown_origin(&self) -> String {
        if self.is_pull() { Self::PULL.to_owned() } else { self.0.origin().ascii_serialization() }
    }

    /// The parsed URL.
    pub fn url(&self) -> &Url {
        &self.0
    }
}

impl fmt::Debug for TargetUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "TargetUrl({})", self.shown_origin())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::webhooks::{EgressPolicySettings, InvalidHostName};

    fn parse(text: &str) -> Result<String, InvalidTargetUrl> {
        let own_addresses = Arc::new(Vec::new());
        let settings = EgressPolicySettings { allow_http: false, allowed_networks: Vec::new(), own_addresses };
        TargetUrl::parse(text, &EgressPolicy::new(settings)).map(|target| target.as_str().to_owned())
    }

    #[test]
    fn keeps_the_normal_form_without_fragment() {
        for (given, kept) in [
            ("https://example.com", "https://example.com/"),
            ("HTTPS://EXAMPLE.com:443/Hook?x=1#part", "https://example.com/Hook?x=1"),
            ("https://example.com/#", "https://example.com/"),
            ("https://münchen.example/ü", "https://xn--mnchen-3ya.example/%C3%BC"),
            ("https://example.com./a", "https://example.com./a"),
            (" https://example.com/a\tb ", "https://example.com/ab"),
            ("https:example.com", "https://example.com/"),
            ("https://8.8.8.8:8443/", "https://8.8.8.8:8443/"),
            ("https://[2606:4700::1]/", "https://[2606:4700::1]/"),
            ("https://receiver/hook", "https://receiver/hook"),
        ] {
            assert_eq!(parse(given).as_deref(), Ok(kept), "{given}");
        }
    }

    #[test]
    fn refuses_by_the_rule_that_is_broken() {
        for (given, error) in [
            ("", InvalidTargetUrl::NotAbsolute),
            ("/hook", InvalidTargetUrl::NotAbsolute),
            ("//example.com/hook", InvalidTargetUrl::NotAbsolute),
            ("example.com/hook", InvalidTargetUrl::NotAbsolute),
            ("https://", InvalidTargetUrl::NotAbsolute),
            ("https://example.com:65536", InvalidTargetUrl::NotAbsolute),
            ("https://256.256.256.256/", InvalidTargetUrl::NotAbsolute),
            ("https://[fe80::1%25eth0]/", InvalidTargetUrl::NotAbsolute),
            ("https://exa mple.com/", InvalidTargetUrl::NotAbsolute),
            ("http://example.com/", UrlRefused::Scheme.into()),
            ("mailto:a@example.com", UrlRefused::Scheme.into()),
            ("example.com:443", UrlRefused::Scheme.into()),
            ("https://user@example.com/", UrlRefused::UserInfo.into()),
            ("https://:secret@example.com/", UrlRefused::UserInfo.into()),
            ("https://example.com:22/", UrlRefused::Port.into()),
            ("https://localhost/", UrlRefused::Localhost.into()),
            ("https://a..example/", UrlRefused::HostName(InvalidHostName).into()),
        ] {
            assert_eq!(parse(given), Err(error), "{given}");
        }
    }

    #[test]
    fn judges_every_spelling_of_an_address() {
        for host in [
            "127.0.0.1",
            "127.1",
            "127.0.1",
            "2130706433",
            "0x7f000001",
            "0x7f.1",
            "017700000001",
            "0177.0.0.01",
            "127.0.0.1.",
            "1%327.0.0.1",
            "１２７.０.０.１",
            "①②⑦.⓪.⓪.①",
            "127。0。0。1",
            "0",
            "0x0",
            "[::1]",
            "[::]",
            "[0:0:0:0:0:0:0:1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[::127.0.0.1]",
            "[64:ff9b::127.0.0.1]",
            "169.254.169.254",
            "0xa9fea9fe",
            "[fe80::1]",
        ] {
            let verdict = parse(&format!("https://{host}/"));
            assert!(matches!(verdict, Err(InvalidTargetUrl::Refused(UrlRefused::Address(_)))), "{host}: {verdict:?}");
        }
    }

    #[test]
    fn counts_characters_as_given_and_as_kept() {
        let fits = format!("https://example.com/{}", "a".repeat(2_028));
        assert_eq!(fits.len(), 2_048);
        assert_eq!(parse(&fits).as_deref(), Ok(fits.as_str()));
        assert_eq!(parse(&format!("{fits}a")), Err(InvalidTargetUrl::TooLong));
        let grows = format!("https://example.com/{}", "é".repeat(500));
        assert_eq!(parse(&grows), Err(InvalidTargetUrl::TooLong));
        let mostly_fragment = format!("https://example.com/#{}", "a".repeat(2_100));
        assert_eq!(parse(&mostly_fragment), Err(InvalidTargetUrl::TooLong));
    }

    #[test]
    fn reads_back_what_it_kept() {
        let kept = parse("https://münchen.example/ü?a=é").unwrap();
        assert_eq!(TargetUrl::from_stored(&kept).unwrap().as_str(), kept);
        assert!(TargetUrl::from_stored("nothing").is_none());
    }

    #[test]
    fn debug_shows_the_origin_alone() {
        let target = TargetUrl::from_stored("https://example.com:8443/T0KEN?k=S3CRET").unwrap();
        assert_eq!(format!("{target:?}"), "TargetUrl(https://example.com:8443)");
    }
}
