use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use url::Url;

/// The address at which browsers and clients find this service: `http` or `https`, without a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WebAddress(String);

impl WebAddress {
    /// What [`WebAddress::parse`] takes.
    pub(crate) const ALLOWED: &str = "an http or https URL without user, query and fragment";

    /// Reads an address.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        plain_web_url(text).map(|url| Self(url.as_str().trim_end_matches('/').to_owned()))
    }

    /// Where somebody on this machine finds what listens on `address`.
    pub(crate) fn of_listener(address: SocketAddr) -> Self {
        let ip = match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
            ip => ip,
        };
        Self(format!("http://{}", SocketAddr::new(ip, address.port())))
    }

    /// The address as text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for WebAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// What an origin of a browser's page must look like.
pub(crate) const ORIGIN_ALLOWED: &str = "origins such as https://app.example.com, separated by commas: scheme, host \
                                         and port alone, no * and no slash at the end";

/// Whether `text` is the origin of a page, written as browsers send it.
pub(crate) fn is_web_origin(text: &str) -> bool {
    plain_web_url(text).is_some_and(|url| url.origin().ascii_serialization() == text)
}

fn plain_web_url(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let web = matches!(url.scheme(), "http" | "https") && url.has_host();
    let plain =
        url.username().is_empty() && url.password().is_none() && url.query().is_none() && url.fragment().is_none();
    (web && plain).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_listener() {
        for (listen, address) in [
            ("127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("0.0.0.0:80", "http://127.0.0.1:80"),
            ("[::]:8080", "http://[::1]:8080"),
            ("10.0.0.5:1", "http://10.0.0.5:1"),
        ] {
            assert_eq!(WebAddress::of_listener(listen.parse().unwrap()).as_str(), address);
        }
    }

    #[test]
    fn origins_are_exact() {
        for (text, good) in [
            ("https://app.example.com", true),
            ("http://localhost:3000", true),
            ("https://app.example.com/", false),
            ("https://app.example.com:443", false),
            ("https://APP.example.com", false),
            ("*", false),
            ("null", false),
            ("ftp://example.com", false),
        ] {
            assert_eq!(is_web_origin(text), good, "{text}");
        }
    }
}
