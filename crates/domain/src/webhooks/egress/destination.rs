use std::net::IpAddr;

use super::host_name::HostName;

/// Where an allowed URL leads. Whoever has one has asked the policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The host.
    pub host: DestinationHost,
    /// The port.
    pub port: u16,
    /// Whether TLS is spoken there.
    pub tls: bool,
}

/// The host of a [`Destination`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DestinationHost {
    /// A literal address, allowed.
    Address(IpAddr),
    /// A name to resolve. What it resolves to is still to be judged
    /// ([`EgressPolicy::judge_answer`](crate::webhooks::EgressPolicy::judge_answer)).
    Name(HostName),
    /// `localhost` or a name in its zone where that is allowed, and the allowed loopback addresses that it means.
    Localhost(HostName, Vec<IpAddr>),
}
