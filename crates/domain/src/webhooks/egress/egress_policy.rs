use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use ipnet::IpNet;
use url::{Host, Url};

use super::address_ranges::{GLOBAL_IPV6, NAT64, REFUSED_IPV4, REFUSED_IPV6};
use super::host_name::{HostName, InvalidHostName};

/// The settings of the egress policy, and the addresses of the machine.
#[derive(Clone)]
pub struct EgressPolicySettings {
    /// Whether targets without TLS are allowed.
    pub allow_http: bool,
    /// Networks that are allowed even if they are private or otherwise refused.
    pub allowed_networks: Vec<IpNet>,
    /// The addresses of this machine. They are refused unless they are in an allowed network.
    pub own_addresses: Arc<dyn OwnAddresses>,
}

/// An address that webhooks may not be sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{address} is refused: {range}")]
pub struct AddressRefused {
    /// The address, for the operator's log. Users see only that it was refused.
    pub address: IpAddr,
    /// The purpose of the address range.
    pub range: &'static str,
}

/// Why webhooks may not be sent to a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlRefused {
    /// The scheme is neither `https` nor, if the operator allows it, `http`.
    #[error("must start with https://, or http:// where the operator allows it")]
    Scheme,
    /// The URL contains a user name or a password.
    #[error("must not contain a user name or password")]
    UserInfo,
    /// The port is not 443, 80, or 1024 to 65535.
    #[error("must have the port 443, 80, or one from 1024 to 65535")]
    Port,
    /// The URL has no host.
    #[error("must name a host")]
    NoHost,
    /// The host is not a valid name.
    #[error(transparent)]
    HostName(#[from] InvalidHostName),
    /// The host is `localhost` or a name in its zone.
    #[error("must not name this machine")]
    Localhost,
    /// The host is a literal address that is refused.
    #[error("must not point to an address that webhooks may not reach")]
    Address(#[source] AddressRefused),
}

/// The endpoint of a URL that the egress policy allows. Only the policy makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The host.
    pub host: DestinationHost,
    /// The port.
    pub port: u16,
    /// Whether the connection uses TLS.
    pub tls: bool,
}

/// The host of a [`Destination`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DestinationHost {
    /// A literal address that is allowed.
    Address(IpAddr),
    /// A name to resolve. The policy must still judge its addresses ([`EgressPolicy::judge_answer`]).
    Name(HostName),
    /// `localhost` or a name in its zone, if that is allowed, and the allowed loopback addresses that it stands for.
    Localhost(HostName, Vec<IpAddr>),
}

/// Decides which targets webhooks may reach: schemes, ports, names and addresses. No other code decides this.
///
/// Callers check three times: when a URL is saved ([`EgressPolicy::judge_url`]), after a name is resolved
/// ([`EgressPolicy::judge_answer`]), and for the peer of a connected socket before the first byte is written
/// ([`EgressPolicy::judge_address`]).
#[derive(Clone)]
pub struct EgressPolicy(EgressPolicySettings);

impl EgressPolicy {
    /// The policy with these settings.
    pub fn new(settings: EgressPolicySettings) -> Self {
        Self(settings)
    }

    /// The endpoint of `url`, unless the URL alone shows that webhooks may not go there.
    ///
    /// # Errors
    ///
    /// The rule that the URL breaks.
    pub fn judge_url(&self, url: &Url) -> Result<Destination, UrlRefused> {
        if !url.username().is_empty() || url.password().is_some() {
            return Err(UrlRefused::UserInfo);
        }
        let (tls, scheme_port) = match url.scheme() {
            "https" => (true, 443),
            "http" if self.0.allow_http => (false, 80),
            _ => return Err(UrlRefused::Scheme),
        };
        let port = url.port().unwrap_or(scheme_port);
        if !matches!(port, 80 | 443 | 1024..) {
            return Err(UrlRefused::Port);
        }
        let host = match url.host().ok_or(UrlRefused::NoHost)? {
            Host::Domain(name) => self.judge_name(HostName::parse(name)?)?,
            Host::Ipv4(address) => self.judge_literal(address.into())?,
            Host::Ipv6(address) => self.judge_literal(address.into())?,
        };
        Ok(Destination { host, port, tls })
    }

