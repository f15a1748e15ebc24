use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use url::{Host, Url};

/// The address at which browsers and clients find this service: an `http` or `https` URL without a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebAddress(String);

impl WebAddress {
    /// The addresses that [`WebAddress::parse`] accepts.
    pub const ALLOWED: &str = "an http or https URL without user, query and fragment";

    /// Parses an address.
    pub fn parse(text: &str) -> Option<Self> {
        plain_web_url(text).map(|url| Self(url.as_str().trim_end_matches('/').to_owned()))
    }

    /// The address at which clients on this machine find a listener.
    pub fn of_listener(scheme: &str, address: SocketAddr) -> Self {
        Self(format!("{scheme}://{}", Self::socket_of_listener(address)))
    }

    /// The same as the address of a socket.
    pub fn socket_of_listener(address: SocketAddr) -> SocketAddr {
        let ip = match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
            ip => ip,
        };
        SocketAddr::new(ip, address.port())
    }

    /// Whether the host is always this machine.
    pub(crate) fn is_on_loopback(&self) -> bool {
        match Url::parse(&self.0).ok().as_ref().and_then(Url::host) {
            Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
    }

    /// The address as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for WebAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

fn plain_web_url(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let web = matches!(url.scheme(), "http" | "https") && url.has_host();
    let plain =
        url.username().is_empty() && url.password().is_none() && url.query().is_none() && url.fragment().is_none();
    (web && plain).then_some(url)
}
