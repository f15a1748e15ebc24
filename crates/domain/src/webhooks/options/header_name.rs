use std::fmt;

/// The names that no subscription sets; a `*` at the end stands for any rest. Underscores count as hyphens, because some
/// receivers make both the same.
///
/// The service sets some of them itself. Others frame the request, choose a part of the answer, or tell the receiver from
/// whom the request comes and what it asks for. With the last ones, metadata services of clouds give away their secrets.
/// A cookie stands for a person in a browser, which the service is not.
const REFUSED: [&str; 40] = [
    "accept-encoding",
    "authorization",
    "cf-connecting-ip",
    "client-ip",
    "connection",
    "content-*",
    "cookie",
    "expect",
    "forwarded",
    "host",
    "http2-settings",
    "keep-alive",
    "metadata",
    "metadata-flavor",
    "metadata-token",
    "proxy-*",
    "range",
    "te",
    "traceparent",
    "tracestate",
    "trailer",
    "transfer-encoding",
    "true-client-ip",
    "upgrade",
    "user-agent",
    "via",
    "webhook-*",
    "x-aliyun-ecs-metadata-token",
    "x-aws-ec2-*",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-forwarded*",
    "x-host",
    "x-http-method*",
    "x-identity-header",
    "x-metadata-token",
    "x-method-override",
    "x-original-*",
    "x-real-ip",
    "x-rewrite-url",
];

/// Why a string is not a valid [`HeaderName`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidHeaderName {
    /// The string is empty, has more than [`HeaderName::LENGTH_MAX`] characters, or others than a header name may have.
    #[error("must have names of 1 to {} letters, digits and !#$%&'*+.^_`|~-", HeaderName::LENGTH_MAX)]
    Characters,
    /// The header has the credentials of the receiver.
    #[error("must not have the name authorization: use auth")]
    Authorization,
    /// The service does not let subscriptions set this header.
    #[error("must not have the name {0}")]
    Refused(&'static str),
}

/// The name of a header that a subscription sets, in lower case. HTTP does not distinguish the cases.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HeaderName(String);

impl HeaderName {
    /// The longest name, in characters.
    pub const LENGTH_MAX: usize = 64;
    /// The names that [`HeaderName::parse`] accepts, apart from those that it refuses.
    pub const PATTERN: &str = "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$";
    const AUTHORIZATION: &str = "authorization";

    /// Parses the name of a header that may have any value.
    ///
    /// # Errors
    ///
    /// The rule that `text` breaks.
    pub fn parse(text: &str) -> Result<Self, InvalidHeaderName> {
        let name = Self::from_stored(text).ok_or(InvalidHeaderName::Characters)?;
        match name.refused() {
            Some(Self::AUTHORIZATION) => Err(InvalidHeaderName::Authorization),
            Some(entry) => Err(InvalidHeaderName::Refused(entry)),
            None => Ok(name),
        }
    }

    /// Parses the name of a header that has a credential: [`HeaderName::parse`] refuses `authorization`, this does not.
    ///
    /// # Errors
    ///
    /// The rule that `text` breaks.
    pub fn parse_of_credential(text: &str) -> Result<Self, InvalidHeaderName> {
        match Self::parse(text) {
            Err(InvalidHeaderName::Authorization) => Ok(Self::authorization()),
            parsed => parsed,
        }
    }

    /// The name from a string that was accepted before; `None` if it is none. More names may be refused since.
    pub fn from_stored(text: &str) -> Option<Self> {
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        let is_name = (1..=Self::LENGTH_MAX).contains(&text.len()) && text.bytes().all(is_token);
        is_name.then(|| Self(text.to_ascii_lowercase()))
    }

    /// The name `authorization`.
    pub(super) fn authorization() -> Self {
        Self(Self::AUTHORIZATION.to_owned())
    }

    /// The name in lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a receiver may take one name for the other: some read `_` as `-`.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        self.with_hyphens() == other.with_hyphens()
    }

    fn with_hyphens(&self) -> String {
        self.0.replace('_', "-")
    }

    /// The entry of [`REFUSED`] that refuses the name.
    fn refused(&self) -> Option<&'static str> {
        let name = self.with_hyphens();
        let refuses = |entry: &&str| match entry.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == *entry,
        };
        REFUSED.into_iter().find(refuses)
    }
}

impl fmt::Display for HeaderName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_tokens_in_lower_case() {
        for (given, kept) in
            [("X-Tenant", "x-tenant"), ("x_api.key~1", "x_api.key~1"), ("!#$%&'*+.^_`|~-", "!#$%&'*+.^_`|~-")]
        {
            assert_eq!(HeaderName::parse(given).unwrap().as_str(), kept);
        }
        assert!(HeaderName::parse(&"a".repeat(64)).is_ok());
        for wrong in ["", "a b", "a:", "ä", "a\n", "a\u{202e}", "(a)", &"a".repeat(65)] {
            assert_eq!(HeaderName::parse(wrong), Err(InvalidHeaderName::Characters), "{wrong:?}");
        }
    }

    #[test]
    fn refuses_every_entry_in_any_spelling() {
        for entry in REFUSED {
            for rest in ["", "x", "-x"].into_iter().take(if entry.ends_with('*') { 3 } else { 1 }) {
                let name = entry.replace('*', rest);
                for spelling in [name.clone(), name.to_uppercase(), name.replace('-', "_")] {
                    let refused = HeaderName::parse(&spelling);
                    let expected = match entry {
                        "authorization" => InvalidHeaderName::Authorization,
                        _ => InvalidHeaderName::Refused(entry),
                    };
                    assert_eq!(refused, Err(expected), "{spelling}");
                }
            }
        }
        for allowed in ["contents", "hosts", "x-api-key", "x-hosted-by", "x-original", "metadata-x", "accept"] {
            assert!(HeaderName::parse(allowed).is_ok(), "{allowed}");
        }
    }

    #[test]
    fn a_credential_may_be_in_authorization() {
        let name = HeaderName::parse_of_credential("Authorization");
        assert_eq!(name.map(|name| name.to_string()).as_deref(), Ok("authorization"));
        assert_eq!(HeaderName::parse_of_credential("cookie"), Err(InvalidHeaderName::Refused("cookie")));
    }
}