    /// Judges all addresses that a name resolves to. One refused address is enough to refuse all of them: the owner of
    /// the name has chosen it.
    ///
    /// # Errors
    ///
    /// The first refused address.
    pub fn judge_answer(&self, addresses: &[IpAddr]) -> Result<(), AddressRefused> {
        addresses.iter().try_for_each(|address| self.judge_address(*address))
    }

    /// Judges one address. Addresses in an allowed network are never refused.
    ///
    /// A NAT64 address (`64:ff9b::/96`) has the verdict of the IPv4 address inside it. An IPv4-mapped address
    /// (`::ffff:0:0/96`) is refused like all IPv6 outside `2000::/3`, even if its IPv4 address is allowed: no honest
    /// resolver returns one, and no network needs it.
    ///
    /// # Errors
    ///
    /// The address, and the purpose of its range.
    pub fn judge_address(&self, address: IpAddr) -> Result<(), AddressRefused> {
        if let IpAddr::V6(v6) = address
            && NAT64.contains(&v6)
        {
            return self
                .judge_address(embedded_ipv4(v6).into())
                .map_err(|refused| AddressRefused { address, ..refused });
        }
        if self.0.allowed_networks.iter().any(|network| network.contains(&address)) {
            return Ok(());
        }
        let refused_as = match address {
            IpAddr::V4(v4) => refused_ipv4(v4),
            IpAddr::V6(v6) => refused_ipv6(v6),
        };
        let own = || self.0.own_addresses.contains(address).then_some("this machine");
        match refused_as.or_else(own) {
            Some(range) => Err(AddressRefused { address, range }),
            None => Ok(()),
        }
    }

    fn judge_literal(&self, address: IpAddr) -> Result<DestinationHost, UrlRefused> {
        self.judge_address(address).map_err(UrlRefused::Address)?;
        Ok(DestinationHost::Address(address))
    }

    /// `localhost` never reaches a resolver: it stands for the loopback addresses (RFC 6761), if they are allowed.
    fn judge_name(&self, name: HostName) -> Result<DestinationHost, UrlRefused> {
        if !name.is_localhost() {
            return Ok(DestinationHost::Name(name));
        }
        let mut loopback = vec![IpAddr::from(Ipv4Addr::LOCALHOST), IpAddr::from(Ipv6Addr::LOCALHOST)];
        loopback.retain(|address| self.judge_address(*address).is_ok());
        if loopback.is_empty() { Err(UrlRefused::Localhost) } else { Ok(DestinationHost::Localhost(name, loopback)) }
    }
}

impl fmt::Debug for EgressPolicy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("EgressPolicy")
            .field("allow_http", &self.0.allow_http)
            .field("allowed_networks", &self.0.allowed_networks)
            .finish_non_exhaustive()
    }
}

fn refused_ipv4(address: Ipv4Addr) -> Option<&'static str> {
    REFUSED_IPV4.iter().find(|(range, _)| range.contains(&address)).map(|(_, name)| *name)
}

fn refused_ipv6(address: Ipv6Addr) -> Option<&'static str> {
    if !GLOBAL_IPV6.contains(&address) {
        return Some("not global unicast");
    }
    REFUSED_IPV6.iter().find(|(range, _)| range.contains(&address)).map(|(_, name)| *name)
}

fn embedded_ipv4(address: Ipv6Addr) -> Ipv4Addr {
    let [.., a, b, c, d] = address.octets();
    Ipv4Addr::new(a, b, c, d)
}

/// The addresses of this machine's network interfaces, in any ranges.
pub trait OwnAddresses: Send + Sync {
    /// Whether an interface has `address` now.
    fn contains(&self, address: IpAddr) -> bool;
}

/// A fixed list of addresses, for tests.
impl OwnAddresses for Vec<IpAddr> {
    fn contains(&self, address: IpAddr) -> bool {
        self.as_slice().contains(&address)
    }
}

#[cfg(test)]
#[path = "egress_policy_tests.rs"]
mod tests;
