use std::net::IpAddr;

use super::host_name::HostName;

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
    /// A name to resolve. The policy has yet to judge what it resolves to
    /// ([`EgressPolicy::judge_answer`](crate::webhooks::EgressPolicy::judge_answer)).
    Name(HostName),
    /// `localhost` or a name in its zone, if that is allowed, and the allowed loopback addresses that it stands for.
    Localhost(HostName, Vec<IpAddr>),
}
